/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reductions. For each output element, the reduced dimensions of the input are walked block by
 * block. The block results are combined in a tree, so that every sum is pairwise.
 */
#include <assert.h>
#include <string.h>

#include "error.h"
#include "fakedev_faults.h"
#include "kernel.h"

/* For each reduction: the class and the fold function that compute the reduction, and the result
 * for an empty input. */
enum rule { IN_WIDE_OUTPUT, IN_INPUT, IN_BOOL };
static const struct reduction {
    enum rule rule;
    fd_reduce_op fold;
    int32_t has_empty;
    int32_t empty;
} reductions[FD_REDUCE_COUNT] = {
    [FD_SUM] = {IN_WIDE_OUTPUT, FD_SUM, 1, 0},  [FD_PROD] = {IN_WIDE_OUTPUT, FD_PROD, 1, 1},
    [FD_MEAN] = {IN_WIDE_OUTPUT, FD_SUM, 1, 0}, [FD_MAX] = {IN_INPUT, FD_MAX, 0, 0},
    [FD_MIN] = {IN_INPUT, FD_MIN, 0, 0},        [FD_ALL] = {IN_BOOL, FD_MIN, 1, 1},
    [FD_ANY] = {IN_BOOL, FD_MAX, 1, 0},         [FD_ARGMAX] = {IN_INPUT, FD_MAX, 0, 0},
    [FD_ARGMIN] = {IN_INPUT, FD_MIN, 0, 0},
};

#define LEVELS 6 /* no memory holds more than 256^6 blocks */

struct reducer {
    const struct fd_kernel *kernel;
    const struct fd_arith *arith;
    const struct fd_dtype_info *in, *out;
    fd_fold_function fold;
    size_t (*position)(const void *in, size_t count); /* for argmax and argmin */
    struct fd_walk reduced;                           /* the reduced dimensions of the input */
    /* State of the current output element. */
    size_t filled[LEVELS];
    union fd_buffer level[LEVELS];
    union fd_element best[2]; /* [0] is the best element so far, [1] a candidate */
    int64_t best_index;       /* -1: no element has been processed */
};

/* ---- values ---------------------------------------------------------------------------------- */

static void push(struct reducer *reducer, int32_t level, const void *element)
{
    const size_t size = reducer->arith->size;
    union fd_element result;
    assert(level < LEVELS);
    memcpy(reducer->level[level].bytes + reducer->filled[level]++ * size, element, size);
    if (reducer->filled[level] < FD_BLOCK)
        return;
    reducer->fold(&reducer->level[level], FD_BLOCK, &result);
    reducer->filled[level] = 0;
    push(reducer, level + 1, &result);
}

/* Implements a fault: the running total is rounded to the output's type. */
static void round_total(struct reducer *reducer)
{
    char memory[sizeof(union fd_element)];
    union fd_element total;
    reducer->fold(&reducer->level[0], reducer->filled[0], &total);
    fd_store_from(reducer->out, reducer->kernel->class, &total, 1, memory, 0);
    fd_load_as(reducer->out, reducer->kernel->class, memory, 0, 1, &reducer->level[0]);
    reducer->filled[0] = 1;
}

static fd_status fold_row(void *context, const struct fd_row *row)
{
    struct reducer *reducer = context;
    union fd_buffer block;
    union fd_element result;
    for (int64_t start = 0; start < row->count; start += FD_BLOCK) {
        const int64_t left = row->count - start;
        const size_t count = left < FD_BLOCK ? (size_t)left : FD_BLOCK;
        fd_load_as(reducer->in, reducer->kernel->class, row->pointer[0] + start * row->strides[0],
                   row->strides[0], count, &block);
        reducer->fold(&block, count, &result);
        push(reducer, 0, &result);
        if (fd_fault("kernel.sum_accumulates_in_low_precision"))
            round_total(reducer);
    }
    return FD_OK;
}

/* Folds the partial results of all levels, from the lowest level up. Returns 0 if there are no
 * partial results. */
static int take_total(struct reducer *reducer, union fd_element *total)
{
    int found = 0;
    for (int32_t level = 0; level < LEVELS; level++) {
        if (found)
            memcpy(reducer->level[level].bytes + reducer->filled[level]++ * reducer->arith->size,
                   total, reducer->arith->size);
        if (reducer->filled[level] > 0) {
            reducer->fold(&reducer->level[level], reducer->filled[level], total);
            found = 1;
        }
        reducer->filled[level] = 0;
    }
    return found;
}

static void divide_by_count(const struct reducer *reducer, union fd_element *total)
{
    const int64_t count = fd_count_of(reducer->reduced.dims, reducer->reduced.sizes);
    union fd_element divisor;
    struct fd_batch batch = {.in = {total, &divisor}, .out = total, .count = 1};
    fd_arith_int64.convert[reducer->kernel->class](&count, &divisor, 1);
    reducer->arith->binary[FD_DIV](&batch);
}

static void reduce_value(struct reducer *reducer, char *out)
{
    const struct reduction *reduction = &reductions[reducer->kernel->op];
    const enum fd_class class = reducer->kernel->class;
    union fd_element total;
    (void)fd_walk_rows(&reducer->reduced, fold_row, reducer);
    if (!take_total(reducer, &total))
        fd_scalar_element((struct fd_scalar){.integer = reduction->empty, .is_integer = 1}, class,
                          &total);
    if (reducer->kernel->op == FD_MEAN)
        divide_by_count(reducer, &total);
    fd_store_from(reducer->out, class, &total, 1, out, 0);
}

/* ---- positions ------------------------------------------------------------------------------- */

static void offer(struct reducer *reducer, const void *element, int64_t index)
{
    const size_t size = reducer->arith->size;
    char pair[2 * sizeof(union fd_element)];
    union fd_element aligned[2];
    memcpy(pair, &reducer->best[0], size);
    memcpy(pair + size, element, size);
    memcpy(aligned, pair, 2 * size);
    if (reducer->best_index >= 0 && reducer->position(aligned, 2) == 0)
        return;
    memcpy(&reducer->best[0], element, size);
    reducer->best_index = index;
}

static fd_status position_row(void *context, const struct fd_row *row)
{
    struct reducer *reducer = context;
    union fd_buffer block;
    for (int64_t start = 0; start < row->count; start += FD_BLOCK) {
        const int64_t left = row->count - start;
        const size_t count = left < FD_BLOCK ? (size_t)left : FD_BLOCK;
        fd_load_as(reducer->in, reducer->kernel->class, row->pointer[0] + start * row->strides[0],
                   row->strides[0], count, &block);
        const size_t best = reducer->position(&block, count);
        offer(reducer, block.bytes + best * reducer->arith->size,
              row->first + start + (int64_t)best);
    }
    return FD_OK;
}

static void reduce_position(struct reducer *reducer, char *out)
{
    reducer->best_index = -1;
    (void)fd_walk_rows(&reducer->reduced, position_row, reducer);
    fd_store_from(reducer->out, FD_CLASS_INT64, &reducer->best_index, 1, out, 0);
}

/* ---- launch ---------------------------------------------------------------------------------- */

static fd_status reduce_row(void *context, const struct fd_row *row)
{
    struct reducer *reducer = context;
    for (int64_t i = 0; i < row->count; i++) {
        char *const out = row->pointer[0] + i * row->strides[0];
        reducer->reduced.base[0] = row->pointer[1] + i * row->strides[1];
        (reducer->position ? reduce_position : reduce_value)(reducer, out);
    }
    return FD_OK;
}

static int is_reduced(const struct fd_tensor *out, const struct fd_tensor *in, int32_t dim)
{
    return out->sizes[dim] == 1 && in->sizes[dim] != 1;
}

/* The reduced dimensions of the input, as a separate walk. */
static void walk_reduced(struct fd_walk *walk, const struct fd_tensor *out,
                         const struct fd_tensor *in)
{
    struct fd_tensor view = *in;
    view.dims = 0;
    for (int32_t dim = 0; dim < in->dims; dim++)
        if (is_reduced(out, in, dim)) {
            view.sizes[view.dims] = in->sizes[dim];
            view.strides[view.dims++] = in->strides[dim];
        }
    fd_walk_begin(walk, view.dims, view.sizes);
    fd_walk_add(walk, &view);
    fd_walk_collapse(walk);
}

/* The kept dimensions: a walk of the output's shape. The input has stride 0 in reduced dims. */
static void walk_kept(struct fd_walk *walk, const struct fd_tensor *out, const struct fd_tensor *in)
{
    struct fd_tensor view = *in;
    for (int32_t dim = 0; dim < in->dims; dim++)
        view.sizes[dim] = out->sizes[dim];
    fd_walk_begin(walk, out->dims, out->sizes);
    fd_walk_add(walk, out);
    fd_walk_add(walk, &view);
    fd_walk_collapse(walk);
}

static fd_status run_reduce(const struct fd_kernel *kernel)
{
    const struct fd_tensor *out = &kernel->tensor[0], *in = &kernel->tensor[1];
    struct reducer reducer = {.kernel = kernel,
                              .arith = fd_arith_of(kernel->class),
                              .in = fd_dtype_get(in->dtype),
                              .out = fd_dtype_get(out->dtype)};
    struct fd_walk kept;
    reducer.fold = reducer.arith->fold[reductions[kernel->op].fold];
    reducer.position = reducer.arith->position[kernel->op];
    walk_reduced(&reducer.reduced, out, in);
    walk_kept(&kept, out, in);
    return fd_walk_rows(&kept, reduce_row, &reducer);
}

static fd_status check_shape(const struct fd_kernel *kernel)
{
    const struct fd_tensor *out = &kernel->tensor[0], *in = &kernel->tensor[1];
    int32_t reduced = 0, kept = 0;
    if (out->dims != in->dims)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: the output has %d dims, the input %d",
                       kernel->name, out->dims, in->dims);
    for (int32_t dim = 0; dim < out->dims; dim++) {
        if (out->sizes[dim] != 1 && out->sizes[dim] != in->sizes[dim])
            return fd_fail(FD_ERROR_INVALID_VALUE, "%s: size of dim %d is neither kept nor 1",
                           kernel->name, dim);
        reduced += is_reduced(out, in, dim);
        kept += out->sizes[dim] != 1;
    }
    if ((kernel->op == FD_ARGMAX || kernel->op == FD_ARGMIN) && reduced > 1 && kept > 0)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: a position needs one reduced dim, or all",
                       kernel->name);
    if (!reductions[kernel->op].has_empty && fd_tensor_count(in) == 0 && fd_tensor_count(out) > 0)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: operation %d of no elements", kernel->name,
                       kernel->op);
    return FD_OK;
}

static fd_status check_types(struct fd_kernel *kernel)
{
    const struct reduction *reduction = &reductions[kernel->op];
    const enum fd_class in = fd_dtype_get(kernel->tensor[1].dtype)->class;
    const enum fd_class out = fd_dtype_get(kernel->tensor[0].dtype)->class;
    const enum fd_class by_rule[] = {
        [IN_WIDE_OUTPUT] = fd_arith_of(out)->wide, [IN_INPUT] = in, [IN_BOOL] = FD_CLASS_BOOL};
    kernel->class = by_rule[reduction->rule];
    if (kernel->op == FD_ARGMAX || kernel->op == FD_ARGMIN) {
        const fd_status status = fd_kernel_check_dtype(kernel, 0, FD_INT64);
        if (status != FD_OK)
            return status;
    }
    if (!fd_arith_of(kernel->class)->fold[reduction->fold] ||
        (kernel->op == FD_MEAN && fd_class_is_integral(kernel->class)))
        return fd_fail(FD_ERROR_NOT_SUPPORTED, "%s: operation %d does not exist for %s",
                       kernel->name, kernel->op, fd_dtype_get(kernel->tensor[1].dtype)->name);
    return FD_OK;
}

fd_status fd_kernel_reduce(fd_stream *stream, fd_reduce_op op, const struct fd_tensor *out,
                           const struct fd_tensor *in)
{
    const struct fd_tensor *tensors[] = {out, in};
    struct fd_kernel kernel;
    fd_status status = fd_kernel_begin(&kernel, "fd_kernel_reduce", run_reduce, 2, tensors);
    if (status != FD_OK)
        return status;
    if (op < 0 || op >= FD_REDUCE_COUNT)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: there is no operation %d", kernel.name, op);
    kernel.op = op;
    status = check_shape(&kernel);
    if (status == FD_OK)
        status = check_types(&kernel);
    return status == FD_OK ? fd_kernel_launch(stream, &kernel) : status;
}
