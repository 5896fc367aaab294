/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels whose output element depends only on the input elements at the same position: unary,
 * binary, where, addcmul, addcdiv. Blocks of elements are loaded into a class, computed, and
 * stored.
 */
#include "error.h"
#include "fakedev_faults.h"
#include "kernel.h"

/* Describes how one batch is computed. */
struct plan {
    fd_batch_function function;
    int32_t inputs;
    enum fd_class in_class[3], result;
    const struct fd_dtype_info *dtype[4]; /* [0] for the output, [1] to [3] for the inputs */
    union fd_element scalar;
    fd_status status; /* the first failure; the remaining elements are still computed */
};

static void load_batch(const struct plan *plan, const struct fd_row *row, int64_t start,
                       size_t count, union fd_buffer *in)
{
    for (int32_t i = 0; i < plan->inputs; i++) {
        const int64_t stride = row->strides[i + 1];
        fd_load_as(plan->dtype[i + 1], plan->in_class[i], row->pointer[i + 1] + start * stride,
                   stride, count, &in[i]);
    }
}

static fd_status compute_row(void *context, const struct fd_row *row)
{
    struct plan *plan = context;
    union fd_buffer in[3], out;
    struct fd_batch batch = {.in = {&in[0], &in[1], &in[2]}, .out = &out, .scalar = &plan->scalar};
    for (int64_t start = 0; start < row->count; start += FD_BLOCK) {
        const int64_t left = row->count - start;
        batch.count = left < FD_BLOCK ? (size_t)left : FD_BLOCK;
        if (fd_fault("kernel.tail_not_written") && start > 0 && left < FD_BLOCK)
            break;
        load_batch(plan, row, start, batch.count, in);
        plan->function(&batch);
        fd_store_from(plan->dtype[0], plan->result, &out, batch.count,
                      row->pointer[0] + start * row->strides[0], row->strides[0]);
    }
    plan->status = plan->status == FD_OK ? batch.status : plan->status;
    return FD_OK;
}

static fd_status compute(const struct fd_kernel *kernel, struct plan *plan)
{
    struct fd_walk walk;
    plan->inputs = kernel->tensors - 1;
    fd_walk_begin(&walk, kernel->tensor[0].dims, kernel->tensor[0].sizes);
    for (int32_t i = 0; i < kernel->tensors; i++) {
        plan->dtype[i] = fd_dtype_get(kernel->tensor[i].dtype);
        fd_walk_add(&walk, &kernel->tensor[i]);
    }
    fd_walk_collapse(&walk);
    (void)fd_walk_rows(&walk, compute_row, plan);
    if (plan->status != FD_OK)
        return fd_fail(plan->status, "%s: integer division by zero", kernel->name);
    return FD_OK;
}

static enum fd_class class_of(const struct fd_kernel *kernel, int32_t index)
{
    return fd_dtype_get(kernel->tensor[index].dtype)->class;
}

static fd_status check_same_inputs(const struct fd_kernel *kernel)
{
    fd_status status = FD_OK;
    for (int32_t i = 2; i < kernel->tensors && status == FD_OK; i++)
        status = fd_kernel_check_dtype(kernel, i, kernel->tensor[1].dtype);
    return status;
}

/* An operation is computed in the class of the inputs. If the operation does not exist for
 * integers, it is computed in the output's class (for example, the square root of integers in a
 * float class). */
typedef fd_batch_function (*lookup)(enum fd_class class, int32_t op);

static fd_status choose_class(struct fd_kernel *kernel, lookup find)
{
    kernel->class = class_of(kernel, 1);
    if (!find(kernel->class, kernel->op) && fd_class_is_integral(kernel->class))
        kernel->class = class_of(kernel, 0);
    if (find(kernel->class, kernel->op))
        return FD_OK;
    return fd_fail(FD_ERROR_NOT_SUPPORTED, "%s: operation %d does not exist for %s", kernel->name,
                   kernel->op, fd_dtype_get(kernel->tensor[1].dtype)->name);
}

static fd_status launch(fd_stream *stream, struct fd_kernel *kernel, lookup find)
{
    fd_status status = fd_kernel_check_broadcast(kernel);
    if (status == FD_OK)
        status = check_same_inputs(kernel);
    if (status == FD_OK)
        status = choose_class(kernel, find);
    return status == FD_OK ? fd_kernel_launch(stream, kernel) : status;
}

static fd_status check_op(const char *name, int32_t op, int32_t count)
{
    if (op >= 0 && op < count)
        return FD_OK;
    return fd_fail(FD_ERROR_INVALID_VALUE, "%s: there is no operation %d", name, op);
}

/* ---- unary and binary ------------------------------------------------------------------------ */

static fd_batch_function find_unary(enum fd_class class, int32_t op)
{
    return fd_arith_of(class)->unary[op];
}

static fd_batch_function find_binary(enum fd_class class, int32_t op)
{
    return fd_arith_of(class)->binary[op];
}

static fd_status run_unary(const struct fd_kernel *kernel)
{
    struct plan plan = {.function = find_unary(kernel->class, kernel->op),
                        .in_class = {kernel->class},
                        .result = fd_unary_result(kernel->op, kernel->class)};
    return compute(kernel, &plan);
}

static fd_status run_binary(const struct fd_kernel *kernel)
{
    struct plan plan = {.function = find_binary(kernel->class, kernel->op),
                        .in_class = {kernel->class, kernel->class},
                        .result = fd_binary_result(kernel->op, kernel->class)};
    return compute(kernel, &plan);
}

fd_status fd_kernel_unary(fd_stream *stream, fd_unary_op op, const struct fd_tensor *out,
                          const struct fd_tensor *in)
{
    const struct fd_tensor *tensors[] = {out, in};
    struct fd_kernel kernel;
    fd_status status = fd_kernel_begin(&kernel, "fd_kernel_unary", run_unary, 2, tensors);
    if (status == FD_OK)
        status = check_op(kernel.name, op, FD_UNARY_COUNT);
    kernel.op = op;
    return status == FD_OK ? launch(stream, &kernel, find_unary) : status;
}

fd_status fd_kernel_binary(fd_stream *stream, fd_binary_op op, const struct fd_tensor *out,
                           const struct fd_tensor *a, const struct fd_tensor *b)
{
    const struct fd_tensor *tensors[] = {out, a, b};
    struct fd_kernel kernel;
    fd_status status = fd_kernel_begin(&kernel, "fd_kernel_binary", run_binary, 3, tensors);
    if (status == FD_OK)
        status = check_op(kernel.name, op, FD_BINARY_COUNT);
    kernel.op = op;
    return status == FD_OK ? launch(stream, &kernel, find_binary) : status;
}

/* ---- three inputs ---------------------------------------------------------------------------- */

static fd_batch_function find_addcmul(enum fd_class class, int32_t op)
{
    (void)op;
    return fd_arith_of(class)->addcmul;
}

static fd_batch_function find_addcdiv(enum fd_class class, int32_t op)
{
    (void)op;
    return fd_arith_of(class)->addcdiv;
}

static fd_status run_fused(const struct fd_kernel *kernel, lookup find)
{
    struct plan plan = {.function = find(kernel->class, 0),
                        .in_class = {kernel->class, kernel->class, kernel->class},
                        .result = kernel->class};
    fd_scalar_element(kernel->scalar[0], kernel->class, &plan.scalar);
    return compute(kernel, &plan);
}

static fd_status run_addcmul(const struct fd_kernel *kernel)
{
    return run_fused(kernel, find_addcmul);
}

static fd_status run_addcdiv(const struct fd_kernel *kernel)
{
    return run_fused(kernel, find_addcdiv);
}

fd_status fd_kernel_addcmul(fd_stream *stream, const struct fd_tensor *out,
                            const struct fd_tensor *a, const struct fd_tensor *b,
                            const struct fd_tensor *c, struct fd_scalar alpha)
{
    const struct fd_tensor *tensors[] = {out, a, b, c};
    struct fd_kernel kernel;
    const fd_status status = fd_kernel_begin(&kernel, "fd_kernel_addcmul", run_addcmul, 4, tensors);
    kernel.scalar[0] = alpha;
    return status == FD_OK ? launch(stream, &kernel, find_addcmul) : status;
}

fd_status fd_kernel_addcdiv(fd_stream *stream, const struct fd_tensor *out,
                            const struct fd_tensor *a, const struct fd_tensor *b,
                            const struct fd_tensor *c, struct fd_scalar alpha)
{
    const struct fd_tensor *tensors[] = {out, a, b, c};
    struct fd_kernel kernel;
    const fd_status status = fd_kernel_begin(&kernel, "fd_kernel_addcdiv", run_addcdiv, 4, tensors);
    kernel.scalar[0] = alpha;
    return status == FD_OK ? launch(stream, &kernel, find_addcdiv) : status;
}

static fd_status run_where(const struct fd_kernel *kernel)
{
    const enum fd_class class = class_of(kernel, 0);
    struct plan plan = {.function = fd_arith_of(class)->select,
                        .in_class = {FD_CLASS_BOOL, class, class},
                        .result = class};
    return compute(kernel, &plan);
}

fd_status fd_kernel_where(fd_stream *stream, const struct fd_tensor *out,
                          const struct fd_tensor *condition, const struct fd_tensor *a,
                          const struct fd_tensor *b)
{
    const struct fd_tensor *tensors[] = {out, condition, a, b};
    struct fd_kernel kernel;
    fd_status status = fd_kernel_begin(&kernel, "fd_kernel_where", run_where, 4, tensors);
    if (status == FD_OK)
        status = fd_kernel_check_dtype(&kernel, 1, FD_BOOL);
    if (status == FD_OK)
        status = fd_kernel_check_broadcast(&kernel);
    return status == FD_OK ? fd_kernel_launch(stream, &kernel) : status;
}
