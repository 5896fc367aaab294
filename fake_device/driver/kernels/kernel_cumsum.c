/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Running sums along one dimension, accumulated in the wide class of the output's dtype.
 */
#include "error.h"
#include "kernel.h"

struct scan {
    const struct fd_kernel *kernel;
    const struct fd_dtype_info *in, *out;
    int64_t length, in_stride, out_stride; /* summed dimension; strides in bytes */
};

static void scan_line(const struct scan *scan, char *out, const char *in)
{
    const enum fd_class class = scan->kernel->class;
    union fd_buffer block;
    union fd_element running = {0};
    fd_scalar_element((struct fd_scalar){.is_integer = 1}, class, &running);
    for (int64_t start = 0; start < scan->length; start += FD_BLOCK) {
        const int64_t left = scan->length - start;
        const size_t count = left < FD_BLOCK ? (size_t)left : FD_BLOCK;
        fd_load_as(scan->in, class, in + start * scan->in_stride, scan->in_stride, count, &block);
        fd_arith_of(class)->scan(&block, &block, count, &running);
        fd_store_from(scan->out, class, &block, count, out + start * scan->out_stride,
                      scan->out_stride);
    }
}

static fd_status scan_row(void *context, const struct fd_row *row)
{
    for (int64_t i = 0; i < row->count; i++)
        scan_line(context, row->pointer[0] + i * row->strides[0],
                  row->pointer[1] + i * row->strides[1]);
    return FD_OK;
}

/* A 0-dim tensor is summed as if it had one dim. */
static fd_status run_cumsum(const struct fd_kernel *kernel)
{
    struct fd_tensor out = kernel->tensor[0], in = kernel->tensor[1];
    struct scan scan = {.kernel = kernel,
                        .in = fd_dtype_get(in.dtype),
                        .out = fd_dtype_get(out.dtype),
                        .length = 1};
    struct fd_walk walk;
    if (out.dims > 0) {
        scan.length = out.sizes[kernel->dim];
        scan.in_stride = in.strides[kernel->dim] * (int64_t)scan.in->size;
        scan.out_stride = out.strides[kernel->dim] * (int64_t)scan.out->size;
        in.sizes[kernel->dim] = out.sizes[kernel->dim] = 1;
    }
    fd_walk_begin(&walk, out.dims, out.sizes);
    fd_walk_add(&walk, &out);
    fd_walk_add(&walk, &in);
    fd_walk_collapse(&walk);
    return fd_walk_rows(&walk, scan_row, &scan);
}

static int same_shape(const struct fd_tensor *a, const struct fd_tensor *b)
{
    int same = a->dims == b->dims;
    for (int32_t dim = 0; same && dim < a->dims; dim++)
        same = a->sizes[dim] == b->sizes[dim];
    return same;
}

fd_status fd_kernel_cumsum(fd_stream *stream, const struct fd_tensor *out,
                           const struct fd_tensor *in, int32_t dim)
{
    const struct fd_tensor *tensors[] = {out, in};
    struct fd_kernel kernel;
    const fd_status status = fd_kernel_begin(&kernel, "fd_kernel_cumsum", run_cumsum, 2, tensors);
    if (status != FD_OK)
        return status;
    if (!same_shape(out, in))
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: input and output differ in shape", kernel.name);
    if (dim < 0 || dim >= (out->dims > 0 ? out->dims : 1))
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: there is no dim %d", kernel.name, dim);
    kernel.dim = dim;
    kernel.class = fd_arith_of(fd_dtype_get(out->dtype)->class)->wide;
    return fd_kernel_launch(stream, &kernel);
}
