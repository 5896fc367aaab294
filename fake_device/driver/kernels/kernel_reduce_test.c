/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares reductions and running sums with loops on the host.
 */
#include "kernel_test_support.h"
#include "unit_test.h"

static const int64_t shape[] = {3, 5, 7};
#define DIMS 3
#define ELEMENTS 105

/* Every subset of the three dims, as bits. */
#define SUBSETS 8

static void reduced_shape(int subset, int64_t *sizes)
{
    for (int dim = 0; dim < DIMS; dim++)
        sizes[dim] = subset >> dim & 1 ? 1 : shape[dim];
}

/* Row-major number of the output element to which input element `i` contributes. */
static int64_t owner_of(int64_t i, const int64_t *sizes)
{
    const int64_t at[] = {i / 35, i / 7 % 5, i % 7};
    int64_t owner = 0;
    for (int dim = 0; dim < DIMS; dim++)
        owner = owner * sizes[dim] + (sizes[dim] == 1 ? 0 : at[dim]);
    return owner;
}

static double fold(fd_reduce_op op, double total, double value)
{
    switch (op) {
    case FD_PROD:
        return total * value;
    case FD_MAX:
        return fmax(total, value);
    case FD_MIN:
        return fmin(total, value);
    case FD_ALL:
        return total != 0 && value != 0;
    case FD_ANY:
        return total != 0 || value != 0;
    default:
        return total + value;
    }
}

static void check_reduce(fd_reduce_op op, fd_dtype in_dtype, fd_dtype out_dtype, int subset,
                         enum layout in_layout, enum layout out_layout)
{
    static const double start[FD_REDUCE_COUNT] = {0, 1, 0, -INFINITY, INFINITY, 1, 0};
    int64_t sizes[DIMS];
    double demanded[ELEMENTS];
    reduced_shape(subset, sizes);
    const struct placed in = place_tensor(in_layout, in_dtype, DIMS, shape);
    const struct placed out = place_tensor(out_layout, out_dtype, DIMS, sizes);
    const int64_t outputs = fd_tensor_count(&out.tensor);
    put_samples(&in, op);
    for (int64_t i = 0; op == FD_PROD && i < ELEMENTS; i++)
        put(&in, i, i % 13 == 0 ? 2 : 1);
    for (int64_t i = 0; i < outputs; i++)
        demanded[i] = start[op];
    for (int64_t i = 0; i < ELEMENTS; i++) {
        const int64_t owner = owner_of(i, sizes);
        demanded[owner] = fold(op, demanded[owner], get(&in, i));
    }
    ck_assert_ok(fd_kernel_reduce(test_stream(), op, &out.tensor, &in.tensor));
    test_sync();
    for (int64_t i = 0; i < outputs; i++) {
        const double value =
            op == FD_MEAN ? demanded[i] / ((double)ELEMENTS / (double)outputs) : demanded[i];
        ck_assert_msg(is_close(out_dtype, get(&out, i), as_dtype(out_dtype, value), 0),
                      "op %d of %s, subset %d: %.17g, not %.17g", op, fd_dtype_get(in_dtype)->name,
                      subset, get(&out, i), value);
    }
    ck_assert_surroundings(&out);
    remove_tensor(&in);
    remove_tensor(&out);
}

static fd_dtype output_of(fd_reduce_op op, fd_dtype dtype)
{
    if (op == FD_ALL || op == FD_ANY)
        return FD_BOOL;
    return !is_floating(dtype) && (op == FD_SUM || op == FD_PROD) ? FD_INT64 : dtype;
}

TEST(reduce_each_dtype_equals_host)
{
    needs_float64();
    for (fd_reduce_op op = FD_SUM; op <= FD_ANY; op++)
        for (fd_dtype dtype = 0; dtype < FD_DTYPE_COUNT; dtype++)
            if (!is_complex(dtype) && (op != FD_MEAN || is_floating(dtype)))
                check_reduce(op, dtype, output_of(op, dtype), (op + dtype) % SUBSETS,
                             (enum layout)((op + dtype) % IN_LAYOUTS),
                             (enum layout)(dtype % OUT_LAYOUTS));
}

TEST(reduce_each_set_of_dims_in_each_layout_equals_host)
{
    for (int subset = 0; subset < SUBSETS; subset++)
        for (int layout = 0; layout < IN_LAYOUTS; layout++)
            check_reduce(FD_SUM, FD_FLOAT32, FD_FLOAT32, subset, (enum layout)layout,
                         (enum layout)(layout % OUT_LAYOUTS));
}

TEST(reduce_all_of_uint8_may_stay_uint8)
{
    const int64_t size = 3, one = 1;
    const struct placed in = place_tensor(CONTIGUOUS, FD_UINT8, 1, &size);
    const struct placed out = place_tensor(CONTIGUOUS, FD_UINT8, 1, &one);
    for (int64_t i = 0; i < size; i++)
        put_int(&in, i, i + 4);
    ck_assert_ok(fd_kernel_reduce(test_stream(), FD_ALL, &out.tensor, &in.tensor));
    test_sync();
    ck_assert_int_eq(get_int(&out, 0), 1);
}

TEST(reduce_complex_sums_both_parts)
{
    const int64_t size = 300, one = 1;
    const struct placed in = place_tensor(STEPPED, FD_COMPLEX64, 1, &size);
    const struct placed out = place_tensor(CONTIGUOUS, FD_COMPLEX64, 1, &one);
    for (int64_t i = 0; i < size; i++)
        put_complex(&in, i, (double)i - 2.0 * (double)i * I);
    ck_assert_ok(fd_kernel_reduce(test_stream(), FD_SUM, &out.tensor, &in.tensor));
    test_sync();
    ck_assert_double_eq(creal(get_complex(&out, 0)), 44850);
    ck_assert_double_eq(cimag(get_complex(&out, 0)), -89700);
    ck_assert_status(fd_kernel_reduce(test_stream(), FD_MAX, &out.tensor, &in.tensor),
                     FD_ERROR_NOT_SUPPORTED);
}

/* The input is long enough for three levels of the tree. */
TEST(reduce_long_sum_stays_accurate)
{
    const int64_t size = 256 * 256 * 3 + 77, one = 1;
    const struct placed in = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, &size);
    const struct placed out = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, &one);
    ck_assert_ok(fd_kernel_fill(test_stream(), &in.tensor, real_of(0.1)));
    ck_assert_ok(fd_kernel_reduce(test_stream(), FD_SUM, &out.tensor, &in.tensor));
    test_sync();
    ck_assert_double_eq(get(&out, 0), (double)(float)((double)0.1f * (double)size));
}

TEST(reduce_half_of_many_ones_does_not_stall)
{
    const int64_t size = 5000, one = 1;
    const struct placed in = place_tensor(CONTIGUOUS, FD_FLOAT16, 1, &size);
    const struct placed out = place_tensor(CONTIGUOUS, FD_FLOAT16, 1, &one);
    ck_assert_ok(fd_kernel_fill(test_stream(), &in.tensor, real_of(1)));
    ck_assert_ok(fd_kernel_reduce(test_stream(), FD_SUM, &out.tensor, &in.tensor));
    test_sync();
    ck_assert_double_eq(get(&out, 0), 5000);
}

TEST(reduce_int_sum_wraps)
{
    const int64_t size = 2, one = 1;
    const struct placed in = place_tensor(CONTIGUOUS, FD_INT64, 1, &size);
    const struct placed out = place_tensor(CONTIGUOUS, FD_INT64, 1, &one);
    ck_assert_ok(fd_kernel_fill(test_stream(), &in.tensor, integer_of_value(INT64_MAX)));
    ck_assert_ok(fd_kernel_reduce(test_stream(), FD_SUM, &out.tensor, &in.tensor));
    test_sync();
    ck_assert_int_eq(get_int(&out, 0), -2);
}

TEST(reduce_nan_wins_max_min_and_is_found)
{
    const int64_t size = 700, one = 1;
    const struct placed in = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, &size);
    const struct placed out = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, &one);
    const struct placed place = place_tensor(CONTIGUOUS, FD_INT64, 1, &one);
    put_samples(&in, 0);
    put(&in, 600, NAN);
    put(&in, 650, NAN);
    for (fd_reduce_op op = FD_MAX; op <= FD_MIN; op++) {
        ck_assert_ok(fd_kernel_reduce(test_stream(), op, &out.tensor, &in.tensor));
        ck_assert_ok(
            fd_kernel_reduce(test_stream(), op - FD_MAX + FD_ARGMAX, &place.tensor, &in.tensor));
        test_sync();
        ck_assert(isnan(get(&out, 0)));
        ck_assert_int_eq(get_int(&place, 0), 600);
    }
}

TEST(reduce_argmax_gives_first_position)
{
    const int64_t sizes[] = {3, 1, 7}, all[] = {1, 1, 1};
    const struct placed in = place_tensor(TRANSPOSED, FD_INT16, DIMS, shape);
    const struct placed out = place_tensor(CONTIGUOUS, FD_INT64, DIMS, sizes);
    const struct placed flat = place_tensor(CONTIGUOUS, FD_INT64, DIMS, all);
    for (int64_t i = 0; i < ELEMENTS; i++)
        put_int(&in, i, i / 7 % 5 == 2 || i / 7 % 5 == 4 ? 9 : -1);
    put_int(&in, 50, 10);
    ck_assert_ok(fd_kernel_reduce(test_stream(), FD_ARGMAX, &out.tensor, &in.tensor));
    ck_assert_ok(fd_kernel_reduce(test_stream(), FD_ARGMAX, &flat.tensor, &in.tensor));
    test_sync();
    for (int64_t i = 0; i < 21; i++)
        ck_assert_int_eq(get_int(&out, i), 2);
    ck_assert_int_eq(get_int(&flat, 0), 50);
    ck_assert_ok(fd_kernel_reduce(test_stream(), FD_ARGMIN, &flat.tensor, &in.tensor));
    test_sync();
    ck_assert_int_eq(get_int(&flat, 0), 0);
}

TEST(reduce_of_nothing_gives_neutral_element_or_error)
{
    static const double demanded[FD_REDUCE_COUNT] = {0, 1, NAN, 0, 0, 1, 0};
    const struct fd_tensor in = {NULL, FD_FLOAT32, 2, {2, 0}, {0, 1}};
    const int64_t sizes[] = {2, 1};
    for (fd_reduce_op op = 0; op < FD_REDUCE_COUNT; op++) {
        const int position = op == FD_ARGMAX || op == FD_ARGMIN;
        const fd_dtype dtype = position ? FD_INT64 : output_of(op, FD_FLOAT32);
        const struct placed out = place_tensor(CONTIGUOUS, dtype, 2, sizes);
        const fd_status status = fd_kernel_reduce(test_stream(), op, &out.tensor, &in);
        if (op == FD_MAX || op == FD_MIN || position) {
            ck_assert_status(status, FD_ERROR_INVALID_VALUE);
            continue;
        }
        ck_assert_ok(status);
        test_sync();
        ck_assert(is_close(dtype, get(&out, 1), demanded[op], 0));
    }
}

TEST(reduce_wrong_shapes_and_types_are_refused)
{
    const int64_t sizes[] = {3, 2, 7}, two_dims[] = {5, 7}, argument[] = {1, 1, 7};
    const struct placed in = place_tensor(CONTIGUOUS, FD_INT32, DIMS, shape);
    const struct placed wrong = place_tensor(CONTIGUOUS, FD_INT32, DIMS, sizes);
    const struct placed fewer = place_tensor(CONTIGUOUS, FD_INT32, 2, two_dims);
    const struct placed pair = place_tensor(CONTIGUOUS, FD_INT64, DIMS, argument);
    const struct placed narrow = place_tensor(CONTIGUOUS, FD_INT32, DIMS, argument);
    fd_stream *stream = test_stream();
    ck_assert_status(fd_kernel_reduce(stream, FD_SUM, &wrong.tensor, &in.tensor),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_reduce(stream, FD_SUM, &fewer.tensor, &in.tensor),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_reduce(stream, FD_ARGMAX, &pair.tensor, &in.tensor),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_reduce(stream, FD_ARGMAX, &narrow.tensor, &in.tensor),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_reduce(stream, FD_MEAN, &narrow.tensor, &in.tensor),
                     FD_ERROR_NOT_SUPPORTED);
}

/* ---- running sums ---------------------------------------------------------------------------- */

static void check_cumsum(fd_dtype dtype, int32_t dim, enum layout in_layout, enum layout out_layout)
{
    static const int64_t steps[] = {35, 7, 1};
    const struct placed in = place_tensor(in_layout, dtype, DIMS, shape);
    const struct placed out = place_tensor(out_layout, dtype, DIMS, shape);
    double sums[ELEMENTS];
    put_samples(&in, dim);
    ck_assert_ok(fd_kernel_cumsum(test_stream(), &out.tensor, &in.tensor, dim));
    test_sync();
    for (int64_t i = 0; i < ELEMENTS; i++) {
        const int first = i / steps[dim] % shape[dim] == 0;
        sums[i] = get(&in, i) + (first ? 0 : sums[i - steps[dim]]);
        ck_assert_double_eq(get(&out, i), as_dtype(dtype, sums[i]));
    }
    ck_assert_surroundings(&out);
    remove_tensor(&in);
    remove_tensor(&out);
}

TEST(cumsum_each_dim_dtype_and_layout_equals_host)
{
    needs_float64();
    for (int32_t dim = 0; dim < DIMS; dim++)
        for (fd_dtype dtype = 0; dtype < FD_DTYPE_COUNT; dtype++)
            if (!is_complex(dtype) && dtype != FD_BOOL)
                check_cumsum(dtype, dim, (enum layout)((dim + dtype) % IN_LAYOUTS),
                             (enum layout)(dtype % OUT_LAYOUTS));
}

TEST(cumsum_over_several_blocks_keeps_running)
{
    const int64_t size = 1000;
    const struct placed in = place_tensor(CONTIGUOUS, FD_BOOL, 1, &size);
    const struct placed out = place_tensor(CONTIGUOUS, FD_INT64, 1, &size);
    ck_assert_ok(fd_kernel_fill(test_stream(), &in.tensor, real_of(1)));
    ck_assert_ok(fd_kernel_cumsum(test_stream(), &out.tensor, &in.tensor, 0));
    test_sync();
    for (int64_t i = 0; i < size; i++)
        ck_assert_int_eq(get_int(&out, i), i + 1);
}

TEST(cumsum_of_scalar_is_the_scalar)
{
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 0, NULL);
    put(&a, 0, 7);
    ck_assert_ok(fd_kernel_cumsum(test_stream(), &a.tensor, &a.tensor, 0));
    test_sync();
    ck_assert_double_eq(get(&a, 0), 7);
    ck_assert_status(fd_kernel_cumsum(test_stream(), &a.tensor, &a.tensor, 1),
                     FD_ERROR_INVALID_VALUE);
}
