/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that random fills are reproducible, independent of the layout, in range, and have the
 * right distribution. The seeds are fixed, so the statistical checks always give the same
 * result.
 */
#include "kernel_test_support.h"
#include "unit_test.h"

static const struct fd_random generator = {.seed = 20, .offset = 3};
#define MANY 20000

static struct placed draw(fd_random_op op, fd_dtype dtype, struct fd_scalar low,
                          struct fd_scalar high)
{
    const int64_t size = MANY;
    const struct placed out = place_tensor(CONTIGUOUS, dtype, 1, &size);
    ck_assert_ok(fd_kernel_random(test_stream(), op, &out.tensor, generator, low, high));
    test_sync();
    return out;
}

static void moments(const struct placed *placed, double *mean, double *deviation)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < MANY; i++) {
        sum += get(placed, i);
        squares += get(placed, i) * get(placed, i);
    }
    *mean = sum / MANY;
    *deviation = sqrt(squares / MANY - *mean * *mean);
}

TEST(random_distribution_has_its_moments)
{
    needs_float64();
    static const struct {
        fd_random_op op;
        double low, high, mean, deviation;
    } rows[] = {
        {FD_UNIFORM, 0, 1, 0.5, 0.288675},
        {FD_UNIFORM, -3, 5, 1, 2.309401},
        {FD_NORMAL, 0, 1, 0, 1},
        {FD_NORMAL, 10, 0.5, 10, 0.5},
        {FD_EXPONENTIAL, 1, 0, 1, 1},
        {FD_EXPONENTIAL, 4, 0, 0.25, 0.25},
        {FD_BERNOULLI, 0.3, 0, 0.3, 0.458},
        {FD_BERNOULLI, 0, 0, 0, 0},
        {FD_BERNOULLI, 1, 0, 1, 0},
        {FD_INTEGER, 0, 10, 4.5, 2.872281},
        {FD_INTEGER, -6, 1, -3, 2},
    };
    static const fd_dtype dtypes[] = {FD_FLOAT32, FD_FLOAT64, FD_FLOAT16, FD_BFLOAT16};

    for (int64_t row = 0; row < COUNT_OF(rows); row++)
        for (int64_t d = 0; d < COUNT_OF(dtypes); d++) {
            const struct placed out =
                draw(rows[row].op, dtypes[d], real_of(rows[row].low), real_of(rows[row].high));
            double mean, deviation;
            moments(&out, &mean, &deviation);
            ck_assert_double_eq_tol(mean, rows[row].mean, 0.03 * (rows[row].deviation + 0.01));
            ck_assert_double_eq_tol(deviation, rows[row].deviation,
                                    0.03 * (rows[row].deviation + 0.01));
            remove_tensor(&out);
        }
}

TEST(random_uniform_fills_its_range_evenly)
{
    needs_float64();
    static const fd_dtype dtypes[] = {FD_FLOAT16, FD_BFLOAT16, FD_FLOAT32, FD_FLOAT64};

    for (int64_t d = 0; d < COUNT_OF(dtypes); d++) {
        const struct placed out = draw(FD_UNIFORM, dtypes[d], real_of(0), real_of(1));
        int64_t bins[16] = {0};
        double chi = 0;
        for (int64_t i = 0; i < MANY; i++) {
            ck_assert(get(&out, i) >= 0 && get(&out, i) < 1);
            bins[(int)(get(&out, i) * 16)]++;
        }
        for (int bin = 0; bin < 16; bin++)
            chi += pow((double)bins[bin] - MANY / 16.0, 2) / (MANY / 16.0);
        ck_assert_double_lt(chi, 45); /* 15 degrees of freedom: p < 0.0001 beyond 44 */
    }
}

/* For bounds far from zero, a coarse dtype could round many values up to the upper bound. */
TEST(random_uniform_never_gives_the_upper_bound)
{
    const struct placed out = draw(FD_UNIFORM, FD_BFLOAT16, real_of(100), real_of(101));
    for (int64_t i = 0; i < MANY; i++)
        ck_assert(get(&out, i) >= 100 && get(&out, i) < 101);
}

TEST(random_normal_has_normal_tails)
{
    needs_float64();
    const struct placed out = draw(FD_NORMAL, FD_FLOAT64, real_of(0), real_of(1));
    int64_t beyond[4] = {0};

    for (int64_t i = 0; i < MANY; i++)
        for (int sigma = 1; sigma < 4; sigma++)
            beyond[sigma] += fabs(get(&out, i)) > sigma;
    ck_assert_double_eq_tol((double)beyond[1] / MANY, 0.3173, 0.01);
    ck_assert_double_eq_tol((double)beyond[2] / MANY, 0.0455, 0.005);
    ck_assert_double_eq_tol((double)beyond[3] / MANY, 0.0027, 0.0015);
}

TEST(random_exponential_is_positive)
{
    const struct placed out = draw(FD_EXPONENTIAL, FD_FLOAT32, real_of(1), real_of(0));
    for (int64_t i = 0; i < MANY; i++)
        ck_assert(get(&out, i) > 0 && isfinite(get(&out, i)));
}

TEST(random_integers_keep_to_their_range)
{
    const int64_t low = INT64_MIN + 5, high = INT64_MAX - 5;
    const struct placed wide =
        draw(FD_INTEGER, FD_INT64, integer_of_value(low), integer_of_value(high));
    const struct placed all = draw(FD_INTEGER, FD_INT64, integer_of_value(0), integer_of_value(0));
    const struct placed six = draw(FD_INTEGER, FD_UINT8, integer_of_value(1), integer_of_value(7));
    int64_t negative = 0, small_bits = 0, seen[8] = {0};
    for (int64_t i = 0; i < MANY; i++) {
        ck_assert_int_ge(get_int(&wide, i), low);
        ck_assert_int_lt(get_int(&wide, i), high);
        negative += get_int(&all, i) < 0;
        small_bits += get_int(&all, i) & 1;
        ck_assert_int_ge(get_int(&six, i), 1);
        ck_assert_int_le(get_int(&six, i), 6);
        seen[get_int(&six, i)]++;
    }
    ck_assert_double_eq_tol((double)negative / MANY, 0.5, 0.015);
    ck_assert_double_eq_tol((double)small_bits / MANY, 0.5, 0.015);
    for (int face = 1; face <= 6; face++)
        ck_assert_double_eq_tol((double)seen[face] / MANY, 1.0 / 6, 0.015);
}

TEST(random_element_depends_on_its_number_not_on_layout)
{
    const int64_t sizes[] = {3, 5, 40}, part = 7;
    const struct placed reference = place_tensor(CONTIGUOUS, FD_FLOAT32, 3, sizes);
    const struct placed shorter = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, &part);
    const struct fd_random later = {generator.seed, generator.offset + 100};
    ck_assert_ok(fd_kernel_random(test_stream(), FD_NORMAL, &reference.tensor, generator,
                                  real_of(0), real_of(1)));
    for (int layout = 0; layout < OUT_LAYOUTS; layout++) {
        const struct placed out = place_tensor((enum layout)layout, FD_FLOAT32, 3, sizes);
        ck_assert_ok(fd_kernel_random(test_stream(), FD_NORMAL, &out.tensor, generator, real_of(0),
                                      real_of(1)));
        test_sync();
        for (int64_t i = 0; i < 600; i++)
            ck_assert_double_eq(get(&out, i), get(&reference, i));
        ck_assert_surroundings(&out);
    }
    ck_assert_ok(
        fd_kernel_random(test_stream(), FD_NORMAL, &shorter.tensor, later, real_of(0), real_of(1)));
    test_sync();
    for (int64_t i = 0; i < part; i++)
        ck_assert_double_eq(get(&shorter, i), get(&reference, 100 + i));
}

TEST(random_next_draw_after_skip_shares_no_block)
{
    ck_assert_uint_eq(fd_kernel_random_blocks(0), 0);
    ck_assert_uint_ge(fd_kernel_random_blocks(100), 100);
    ck_assert_uint_eq(fd_kernel_random_blocks(-1), 0);
}

TEST(random_wrong_parameters_are_refused)
{
    const int64_t size = 4;
    const struct placed out = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, &size);
    const struct placed integers = place_tensor(CONTIGUOUS, FD_INT32, 1, &size);
    const struct placed numbers = place_tensor(CONTIGUOUS, FD_COMPLEX64, 1, &size);
    static const struct {
        fd_random_op op;
        double low, high;
    } rows[] = {{FD_UNIFORM, 1, 0},    {FD_UNIFORM, -INFINITY, 0}, {FD_NORMAL, 0, -1},
                {FD_NORMAL, 0, NAN},   {FD_BERNOULLI, 1.5, 0},     {FD_BERNOULLI, NAN, 0},
                {FD_EXPONENTIAL, 0, 0}};
    for (int64_t i = 0; i < COUNT_OF(rows); i++)
        ck_assert_status(fd_kernel_random(test_stream(), rows[i].op, &out.tensor, generator,
                                          real_of(rows[i].low), real_of(rows[i].high)),
                         FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_random(test_stream(), FD_UNIFORM, &integers.tensor, generator,
                                      real_of(0), real_of(1)),
                     FD_ERROR_NOT_SUPPORTED);
    ck_assert_status(fd_kernel_random(test_stream(), FD_NORMAL, &numbers.tensor, generator,
                                      real_of(0), real_of(1)),
                     FD_ERROR_NOT_SUPPORTED);
}

TEST(randperm_is_a_permutation_and_moves_things)
{
    const int64_t size = 1000;
    const struct placed out = place_tensor(STEPPED, FD_INT64, 1, &size);
    const struct placed narrow = place_tensor(CONTIGUOUS, FD_INT32, 1, &size);
    int64_t seen[1000] = {0}, fixed = 0;
    ck_assert_ok(fd_kernel_randperm(test_stream(), &out.tensor, generator));
    test_sync();
    for (int64_t i = 0; i < size; i++) {
        ck_assert_int_ge(get_int(&out, i), 0);
        ck_assert_int_lt(get_int(&out, i), size);
        ck_assert_int_eq(seen[get_int(&out, i)]++, 0);
        fixed += get_int(&out, i) == i;
    }
    ck_assert_int_lt(fixed, 8);
    ck_assert_surroundings(&out);
    ck_assert_status(fd_kernel_randperm(test_stream(), &narrow.tensor, generator),
                     FD_ERROR_INVALID_VALUE);
}

/* All permutations of three elements are equally frequent. */
TEST(randperm_favours_no_order)
{
    const int64_t three = 3;
    const struct placed out = place_tensor(CONTIGUOUS, FD_INT64, 1, &three);
    int64_t orders[9] = {0};
    for (uint64_t i = 0; i < 1200; i++) {
        ck_assert_ok(fd_kernel_randperm(test_stream(), &out.tensor, (struct fd_random){5, 3 * i}));
        test_sync();
        orders[get_int(&out, 0) * 3 + get_int(&out, 1)]++;
    }
    for (int order = 0; order < 9; order++)
        if (order % 4 != 0)
            ck_assert_double_eq_tol((double)orders[order], 200, 50);
}
