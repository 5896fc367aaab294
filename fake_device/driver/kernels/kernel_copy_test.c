/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests copies between all dtypes and layouts, fill, and arange.
 */
#include "kernel_test_support.h"
#include "unit_test.h"

static const int64_t shape[] = {2, 3, 150};
#define DIMS 3
#define ELEMENTS 900

/* Converts a value by PyTorch's rules, without the driver's tables. */
static double converted(fd_dtype dtype, double value)
{
    switch (dtype) {
    case FD_BOOL:
        return value != 0;
    case FD_UINT8:
        return (uint8_t)(int64_t)value;
    case FD_UINT16:
        return (uint16_t)(int64_t)value;
    case FD_UINT32:
        return (uint32_t)(int64_t)value;
    case FD_UINT64:
        return (double)(uint64_t)(int64_t)value;
    case FD_INT8:
    case FD_INT16:
    case FD_INT32:
    case FD_INT64:
        return trunc(value);
    default:
        return value; /* every float dtype represents the samples exactly */
    }
}

static void check_copy(fd_dtype to, fd_dtype from, enum layout in_layout, enum layout out_layout)
{
    const struct placed in = place_tensor(in_layout, from, DIMS, shape);
    const struct placed out = place_tensor(out_layout, to, DIMS, shape);
    put_samples(&in, to);
    ck_assert_ok(fd_kernel_copy(test_stream(), &out.tensor, &in.tensor));
    test_sync();
    for (int64_t i = 0; i < ELEMENTS; i++) {
        const double _Complex x = get_complex(&in, i), seen = get_complex(&out, i);
        const double demanded = to == FD_BOOL ? x != 0 : converted(to, creal(x));
        ck_assert_msg(creal(seen) == demanded, "%s %g as %s is %g, not %g",
                      fd_dtype_get(from)->name, creal(x), fd_dtype_get(to)->name, creal(seen),
                      demanded);
        ck_assert_double_eq(cimag(seen), is_complex(to) ? cimag(x) : 0);
    }
    ck_assert_surroundings(&out);
    remove_tensor(&in);
    remove_tensor(&out);
}

TEST(copy_any_dtype_to_any_other_converts)
{
    needs_float64();
    for (fd_dtype to = 0; to < FD_DTYPE_COUNT; to++)
        for (fd_dtype from = 0; from < FD_DTYPE_COUNT; from++)
            check_copy(to, from, (enum layout)((to + from) % IN_LAYOUTS),
                       (enum layout)((to * 2 + from) % OUT_LAYOUTS));
}

TEST(copy_any_layout_to_any_other_keeps_values)
{
    needs_float64();
    for (int in = 0; in < IN_LAYOUTS; in++)
        for (int out = 0; out < OUT_LAYOUTS; out++) {
            check_copy(FD_FLOAT32, FD_FLOAT32, (enum layout)in, (enum layout)out);
            check_copy(FD_COMPLEX128, FD_INT8, (enum layout)in, (enum layout)out);
        }
}

TEST(copy_of_one_dtype_keeps_every_bit)
{
    needs_float64();
    static const fd_dtype dtypes[] = {FD_FLOAT16, FD_BFLOAT16, FD_FLOAT32, FD_FLOAT64, FD_BOOL};
    const int64_t size = 4;

    for (int64_t d = 0; d < COUNT_OF(dtypes); d++) {
        const struct placed in = place_tensor(STEPPED, dtypes[d], 1, &size);
        const struct placed out = place_tensor(OFFSET, dtypes[d], 1, &size);
        for (int64_t i = 0; i < size; i++) /* some of these patterns are signalling NaNs */
            memset(element_at(&in, i), i == 0 ? 0x7F : 0xF0 + (int)i, fd_dtype_size(dtypes[d]));
        ck_assert_ok(fd_kernel_copy(test_stream(), &out.tensor, &in.tensor));
        test_sync();
        for (int64_t i = 0; i < size; i++)
            ck_assert_mem_eq(element_at(&out, i), element_at(&in, i), fd_dtype_size(dtypes[d]));
    }
}

TEST(copy_broadcasts)
{
    const int64_t row[] = {150}, column[] = {3, 1};
    const struct placed out = place_tensor(TRANSPOSED, FD_INT32, DIMS, shape);
    const struct placed in = place_tensor(CONTIGUOUS, FD_INT64, 1, row);
    const struct placed in2 = place_tensor(CONTIGUOUS, FD_UINT8, 2, column);
    put_samples(&in, 4);
    put_samples(&in2, 4);
    ck_assert_ok(fd_kernel_copy(test_stream(), &out.tensor, &in.tensor));
    test_sync();
    for (int64_t i = 0; i < ELEMENTS; i++)
        ck_assert_int_eq(get_int(&out, i), get_int(&in, i % 150));
    ck_assert_ok(fd_kernel_copy(test_stream(), &out.tensor, &in2.tensor));
    test_sync();
    for (int64_t i = 0; i < ELEMENTS; i++)
        ck_assert_int_eq(get_int(&out, i), get_int(&in2, i / 150 % 3));
}

TEST(copy_scalar_and_onto_itself_work)
{
    needs_float64();
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT64, 0, NULL);
    const struct placed b = place_tensor(CONTIGUOUS, FD_INT8, 0, NULL);

    put(&a, 0, -3.9);
    ck_assert_ok(fd_kernel_copy(test_stream(), &a.tensor, &a.tensor));
    ck_assert_ok(fd_kernel_copy(test_stream(), &b.tensor, &a.tensor));
    test_sync();
    ck_assert_double_eq(get(&a, 0), -3.9);
    ck_assert_int_eq(get_int(&b, 0), -3);
}

TEST(fill_writes_the_elements_and_nothing_else)
{
    needs_float64();
    for (fd_dtype dtype = 0; dtype < FD_DTYPE_COUNT; dtype++)
        for (int layout = 0; layout < OUT_LAYOUTS; layout++) {
            const struct placed out = place_tensor((enum layout)layout, dtype, DIMS, shape);
            const struct fd_scalar value = {.real = 2.5, .imaginary = -1};
            ck_assert_ok(fd_kernel_fill(test_stream(), &out.tensor, value));
            test_sync();
            for (int64_t i = 0; i < ELEMENTS; i++) {
                ck_assert_double_eq(get(&out, i), converted(dtype, 2.5));
                ck_assert_double_eq(cimag(get_complex(&out, i)), is_complex(dtype) ? -1 : 0);
            }
            ck_assert_surroundings(&out);
            remove_tensor(&out);
        }
}

TEST(fill_with_integer_keeps_all_bits)
{
    const int64_t size = 3;
    const struct placed out = place_tensor(CONTIGUOUS, FD_INT64, 1, &size);
    ck_assert_ok(fd_kernel_fill(test_stream(), &out.tensor, integer_of_value(INT64_MAX - 1)));
    test_sync();
    ck_assert_int_eq(get_int(&out, 2), INT64_MAX - 1);
}

TEST(arange_counts_from_start_by_step)
{
    const int64_t size = 600;
    const struct placed integers = place_tensor(STEPPED, FD_INT64, 1, &size);
    const struct placed floats = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, &size);
    const struct placed matrix = place_tensor(CONTIGUOUS, FD_FLOAT32, DIMS, shape);
    const int64_t large = (INT64_C(1) << 60) + 1;
    ck_assert_ok(fd_kernel_arange(test_stream(), &integers.tensor, integer_of_value(large),
                                  integer_of_value(-3)));
    ck_assert_ok(fd_kernel_arange(test_stream(), &floats.tensor, real_of(0.5), real_of(0.1)));
    test_sync();
    for (int64_t i = 0; i < size; i++) {
        ck_assert_int_eq(get_int(&integers, i), large - 3 * i);
        ck_assert_double_eq(get(&floats, i), (double)(float)(0.5 + 0.1 * (double)i));
    }
    ck_assert_surroundings(&integers);
    ck_assert_status(fd_kernel_arange(test_stream(), &matrix.tensor, real_of(0), real_of(1)),
                     FD_ERROR_INVALID_VALUE);
}
