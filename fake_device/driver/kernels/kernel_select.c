/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels whose result has one entry per element that a mask selects: the positions of these
 * elements, or the elements themselves. Entries are in row-major order. The caller counts the
 * selected elements first, because the size of the output depends on the number. The kernels need
 * no memory besides their operands.
 */
#include <string.h>

#include "error.h"
#include "fakedev_select.h"
#include "kernel.h"

/* Operands of the walk. */
enum { MASK, ELEMENT };

struct selector {
    const struct fd_kernel *kernel;
    int64_t selected; /* so far */
    /* writes the next entry for the element with this row-major number */
    void (*write)(const struct selector *selector, int64_t number, const char *element);
};

static char *entry_of(const struct selector *selector, int64_t column)
{
    const struct fd_tensor *out = &selector->kernel->tensor[0];
    const int64_t offset =
        selector->selected * out->strides[0] + (out->dims > 1 ? column * out->strides[1] : 0);
    return (char *)out->data + offset * (int64_t)fd_dtype_size(out->dtype);
}

static void write_position(const struct selector *selector, int64_t number, const char *element)
{
    const struct fd_tensor *mask = &selector->kernel->tensor[1];
    (void)element;
    for (int32_t dim = mask->dims - 1; dim >= 0; dim--) {
        const int64_t index = number % mask->sizes[dim];
        memcpy(entry_of(selector, dim), &index, sizeof index);
        number /= mask->sizes[dim];
    }
}

static void write_element(const struct selector *selector, int64_t number, const char *element)
{
    (void)number;
    memcpy(entry_of(selector, 0), element, fd_dtype_size(selector->kernel->tensor[0].dtype));
}

static fd_status select_row(void *context, const struct fd_row *row)
{
    struct selector *selector = context;
    for (int64_t i = 0; i < row->count; i++) {
        if (!row->pointer[MASK][i * row->strides[MASK]])
            continue;
        if (selector->selected == selector->kernel->tensor[0].sizes[0])
            return fd_fail(FD_ERROR_INVALID_VALUE,
                           "%s: the mask selects more elements than the "
                           "output holds",
                           selector->kernel->name);
        selector->write(selector, row->first + i,
                        row->pointer[ELEMENT] + i * row->strides[ELEMENT]);
        selector->selected++;
    }
    return FD_OK;
}

/* tensor[1] is the mask. The last tensor has the elements; if positions are written, there are only
 * two tensors, so the last tensor is the mask. */
static fd_status run_select(const struct fd_kernel *kernel)
{
    const struct fd_tensor *mask = &kernel->tensor[1];
    struct selector selector = {.kernel = kernel,
                                .write = kernel->tensors == 2 ? write_position : write_element};
    struct fd_walk walk;
    fd_walk_begin(&walk, mask->dims, mask->sizes);
    fd_walk_add(&walk, mask);
    fd_walk_add(&walk, &kernel->tensor[kernel->tensors - 1]);
    fd_walk_collapse(&walk);
    return fd_walk_rows(&walk, select_row, &selector);
}

static fd_status check_output(const struct fd_kernel *kernel, int32_t dims)
{
    if (kernel->tensor[0].dims == dims)
        return fd_kernel_check_dtype(kernel, 1, FD_BOOL);
    return fd_fail(FD_ERROR_INVALID_VALUE, "%s: the output has %d dims, must have %d", kernel->name,
                   kernel->tensor[0].dims, dims);
}

fd_status fd_kernel_nonzero(fd_stream *stream, const struct fd_tensor *out,
                            const struct fd_tensor *mask)
{
    const struct fd_tensor *tensors[] = {out, mask};
    struct fd_kernel kernel;
    fd_status status = fd_kernel_begin(&kernel, "fd_kernel_nonzero", run_select, 2, tensors);
    if (status == FD_OK)
        status = check_output(&kernel, 2);
    if (status == FD_OK)
        status = fd_kernel_check_dtype(&kernel, 0, FD_INT64);
    if (status == FD_OK && out->sizes[1] != mask->dims)
        status = fd_fail(FD_ERROR_INVALID_VALUE, "%s: a position has %lld columns, must have %d",
                         kernel.name, (long long)out->sizes[1], mask->dims);
    return status == FD_OK ? fd_kernel_launch(stream, &kernel) : status;
}

fd_status fd_kernel_masked_select(fd_stream *stream, const struct fd_tensor *out,
                                  const struct fd_tensor *mask, const struct fd_tensor *in)
{
    const struct fd_tensor *tensors[] = {out, mask, in};
    struct fd_kernel kernel;
    fd_status status = fd_kernel_begin(&kernel, "fd_kernel_masked_select", run_select, 3, tensors);
    if (status == FD_OK)
        status = check_output(&kernel, 1);
    if (status == FD_OK)
        status = fd_kernel_check_dtype(&kernel, 2, out->dtype);
    if (status == FD_OK && !fd_tensor_broadcasts(in, mask->dims, mask->sizes))
        status = fd_fail(FD_ERROR_INVALID_VALUE, "%s: the input does not broadcast to the mask",
                         kernel.name);
    return status == FD_OK ? fd_kernel_launch(stream, &kernel) : status;
}
