/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels that move or generate values without arithmetic: copy (strided, casting), fill, arange.
 */
#include "kernel.h"

#include <string.h>

#include "error.h"

struct route {
    const struct fd_dtype_info *to, *from;
};

static fd_status copy_row(void *context, const struct fd_row *row)
{
    const struct route *route = context;
    const int64_t size = (int64_t)route->to->size;
    union fd_buffer buffer;
    if (route->to == route->from && row->strides[0] == size && row->strides[1] == size) {
        memmove(row->pointer[0], row->pointer[1], (size_t)(row->count * size));
        return FD_OK;
    }
    for (int64_t start = 0; start < row->count; start += FD_BLOCK) {
        const int64_t left = row->count - start;
        const size_t count = left < FD_BLOCK ? (size_t)left : FD_BLOCK;
        fd_load_as(route->from, route->to->class, row->pointer[1] + start * row->strides[1],
                   row->strides[1], count, &buffer);
        route->to->store(&buffer, count, row->pointer[0] + start * row->strides[0],
                         row->strides[0]);
    }
    return FD_OK;
}

/* If both dtypes are equal, elements are copied as integers, so that every bit is preserved. */
static struct route route_of(fd_dtype to, fd_dtype from)
{
    if (to == from)
        to = from = fd_dtype_raw(to);
    return (struct route){fd_dtype_get(to), fd_dtype_get(from)};
}

static fd_status run_copy(const struct fd_kernel *kernel)
{
    const struct fd_tensor *out = &kernel->tensor[0], *in = &kernel->tensor[1];
    struct route route = route_of(out->dtype, in->dtype);
    struct fd_walk walk;
    fd_walk_begin(&walk, out->dims, out->sizes);
    fd_walk_add(&walk, out);
    fd_walk_add(&walk, in);
    fd_walk_collapse(&walk);
    return fd_walk_rows(&walk, copy_row, &route);
}

fd_status fd_kernel_copy(fd_stream *stream, const struct fd_tensor *out, const struct fd_tensor *in)
{
    const struct fd_tensor *tensors[] = {out, in};
    struct fd_kernel kernel;
    fd_status status = fd_kernel_begin(&kernel, "fd_kernel_copy", run_copy, 2, tensors);
    if (status == FD_OK)
        status = fd_kernel_check_broadcast(&kernel);
    return status == FD_OK ? fd_kernel_launch(stream, &kernel) : status;
}

/* ---- fill ------------------------------------------------------------------------------------ */

struct pattern {
    const struct fd_dtype_info *dtype;
    union fd_buffer elements;
};

static fd_status fill_row(void *context, const struct fd_row *row)
{
    const struct pattern *pattern = context;
    for (int64_t start = 0; start < row->count; start += FD_BLOCK) {
        const int64_t left = row->count - start;
        pattern->dtype->store(&pattern->elements, left < FD_BLOCK ? (size_t)left : FD_BLOCK,
                              row->pointer[0] + start * row->strides[0], row->strides[0]);
    }
    return FD_OK;
}

static void fill_buffer(union fd_buffer *buffer, enum fd_class class, struct fd_scalar value)
{
    const size_t size = fd_arith_of(class)->size;
    union fd_element element;
    fd_scalar_element(value, class, &element);
    for (size_t i = 0; i < FD_BLOCK; i++)
        memcpy(buffer->bytes + i * size, &element, size);
}

static fd_status run_fill(const struct fd_kernel *kernel)
{
    const struct fd_tensor *out = &kernel->tensor[0];
    struct pattern pattern = {.dtype = fd_dtype_get(out->dtype)};
    struct fd_walk walk;
    fill_buffer(&pattern.elements, pattern.dtype->class, kernel->scalar[0]);
    fd_walk_begin(&walk, out->dims, out->sizes);
    fd_walk_add(&walk, out);
    fd_walk_collapse(&walk);
    return fd_walk_rows(&walk, fill_row, &pattern);
}

fd_status fd_kernel_fill(fd_stream *stream, const struct fd_tensor *out, struct fd_scalar value)
{
    struct fd_kernel kernel;
    const fd_status status = fd_kernel_begin(&kernel, "fd_kernel_fill", run_fill, 1, &out);
    kernel.scalar[0] = value;
    kernel.may_overlap_itself = 1;
    return status == FD_OK ? fd_kernel_launch(stream, &kernel) : status;
}

/* ---- arange ---------------------------------------------------------------------------------- */

struct progression {
    const struct fd_dtype_info *dtype;
    enum fd_class class;
    union fd_buffer start, ones;
    union fd_element step;
};

static fd_status arange_row(void *context, const struct fd_row *row)
{
    const struct progression *series = context;
    const struct fd_arith *arith = fd_arith_of(series->class);
    int64_t index[FD_BLOCK];
    union fd_buffer numbers, out;
    struct fd_batch batch = {
        .in = {&series->start, &numbers, &series->ones}, .out = &out, .scalar = &series->step};
    for (int64_t start = 0; start < row->count; start += FD_BLOCK) {
        const int64_t left = row->count - start;
        batch.count = left < FD_BLOCK ? (size_t)left : FD_BLOCK;
        for (size_t i = 0; i < batch.count; i++)
            index[i] = row->first + start + (int64_t)i;
        fd_arith_int64.convert[series->class](index, &numbers, batch.count);
        arith->addcmul(&batch);
        fd_store_from(series->dtype, series->class, &out, batch.count,
                      row->pointer[0] + start * row->strides[0], row->strides[0]);
    }
    return FD_OK;
}

static fd_status run_arange(const struct fd_kernel *kernel)
{
    const struct fd_tensor *out = &kernel->tensor[0];
    struct progression series = {.dtype = fd_dtype_get(out->dtype), .class = kernel->class};
    struct fd_walk walk;
    fill_buffer(&series.start, series.class, kernel->scalar[0]);
    fill_buffer(&series.ones, series.class, (struct fd_scalar){.integer = 1, .is_integer = 1});
    fd_scalar_element(kernel->scalar[1], series.class, &series.step);
    fd_walk_begin(&walk, out->dims, out->sizes);
    fd_walk_add(&walk, out);
    return fd_walk_rows(&walk, arange_row, &series);
}

fd_status fd_kernel_arange(fd_stream *stream, const struct fd_tensor *out, struct fd_scalar start,
                           struct fd_scalar step)
{
    struct fd_kernel kernel;
    const fd_status status = fd_kernel_begin(&kernel, "fd_kernel_arange", run_arange, 1, &out);
    if (status != FD_OK)
        return status;
    if (out->dims != 1)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: the output must have one dim", kernel.name);
    kernel.class = fd_arith_of(fd_dtype_get(out->dtype)->class)->wide;
    kernel.scalar[0] = start;
    kernel.scalar[1] = step;
    return fd_kernel_launch(stream, &kernel);
}
