/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels that address elements through index tensors. All kernels use one loop, which walks the
 * plain operand in its own shape. The indexed operand has stride 0 in the indexed dimensions,
 * and the indices supply the offset of the operand in these dimensions.
 */
#include <string.h>

#include "error.h"
#include "fakedev_faults.h"
#include "kernel.h"

enum { READ, WRITE, ACCUMULATE }; /* access to the indexed operand; stored in kernel->op */

/* Operands of the walk. */
enum { PLAIN, INDEXED, FIRST_INDEX };

struct picker {
    int32_t action, negative_wraps, indices;
    const struct fd_dtype_info *dtype;
    const struct fd_dtype_info *index_dtype[FD_MAX_DIMS];
    int64_t limit[FD_MAX_DIMS], step[FD_MAX_DIMS]; /* size, and step in bytes, of each dim */
    struct fd_walk walk;
    int64_t bad_index, bad_limit; /* the first index out of bounds */
    int32_t failed;
};

static int64_t within(const struct picker *picker, int64_t index, int64_t limit)
{
    if (fd_fault("kernel.index_wraps_instead_of_error") && limit > 0)
        return (index % limit + limit) % limit;
    return picker->negative_wraps && index < 0 ? index + limit : index;
}

/* Computes the offset in bytes that the indices add to the indexed operand's address. Returns -1
 * if an index is out of bounds. */
static int find_offset(struct picker *picker, const struct fd_row *row, int64_t i, int64_t *offset)
{
    *offset = 0;
    for (int32_t k = 0; k < picker->indices; k++) {
        const int32_t operand = FIRST_INDEX + k;
        int64_t given;
        picker->index_dtype[k]->load(row->pointer[operand] + i * row->strides[operand], 0, 1,
                                     &given);
        const int64_t index = within(picker, given, picker->limit[k]);
        if (index < 0 || index >= picker->limit[k]) {
            picker->bad_index = picker->failed ? picker->bad_index : given;
            picker->bad_limit = picker->failed ? picker->bad_limit : picker->limit[k];
            picker->failed = 1;
            return -1;
        }
        *offset += index * picker->step[k];
    }
    return 0;
}

static void accumulate(const struct fd_dtype_info *dtype, char *to, const char *from)
{
    union fd_element sum, term;
    struct fd_batch batch = {.in = {&sum, &term}, .out = &sum, .count = 1};
    dtype->load(to, 0, 1, &sum);
    dtype->load(from, 0, 1, &term);
    fd_arith_of(dtype->class)->binary[FD_ADD](&batch);
    dtype->store(&sum, 1, to, 0);
}

static void move(const struct picker *picker, char *plain, char *indexed)
{
    const int overwrites = fd_fault("kernel.scatter_accumulate_overwrites");
    if (picker->action == READ)
        memcpy(plain, indexed, picker->dtype->size);
    else if (picker->action == WRITE || overwrites)
        memcpy(indexed, plain, picker->dtype->size);
    else
        accumulate(picker->dtype, indexed, plain);
}

static fd_status pick_row(void *context, const struct fd_row *row)
{
    struct picker *picker = context;
    int64_t offset;
    for (int64_t i = 0; i < row->count; i++)
        if (find_offset(picker, row, i, &offset) == 0)
            move(picker, row->pointer[PLAIN] + i * row->strides[PLAIN],
                 row->pointer[INDEXED] + i * row->strides[INDEXED] + offset);
    return FD_OK;
}

static void add_index(struct picker *picker, const struct fd_tensor *index,
                      const struct fd_tensor *indexed, int32_t dim)
{
    const int32_t k = picker->indices++;
    picker->index_dtype[k] = fd_dtype_get(index->dtype);
    picker->limit[k] = indexed->sizes[dim];
    picker->step[k] = indexed->strides[dim] * (int64_t)picker->dtype->size;
}

static fd_status pick(const struct fd_kernel *kernel, struct picker *picker)
{
    fd_walk_collapse(&picker->walk);
    (void)fd_walk_rows(&picker->walk, pick_row, picker);
    if (!picker->failed)
        return FD_OK;
    return fd_fail(FD_ERROR_INDEX, "%s: index %lld is out of bounds for size %lld", kernel->name,
                   (long long)picker->bad_index, (long long)picker->bad_limit);
}

static fd_status check_index(const struct fd_kernel *kernel, int32_t index)
{
    const fd_dtype dtype = kernel->tensor[index].dtype;
    if (dtype == FD_INT32 || dtype == FD_INT64)
        return FD_OK;
    return fd_fail(FD_ERROR_INVALID_VALUE, "%s: an index tensor is %s, must be int32 or int64",
                   kernel->name, fd_dtype_get(dtype)->name);
}

static const struct fd_tensor *plain_of(const struct fd_kernel *kernel)
{
    return &kernel->tensor[kernel->op == READ ? 0 : 1];
}

static const struct fd_tensor *indexed_of(const struct fd_kernel *kernel)
{
    return &kernel->tensor[kernel->op == READ ? 1 : 0];
}

/* Adds `tensor` to the walk: dim i of the tensor, for first <= i < last, becomes dim i + shift of
 * the walk. In all other dims of the walk the stride is 0. */
static void add_shifted(struct fd_walk *walk, const struct fd_tensor *tensor, int32_t first,
                        int32_t last, int32_t shift)
{
    const int64_t size = (int64_t)fd_dtype_size(tensor->dtype);
    int64_t strides[FD_MAX_DIMS] = {0};
    for (int32_t dim = first; dim < last; dim++)
        strides[dim + shift] = tensor->sizes[dim] == 1 ? 0 : tensor->strides[dim] * size;
    fd_walk_add_strides(walk, tensor->data, strides);
}

/* ---- along one dimension: index_select, gather, scatter -------------------------------------- */

/* The walk has the shape of the index tensor. */
static fd_status run_along_dim(const struct fd_kernel *kernel)
{
    const struct fd_tensor *indexed = indexed_of(kernel), *index = &kernel->tensor[2];
    struct picker picker = {.action = kernel->op, .dtype = fd_dtype_get(indexed->dtype)};
    struct fd_tensor plain = *plain_of(kernel), still = *indexed;
    memcpy(plain.sizes, index->sizes, sizeof plain.sizes);
    memcpy(still.sizes, index->sizes, sizeof still.sizes);
    still.strides[kernel->dim] = 0;
    fd_walk_begin(&picker.walk, index->dims, index->sizes);
    fd_walk_add(&picker.walk, &plain);
    add_shifted(&picker.walk, &still, 0, still.dims, 0);
    add_shifted(&picker.walk, index, 0, index->dims, 0);
    add_index(&picker, index, indexed, kernel->dim);
    return pick(kernel, &picker);
}

static fd_status check_along_dim(const struct fd_kernel *kernel)
{
    const struct fd_tensor *plain = plain_of(kernel), *indexed = indexed_of(kernel);
    const struct fd_tensor *index = &kernel->tensor[2];
    if (plain->dims != index->dims || indexed->dims != index->dims)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: the tensors differ in dims", kernel->name);
    if (kernel->dim < 0 || kernel->dim >= index->dims)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: there is no dim %d", kernel->name, kernel->dim);
    for (int32_t dim = 0; dim < index->dims; dim++)
        if (index->sizes[dim] > plain->sizes[dim] ||
            (kernel->op == READ && index->sizes[dim] != plain->sizes[dim]) ||
            (dim != kernel->dim && index->sizes[dim] > indexed->sizes[dim]))
            return fd_fail(FD_ERROR_INVALID_VALUE, "%s: the index does not fit in dim %d",
                           kernel->name, dim);
    const fd_status status = check_index(kernel, 2);
    return status == FD_OK ? fd_kernel_check_dtype(kernel, 1, kernel->tensor[0].dtype) : status;
}

/* Treats a scalar as a tensor with one dim of size 1. */
static struct fd_tensor at_least_one_dim(const struct fd_tensor *tensor)
{
    struct fd_tensor view = *tensor;
    if (view.dims == 0) {
        view.dims = 1;
        view.sizes[0] = view.strides[0] = 1;
    }
    return view;
}

static fd_status launch_along_dim(fd_stream *stream, struct fd_kernel *kernel)
{
    for (int32_t i = 0; i < kernel->tensors; i++)
        kernel->tensor[i] = at_least_one_dim(&kernel->tensor[i]);
    const fd_status status = check_along_dim(kernel);
    kernel->count = fd_tensor_count(&kernel->tensor[2]);
    return status == FD_OK ? fd_kernel_launch(stream, kernel) : status;
}

/* index_select is a gather whose index is expanded to the shape of the output. */
static fd_status expand_index(struct fd_kernel *kernel)
{
    const struct fd_tensor out = at_least_one_dim(&kernel->tensor[0]);
    const struct fd_tensor given = at_least_one_dim(&kernel->tensor[2]);
    struct fd_tensor *index = &kernel->tensor[2];
    if (given.dims != 1 || kernel->dim < 0 || kernel->dim >= out.dims ||
        given.sizes[0] != out.sizes[kernel->dim])
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: the index does not fit in dim %d", kernel->name,
                       kernel->dim);
    index->dims = out.dims;
    memcpy(index->sizes, out.sizes, sizeof out.sizes);
    memset(index->strides, 0, sizeof index->strides);
    index->strides[kernel->dim] = given.strides[0];
    return FD_OK;
}

fd_status fd_kernel_index_select(fd_stream *stream, const struct fd_tensor *out,
                                 const struct fd_tensor *in, int32_t dim,
                                 const struct fd_tensor *index)
{
    const struct fd_tensor *tensors[] = {out, in, index};
    struct fd_kernel kernel;
    fd_status status =
        fd_kernel_begin(&kernel, "fd_kernel_index_select", run_along_dim, 3, tensors);
    kernel.op = READ;
    kernel.dim = dim;
    if (status == FD_OK)
        status = expand_index(&kernel);
    return status == FD_OK ? launch_along_dim(stream, &kernel) : status;
}

fd_status fd_kernel_gather(fd_stream *stream, const struct fd_tensor *out,
                           const struct fd_tensor *in, int32_t dim, const struct fd_tensor *index)
{
    const struct fd_tensor *tensors[] = {out, in, index};
    struct fd_kernel kernel;
    const fd_status status =
        fd_kernel_begin(&kernel, "fd_kernel_gather", run_along_dim, 3, tensors);
    kernel.op = READ;
    kernel.dim = dim;
    return status == FD_OK ? launch_along_dim(stream, &kernel) : status;
}

fd_status fd_kernel_scatter(fd_stream *stream, const struct fd_tensor *out, int32_t dim,
                            const struct fd_tensor *index, const struct fd_tensor *in,
                            int32_t accumulate_)
{
    const struct fd_tensor *tensors[] = {out, in, index};
    struct fd_kernel kernel;
    const fd_status status =
        fd_kernel_begin(&kernel, "fd_kernel_scatter", run_along_dim, 3, tensors);
    kernel.op = accumulate_ ? ACCUMULATE : WRITE;
    kernel.dim = dim;
    return status == FD_OK ? launch_along_dim(stream, &kernel) : status;
}

/* ---- leading dimensions: index, index_put ---------------------------------------------------- */

/* tensor[2] and all later tensors are the indices, one for each leading dimension; kernel->flag is
 * the number of indices. Computes the shape of the walk: the broadcast shape of the indices,
 * followed by the dims without an index. Returns -1 if the shapes do not broadcast. */
static int find_shape(const struct fd_kernel *kernel, int32_t *index_dims, int32_t *dims,
                      int64_t *sizes)
{
    const struct fd_tensor *indexed = indexed_of(kernel);
    *index_dims = 0;
    for (int32_t k = 0; k < kernel->flag; k++)
        if (kernel->tensor[2 + k].dims > *index_dims)
            *index_dims = kernel->tensor[2 + k].dims;
    *dims = *index_dims + indexed->dims - kernel->flag;
    if (kernel->flag > indexed->dims || *dims > FD_MAX_DIMS)
        return -1;
    for (int32_t dim = 0; dim < *index_dims; dim++)
        sizes[dim] = 1;
    for (int32_t k = 0; k < kernel->flag; k++) {
        const struct fd_tensor *index = &kernel->tensor[2 + k];
        for (int32_t dim = 0; dim < index->dims; dim++)
            if (index->sizes[dim] != 1)
                sizes[*index_dims - index->dims + dim] = index->sizes[dim];
    }
    for (int32_t dim = *index_dims; dim < *dims; dim++)
        sizes[dim] = indexed->sizes[dim - *index_dims + kernel->flag];
    return 0;
}

static fd_status run_leading(const struct fd_kernel *kernel)
{
    const struct fd_tensor *indexed = indexed_of(kernel);
    struct picker picker = {
        .action = kernel->op, .negative_wraps = 1, .dtype = fd_dtype_get(indexed->dtype)};
    int64_t sizes[FD_MAX_DIMS];
    int32_t index_dims, dims;
    (void)find_shape(kernel, &index_dims, &dims, sizes); /* the shape was checked at launch */
    fd_walk_begin(&picker.walk, dims, sizes);
    fd_walk_add(&picker.walk, plain_of(kernel));
    add_shifted(&picker.walk, indexed, kernel->flag, indexed->dims, index_dims - kernel->flag);
    for (int32_t k = 0; k < kernel->flag; k++) {
        const struct fd_tensor *index = &kernel->tensor[2 + k];
        add_shifted(&picker.walk, index, 0, index->dims, index_dims - index->dims);
        add_index(&picker, index, indexed, k);
    }
    return pick(kernel, &picker);
}

static fd_status check_leading(struct fd_kernel *kernel)
{
    const struct fd_tensor *plain = plain_of(kernel);
    int64_t sizes[FD_MAX_DIMS];
    int32_t index_dims, dims;
    fd_status status = fd_kernel_check_dtype(kernel, 1, kernel->tensor[0].dtype);
    for (int32_t k = 0; k < kernel->flag && status == FD_OK; k++)
        status = check_index(kernel, 2 + k);
    if (status != FD_OK)
        return status;
    if (find_shape(kernel, &index_dims, &dims, sizes) != 0)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: too many indices or dims", kernel->name);
    for (int32_t k = 0; k < kernel->flag; k++)
        if (!fd_tensor_broadcasts(&kernel->tensor[2 + k], index_dims, sizes))
            return fd_fail(FD_ERROR_INVALID_VALUE, "%s: the indices do not broadcast together",
                           kernel->name);
    kernel->count = fd_count_of(dims, sizes);
    if (!fd_tensor_broadcasts(plain, dims, sizes) ||
        (kernel->op == READ && (plain->dims != dims || fd_tensor_count(plain) != kernel->count)))
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: the shape does not fit the indices",
                       kernel->name);
    return FD_OK;
}

static fd_status launch_leading(fd_stream *stream, const char *name, int32_t action,
                                const struct fd_tensor *out, const struct fd_tensor *in,
                                const struct fd_tensor *const *indices, int32_t count)
{
    const struct fd_tensor *tensors[FD_MAX_OPERANDS] = {out, in};
    struct fd_kernel kernel;
    int32_t used = 0;
    if (count < 0 || count > FD_MAX_DIMS || (count > 0 && !indices))
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: %d indices", name, count);
    while (used < count && indices[used]) {
        tensors[2 + used] = indices[used];
        used++;
    }
    for (int32_t k = used; k < count; k++)
        if (indices[k])
            return fd_fail(FD_ERROR_INVALID_VALUE, "%s: index %d follows a dim taken whole", name,
                           k);
    fd_status status = fd_kernel_begin(&kernel, name, run_leading, 2 + used, tensors);
    kernel.op = action;
    kernel.flag = used;
    if (status == FD_OK)
        status = check_leading(&kernel);
    return status == FD_OK ? fd_kernel_launch(stream, &kernel) : status;
}

fd_status fd_kernel_index(fd_stream *stream, const struct fd_tensor *out,
                          const struct fd_tensor *in, const struct fd_tensor *const *indices,
                          int32_t count)
{
    return launch_leading(stream, "fd_kernel_index", READ, out, in, indices, count);
}

fd_status fd_kernel_index_put(fd_stream *stream, const struct fd_tensor *out,
                              const struct fd_tensor *const *indices, int32_t count,
                              const struct fd_tensor *in, int32_t accumulate_)
{
    return launch_leading(stream, "fd_kernel_index_put", accumulate_ ? ACCUMULATE : WRITE, out, in,
                          indices, count);
}
