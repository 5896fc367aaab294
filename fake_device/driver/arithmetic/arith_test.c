/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests edge cases of arithmetic: wrapping, division, NaN, rounding of halves, extreme complex
 * numbers.
 */
#include "arith.h"
#include "driver_test.h"

#include <math.h>

static int64_t int_result(const struct fd_arith *arith, fd_binary_op op, int64_t x, int64_t y)
{
    int64_t result = 0;
    struct fd_batch batch = {.in = {&x, &y}, .out = &result, .count = 1};
    arith->binary[op](&batch);
    return result;
}

TEST(int_operation_gives_wrapped_result)
{
    static const struct {
        fd_binary_op op;
        int64_t x, y, result;
    } rows[] = {
        {FD_ADD, INT64_MAX, 1, INT64_MIN},
        {FD_SUB, INT64_MIN, 1, INT64_MAX},
        {FD_MUL, INT64_MIN, -1, INT64_MIN},
        {FD_MUL, 1LL << 32, 1LL << 32, 0},
        {FD_DIV_TRUNC, -7, 2, -3},
        {FD_DIV_TRUNC, INT64_MIN, -1, INT64_MIN},
        {FD_DIV_FLOOR, -7, 2, -4},
        {FD_DIV_FLOOR, 7, -2, -4},
        {FD_DIV_FLOOR, -8, 2, -4},
        {FD_DIV_FLOOR, INT64_MIN, -1, INT64_MIN},
        {FD_REMAINDER, -7, 3, 2},
        {FD_REMAINDER, 7, -3, -2},
        {FD_REMAINDER, INT64_MIN, -1, 0},
        {FD_FMOD, -7, 3, -1},
        {FD_FMOD, 7, -3, 1},
        {FD_MAXIMUM, -1, 1, 1},
        {FD_MINIMUM, -1, 1, -1},
        {FD_BITWISE_XOR, -1, 5, -6},
        {FD_LT, -1, 1, 1},
        {FD_LOGICAL_XOR, 4, 9, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const int64_t seen = int_result(&fd_arith_int64, rows[i].op, rows[i].x, rows[i].y);
        ck_assert_msg(seen == rows[i].result, "row %zu: %lld, not %lld", i, (long long)seen,
                      (long long)rows[i].result);
    }
}

TEST(uint_operation_has_no_sign)
{
    ck_assert_int_eq(int_result(&fd_arith_uint64, FD_MAXIMUM, -1, 1), -1);
    ck_assert_int_eq(int_result(&fd_arith_uint64, FD_LT, -1, 1), 0);
    ck_assert_int_eq(int_result(&fd_arith_uint64, FD_DIV_FLOOR, -1, 2), INT64_MAX);
    ck_assert_int_eq(int_result(&fd_arith_uint64, FD_REMAINDER, -1, -1), 0);
    ck_assert_int_eq(int_result(&fd_arith_uint64, FD_DIV_TRUNC, 5, -1), 0);
}

TEST(int_division_by_zero_fails_the_batch)
{
    static const fd_binary_op ops[] = {FD_DIV_TRUNC, FD_DIV_FLOOR, FD_REMAINDER, FD_FMOD};
    const int64_t x[2] = {4, 4}, y[2] = {0, 2};
    for (int i = 0; i < 4; i++) {
        int64_t out[2];
        struct fd_batch batch = {.in = {x, y}, .out = out, .count = 2};
        fd_arith_int64.binary[ops[i]](&batch);
        ck_assert_int_eq(batch.status, FD_ERROR_KERNEL);
        ck_assert_int_eq(out[1], ops[i] < FD_REMAINDER ? 2 : 0);
    }
}

static float float_result(fd_binary_op op, float x, float y)
{
    float result = 0;
    struct fd_batch batch = {.in = {&x, &y}, .out = &result, .count = 1};
    fd_arith_float32.binary[op](&batch);
    return result;
}

TEST(float_operation_gives_what_python_gives)
{
    static const struct {
        fd_binary_op op;
        float x, y, result;
    } rows[] = {
        {FD_DIV_TRUNC, -7, 2, -3},      {FD_DIV_FLOOR, -7, 2, -4},
        {FD_DIV_FLOOR, 1.0f, 0.1f, 9},  {FD_DIV_FLOOR, 1, 0, INFINITY},
        {FD_DIV_FLOOR, 0, -3, -0.0f},   {FD_REMAINDER, -7, 3, 2},
        {FD_REMAINDER, 7, -3, -2},      {FD_FMOD, -7, 3, -1},
        {FD_POW, 2, 0.5f, 1.41421356f}, {FD_MAXIMUM, NAN, 1, NAN},
        {FD_MAXIMUM, 1, NAN, NAN},      {FD_MINIMUM, NAN, 1, NAN},
        {FD_MINIMUM, 1, NAN, NAN},      {FD_MAXIMUM, -INFINITY, 1, 1},
        {FD_ATAN2, 1, -1, 2.35619449f},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const float seen = float_result(rows[i].op, rows[i].x, rows[i].y);
        ck_assert_msg((isnan(seen) && isnan(rows[i].result)) ||
                          (seen == rows[i].result && signbit(seen) == signbit(rows[i].result)),
                      "row %zu: %g, not %g", i, (double)seen, (double)rows[i].result);
    }
    ck_assert(isnan(float_result(FD_REMAINDER, 1, 0)));
    ck_assert(isnan(float_result(FD_FMOD, 1, 0)));
}

TEST(float_rounding_goes_half_to_even)
{
    const double in[] = {0.5, 1.5, 2.5, -0.5, -1.5}, demanded[] = {0, 2, 2, -0.0, -2};
    double out[5];
    struct fd_batch batch = {.in = {in}, .out = out, .count = 5};
    fd_arith_float64.unary[FD_ROUND](&batch);
    for (int i = 0; i < 5; i++)
        ck_assert_double_eq(out[i], demanded[i]);
}

TEST(float_nan_survives_relu_and_wins_max)
{
    const float in[4] = {-1, NAN, 7, NAN};
    float out[4], best = 0;
    struct fd_batch batch = {.in = {in}, .out = out, .count = 4};
    fd_arith_float32.unary[FD_RELU](&batch);
    ck_assert(out[0] == 0 && isnan(out[1]) && out[2] == 7);
    fd_arith_float32.fold[FD_MAX](in, 4, &best);
    ck_assert(isnan(best));
    fd_arith_float32.fold[FD_MIN](in, 4, &best);
    ck_assert(isnan(best));
    ck_assert_uint_eq(fd_arith_float32.position[FD_ARGMAX](in, 4), 1);
    ck_assert_uint_eq(fd_arith_float32.position[FD_ARGMIN](in, 4), 1);
}

TEST(fold_sum_of_many_small_terms_is_exact_enough)
{
    double terms[FD_BLOCK], sum = 0;
    for (int i = 0; i < FD_BLOCK; i++)
        /* in a sequential sum, each of these numbers is lost to rounding */
        terms[i] = i == 0 ? 1 : 0x1p-53;
    fd_arith_float64.fold[FD_SUM](terms, FD_BLOCK, &sum);
    ck_assert_double_gt(sum, 1 + 200 * 0x1p-53);
}

TEST(complex_division_does_not_overflow_without_need)
{
    const double x[2] = {1e300, 1e300}, y[2] = {1e300, 1e300};
    double out[2];
    struct fd_batch batch = {.in = {x, y}, .out = out, .count = 1};
    fd_arith_complex128.binary[FD_DIV](&batch);
    ck_assert_double_eq_tol(out[0], 1, 1e-15);
    ck_assert_double_eq_tol(out[1], 0, 1e-15);
}

TEST(operations_that_do_not_exist_are_null)
{
    ck_assert(!fd_arith_int64.unary[FD_EXP]);
    ck_assert(!fd_arith_int64.binary[FD_DIV]);
    ck_assert(!fd_arith_float32.binary[FD_BITWISE_AND]);
    ck_assert(!fd_arith_complex64.binary[FD_LT]);
    ck_assert(!fd_arith_complex64.fold[FD_MAX]);
}

TEST(scalar_element_keeps_large_integers)
{
    const struct fd_scalar scalar = {.integer = (INT64_C(1) << 53) + 1, .is_integer = 1};
    union fd_element element;
    fd_scalar_element(scalar, FD_CLASS_INT64, &element);
    ck_assert_int_eq(element.int64, (INT64_C(1) << 53) + 1);
    fd_scalar_element((struct fd_scalar){.real = 2.75}, FD_CLASS_INT64, &element);
    ck_assert_int_eq(element.int64, 2);
}
