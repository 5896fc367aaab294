/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The checks that every launch must pass, and the launch itself. Called by all kernel_*.c files.
 */
#include "kernel.h"

#include "device.h"
#include "error.h"
#include "fakedev_faults.h"
#include "settings.h"

_Static_assert(sizeof(struct fd_kernel) <= 4096, "fd_stream_launch copies at most that");

static fd_status check_form(const char *name, int32_t index, const struct fd_tensor *tensor)
{
    if (!tensor)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: tensor %d is NULL", name, index);
    if (!fd_dtype_get(tensor->dtype))
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: tensor %d has the unknown dtype %d", name,
                       index, tensor->dtype);
    if (tensor->dims < 0 || tensor->dims > FD_MAX_DIMS)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: tensor %d has %d dims, at most %d are possible",
                       name, index, tensor->dims, FD_MAX_DIMS);
    for (int32_t dim = 0; dim < tensor->dims; dim++)
        if (tensor->sizes[dim] < 0)
            return fd_fail(FD_ERROR_INVALID_VALUE, "%s: tensor %d has size %lld in dim %d", name,
                           index, (long long)tensor->sizes[dim], dim);
    if (fd_tensor_count(tensor) < 0)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: tensor %d has more elements than are counted",
                       name, index);
    return FD_OK;
}

fd_status fd_kernel_begin(struct fd_kernel *kernel, const char *name,
                          fd_status (*run)(const struct fd_kernel *kernel), int32_t tensors,
                          const struct fd_tensor *const *tensor)
{
    fd_status status = FD_OK;
    *kernel = (struct fd_kernel){.name = name, .run = run, .tensors = tensors};
    for (int32_t index = 0; index < tensors && status == FD_OK; index++) {
        status = check_form(name, index, tensor[index]);
        if (status == FD_OK)
            kernel->tensor[index] = *tensor[index];
    }
    kernel->count = status == FD_OK ? fd_tensor_count(&kernel->tensor[0]) : 0;
    return status;
}

fd_status fd_kernel_check_broadcast(const struct fd_kernel *kernel)
{
    const struct fd_tensor *out = &kernel->tensor[0];
    for (int32_t index = 1; index < kernel->tensors; index++)
        if (!fd_tensor_broadcasts(&kernel->tensor[index], out->dims, out->sizes))
            return fd_fail(FD_ERROR_INVALID_VALUE,
                           "%s: tensor %d does not broadcast to the shape of the output",
                           kernel->name, index);
    return FD_OK;
}

fd_status fd_kernel_check_dtype(const struct fd_kernel *kernel, int32_t index, fd_dtype dtype)
{
    const fd_dtype found = kernel->tensor[index].dtype;
    if (found == dtype)
        return FD_OK;
    return fd_fail(FD_ERROR_INVALID_VALUE, "%s: tensor %d is %s, must be %s", kernel->name, index,
                   fd_dtype_get(found)->name, fd_dtype_get(dtype)->name);
}

/* Computes the distance in bytes from `data` to the lowest accessed byte (<= 0) and to the end
 * of the highest accessed byte. */
static int extent_of(const struct fd_tensor *tensor, int64_t *low, int64_t *high)
{
    const int64_t size = (int64_t)fd_dtype_size(tensor->dtype);
    int64_t first = 0, last = 0;
    for (int32_t dim = 0; dim < tensor->dims; dim++) {
        int64_t reach, *end;
        if (__builtin_mul_overflow(tensor->strides[dim], tensor->sizes[dim] - 1, &reach))
            return -1;
        end = reach < 0 ? &first : &last;
        if (__builtin_add_overflow(*end, reach, end))
            return -1;
    }
    int64_t bytes;
    return __builtin_mul_overflow(first, size, low) || __builtin_add_overflow(last, 1, &last) ||
                   __builtin_mul_overflow(last, size, high) ||
                   __builtin_sub_overflow(*high, *low, &bytes)
               ? -1
               : 0;
}

static fd_status check_device(const struct fd_kernel *kernel, int32_t index, int32_t device,
                              int32_t owner)
{
    if (owner < 0 || owner == device || fd_device_peer_enabled(device, owner))
        return FD_OK;
    return fd_fail(FD_ERROR_PEER_DISABLED,
                   "%s: tensor %d lives on device %d, which device %d may not access", kernel->name,
                   index, owner, device);
}

/* Replaces the operand's address by the driver's alias. */
static fd_status resolve(struct fd_kernel *kernel, int32_t index, int32_t device)
{
    struct fd_tensor *tensor = &kernel->tensor[index];
    int64_t low = 0, high = 0;
    struct fd_block block;
    void *alias = NULL;
    if (fd_tensor_count(tensor) == 0 && !fd_fault("kernel.empty_tensor_refused")) {
        tensor->data = NULL;
        return FD_OK;
    }
    if (extent_of(tensor, &low, &high) != 0)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: the strides of tensor %d overflow",
                       kernel->name, index);
    const uintptr_t begin = (uintptr_t)tensor->data + (uintptr_t)low;
    if (fd_memory_find(tensor->data, &block) != FD_OK)
        return fd_fail(FD_ERROR_INVALID_HANDLE, "%s: tensor %d at %p is not in a live block",
                       kernel->name, index, tensor->data);
    const uintptr_t base = (uintptr_t)block.base;
    if (begin < base || (uint64_t)(high - low) > block.size ||
        begin - base > block.size - (uint64_t)(high - low))
        return fd_fail(FD_ERROR_INVALID_VALUE,
                       "%s: tensor %d reaches out of its block of %zu bytes", kernel->name, index,
                       block.size);
    fd_status status = check_device(kernel, index, device, block.device);
    if (status == FD_OK)
        status = fd_memory_alias((const void *)begin, (size_t)(high - low), &alias);
    if (status == FD_OK)
        tensor->data = (char *)alias - low;
    return status;
}

static int overlaps_itself(const struct fd_tensor *out)
{
    for (int32_t dim = 0; dim < out->dims; dim++)
        if (out->sizes[dim] > 1 && out->strides[dim] == 0)
            return 1;
    return 0;
}

static fd_status check_precision(const struct fd_kernel *kernel, int32_t device)
{
    if (!fd_settings()->no_fp64)
        return FD_OK;
    for (int32_t index = 0; index < kernel->tensors; index++) {
        const fd_dtype dtype = kernel->tensor[index].dtype;
        if (dtype == FD_FLOAT64 || dtype == FD_COMPLEX128)
            return fd_fail(FD_ERROR_NOT_SUPPORTED, "%s: device %d has no float64", kernel->name,
                           device);
    }
    return FD_OK;
}

fd_status fd_kernel_map(struct fd_kernel *kernel, int32_t device)
{
    fd_status status = check_precision(kernel, device);
    for (int32_t index = 0; index < kernel->tensors && status == FD_OK; index++)
        status = resolve(kernel, index, device);
    return status;
}

static fd_status run(void *arguments)
{
    const struct fd_kernel *kernel = arguments;
    return kernel->run(kernel);
}

fd_status fd_kernel_launch(fd_stream *stream, struct fd_kernel *kernel)
{
    const struct fd_tensor *out = &kernel->tensor[0];
    const int32_t device = stream ? fd_stream_device(stream) : -1;
    if (!stream)
        return fd_fail(FD_ERROR_INVALID_HANDLE, "%s: the stream is NULL", kernel->name);
    fd_status status = check_precision(kernel, device);
    if (status != FD_OK)
        return status;
    if (kernel->count == 0 && !fd_fault("kernel.empty_tensor_refused"))
        return FD_OK;
    if (!kernel->may_overlap_itself && overlaps_itself(out))
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: the output overlaps itself (stride 0)",
                       kernel->name);
    for (int32_t index = 0; index < kernel->tensors && status == FD_OK; index++)
        status = resolve(kernel, index, device);
    if (status != FD_OK)
        return status;
    return fd_stream_launch(stream, kernel->name, run, kernel, sizeof *kernel);
}
