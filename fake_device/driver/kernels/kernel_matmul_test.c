/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares matrix products with a simple triple loop, also at the edges of the tiles.
 */
#include "kernel_test_support.h"
#include "unit_test.h"

static double product_at(const struct placed *a, const struct placed *b, int64_t batch, int64_t row,
                         int64_t column)
{
    const int32_t leading = a->tensor.dims - 2;
    const int64_t rows = a->tensor.sizes[leading], depth = a->tensor.sizes[leading + 1];
    const int64_t columns = b->tensor.sizes[leading + 1];
    double sum = 0;
    for (int64_t k = 0; k < depth; k++)
        sum += get(a, (batch * rows + row) * depth + k) *
               get(b, (batch * depth + k) * columns + column);
    return sum;
}

/* The samples are small, so every sum is exact in the wide class. */
static void check_matmul(fd_dtype dtype, int64_t rows, int64_t depth, int64_t columns,
                         enum layout a_layout, enum layout b_layout, enum layout out_layout)
{
    const int64_t a_sizes[] = {rows, depth}, b_sizes[] = {depth, columns};
    const int64_t out_sizes[] = {rows, columns};
    const struct placed a = place_tensor(a_layout, dtype, 2, a_sizes);
    const struct placed b = place_tensor(b_layout, dtype, 2, b_sizes);
    const struct placed out = place_tensor(out_layout, dtype, 2, out_sizes);
    put_samples(&a, 1);
    put_samples(&b, 2);
    ck_assert_ok(
        fd_kernel_matmul(test_stream(), &out.tensor, &a.tensor, &b.tensor, real_of(1), real_of(0)));
    test_sync();
    for (int64_t i = 0; i < rows * columns; i++) {
        const double demanded = product_at(&a, &b, 0, i / columns, i % columns);
        const int64_t wrapped = (int64_t)demanded;
        char memory[16];
        double value = as_dtype(dtype, demanded);
        if (!is_floating(dtype)) {
            fd_store_from(fd_dtype_get(dtype), FD_CLASS_INT64, &wrapped, 1, memory, 0);
            fd_load_as(fd_dtype_get(dtype), FD_CLASS_FLOAT64, memory, 0, 1, &value);
        }
        ck_assert_msg(get(&out, i) == value, "%s %lldx%lldx%lld [%lld]: %g, not %g",
                      fd_dtype_get(dtype)->name, (long long)rows, (long long)depth,
                      (long long)columns, (long long)i, get(&out, i), value);
    }
    ck_assert_surroundings(&out);
    remove_tensor(&a);
    remove_tensor(&b);
    remove_tensor(&out);
}

TEST(matmul_sizes_around_tiles_equal_host)
{
    static const int64_t sizes[][3] = {{1, 1, 1},     {2, 3, 4},    {32, 128, 64}, {33, 129, 65},
                                       {31, 127, 63}, {64, 7, 130}, {1, 300, 1},   {5, 1, 70}};
    for (int64_t i = 0; i < COUNT_OF(sizes); i++)
        check_matmul(FD_FLOAT32, sizes[i][0], sizes[i][1], sizes[i][2], CONTIGUOUS, CONTIGUOUS,
                     CONTIGUOUS);
}

TEST(matmul_each_dtype_equals_host)
{
    needs_float64();
    for (fd_dtype dtype = 0; dtype < FD_DTYPE_COUNT; dtype++)
        if (!is_complex(dtype) && dtype != FD_BOOL)
            check_matmul(dtype, 9, 140, 67, (enum layout)(dtype % IN_LAYOUTS), TRANSPOSED, STEPPED);
}

TEST(matmul_each_layout_equals_host)
{
    needs_float64();
    for (int a = 0; a < IN_LAYOUTS; a++)
        for (int b = 0; b < IN_LAYOUTS; b++)
            check_matmul(FD_FLOAT64, 5, 6, 7, (enum layout)a, (enum layout)b,
                         (enum layout)((a + b) % OUT_LAYOUTS));
}

TEST(matmul_batch_scales_and_adds)
{
    needs_float64();
    const int64_t a_sizes[] = {3, 4, 5}, b_sizes[] = {3, 5, 6}, out_sizes[] = {3, 4, 6};
    const struct placed a = place_tensor(TRANSPOSED, FD_FLOAT64, 3, a_sizes);
    const struct placed b = place_tensor(EXPANDED, FD_FLOAT64, 3, b_sizes);
    const struct placed out = place_tensor(OFFSET, FD_FLOAT64, 3, out_sizes);

    put_samples(&a, 1);
    put_samples(&b, 2);
    for (int64_t i = 0; i < 72; i++)
        put(&out, i, (double)i);
    ck_assert_ok(fd_kernel_matmul(test_stream(), &out.tensor, &a.tensor, &b.tensor, real_of(0.5),
                                  integer_of_value(-2)));
    test_sync();
    for (int64_t i = 0; i < 72; i++)
        ck_assert_double_eq(get(&out, i),
                            0.5 * product_at(&a, &b, i / 24, i / 6 % 4, i % 6) - 2.0 * (double)i);
    ck_assert_surroundings(&out);
}

TEST(matmul_complex_equals_host)
{
    const int64_t sizes[] = {3, 3};
    const struct placed a = place_tensor(CONTIGUOUS, FD_COMPLEX64, 2, sizes);
    const struct placed b = place_tensor(TRANSPOSED, FD_COMPLEX64, 2, sizes);
    const struct placed out = place_tensor(STEPPED, FD_COMPLEX64, 2, sizes);
    put_samples(&a, 1);
    put_samples(&b, 2);
    ck_assert_ok(fd_kernel_matmul(test_stream(), &out.tensor, &a.tensor, &b.tensor,
                                  (struct fd_scalar){.real = 0, .imaginary = 1}, real_of(0)));
    test_sync();
    for (int64_t i = 0; i < 9; i++) {
        double _Complex sum = 0;
        for (int64_t k = 0; k < 3; k++)
            sum += get_complex(&a, i / 3 * 3 + k) * get_complex(&b, k * 3 + i % 3);
        ck_assert_double_le(cabs(get_complex(&out, i) - I * sum), 1e-5);
    }
}

static double product_onto_nan(double beta)
{
    const int64_t sizes[] = {2, 2};
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 2, sizes);
    const struct placed out = place_tensor(CONTIGUOUS, FD_FLOAT32, 2, sizes);
    ck_assert_ok(fd_kernel_fill(test_stream(), &a.tensor, real_of(1)));
    ck_assert_ok(fd_kernel_fill(test_stream(), &out.tensor, real_of(beta == 0 ? (double)NAN : 3)));
    ck_assert_ok(fd_kernel_matmul(test_stream(), &out.tensor, &a.tensor, &a.tensor, real_of(1),
                                  real_of(beta)));
    test_sync();
    return get(&out, 3);
}

TEST(matmul_with_beta_zero_does_not_read_the_output)
{
    ck_assert_double_eq(product_onto_nan(0), 2);
    ck_assert_double_eq(product_onto_nan(1), 5);
}

TEST(matmul_with_inner_size_zero_gives_beta_times_output)
{
    const struct fd_tensor a = {NULL, FD_FLOAT32, 2, {2, 0}, {0, 1}};
    const struct fd_tensor b = {NULL, FD_FLOAT32, 2, {0, 3}, {3, 1}};
    const int64_t sizes[] = {2, 3};
    const struct placed out = place_tensor(CONTIGUOUS, FD_FLOAT32, 2, sizes);
    put_samples(&out, 0);
    const double before = get(&out, 5);
    ck_assert_ok(fd_kernel_matmul(test_stream(), &out.tensor, &a, &b, real_of(1), real_of(2)));
    test_sync();
    ck_assert_double_eq(get(&out, 5), 2 * before);
    ck_assert_ok(fd_kernel_matmul(test_stream(), &out.tensor, &a, &b, real_of(1), real_of(0)));
    test_sync();
    ck_assert_double_eq(get(&out, 5), 0);
}

TEST(matmul_wrong_shapes_are_refused)
{
    const int64_t sizes[] = {2, 3}, batch[] = {2, 2, 3}, line[] = {3};
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 2, sizes);
    const struct placed b = place_tensor(CONTIGUOUS, FD_FLOAT32, 3, batch);
    const struct placed c = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, line);
    ck_assert_status(
        fd_kernel_matmul(test_stream(), &a.tensor, &a.tensor, &a.tensor, real_of(1), real_of(0)),
        FD_ERROR_INVALID_VALUE);
    ck_assert_status(
        fd_kernel_matmul(test_stream(), &a.tensor, &a.tensor, &b.tensor, real_of(1), real_of(0)),
        FD_ERROR_INVALID_VALUE);
    ck_assert_status(
        fd_kernel_matmul(test_stream(), &c.tensor, &c.tensor, &c.tensor, real_of(1), real_of(0)),
        FD_ERROR_INVALID_VALUE);
}
