/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests elements in memory: bit patterns, rounding, conversions between any two dtypes.
 */
#include "driver_test.h"
#include "dtype.h"

#include <math.h>
#include <string.h>

static uint64_t bits_of(fd_dtype dtype, double value)
{
    uint64_t bits = 0;
    fd_store_from(fd_dtype_get(dtype), FD_CLASS_FLOAT64, &value, 1, (char *)&bits, 0);
    return bits;
}

TEST(dtype_size_of_each_is_that_of_pytorch)
{
    static const size_t sizes[FD_DTYPE_COUNT] = {1, 1, 2, 4, 8, 2, 4, 8, 8, 16, 1, 2, 2, 4, 8};
    for (fd_dtype dtype = 0; dtype < FD_DTYPE_COUNT; dtype++)
        ck_assert_uint_eq(fd_dtype_size(dtype), sizes[dtype]);
    ck_assert_uint_eq(fd_dtype_size(-1), 0);
    ck_assert_uint_eq(fd_dtype_size(FD_DTYPE_COUNT), 0);
}

TEST(store_float_gives_known_bits)
{
    static const struct {
        fd_dtype dtype;
        double value;
        uint64_t bits;
    } rows[] = {
        {FD_FLOAT16, 1, 0x3C00},
        {FD_FLOAT16, -2, 0xC000},
        {FD_FLOAT16, 65504, 0x7BFF},
        {FD_FLOAT16, 65520, 0x7C00},
        {FD_FLOAT16, 0x1p-24, 0x0001},
        {FD_FLOAT16, 0x1p-25, 0x0000},
        {FD_FLOAT16, 2049, 0x6800},
        {FD_FLOAT16, 2051, 0x6802},
        {FD_BFLOAT16, 1, 0x3F80},
        {FD_BFLOAT16, -0.0, 0x8000},
        {FD_BFLOAT16, 257, 0x4380},
        {FD_BFLOAT16, 259, 0x4382},
        {FD_BFLOAT16, INFINITY, 0x7F80},
        {FD_BFLOAT16, 3.4e38, 0x7F80},
        {FD_FLOAT32, 0.1, 0x3DCCCCCD},
        {FD_FLOAT64, 0.1, 0x3FB999999999999A},
        {FD_BOOL, 0.25, 1},
        {FD_BOOL, 0, 0},
        {FD_UINT8, 300, 44},
        {FD_UINT8, -1, 255},
        {FD_UINT8, 7.9, 7},
        {FD_INT8, -7.9, 0xF9},
        {FD_INT8, 200, 0xC8},
        {FD_INT32, -1.5, 0xFFFFFFFF},
        {FD_INT64, -0.5, 0},
        {FD_UINT64, 0x1p63, 0x8000000000000000},
        {FD_INT64, 1e300, 0x8000000000000000},
        {FD_UINT16, 65537, 1},
        {FD_UINT32, 4294967295.0, 0xFFFFFFFF},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint64_t seen = bits_of(rows[i].dtype, rows[i].value);
        ck_assert_msg(seen == rows[i].bits, "%g as %s is %llx, not %llx", rows[i].value,
                      fd_dtype_get(rows[i].dtype)->name, (unsigned long long)seen,
                      (unsigned long long)rows[i].bits);
    }
}

TEST(store_nan_stays_nan)
{
    ck_assert_uint_gt(bits_of(FD_FLOAT16, NAN) & 0x7FFF, 0x7C00);
    ck_assert_uint_gt(bits_of(FD_BFLOAT16, NAN) & 0x7FFF, 0x7F80);
    ck_assert_uint_eq(bits_of(FD_BOOL, NAN), 1);

    const uint32_t low_payload = 0x7F800001; /* rounding alone would turn this NaN into infinity */
    float value;
    uint16_t bits = 0;
    memcpy(&value, &low_payload, sizeof value);
    fd_store_from(fd_dtype_get(FD_BFLOAT16), FD_CLASS_FLOAT32, &value, 1, (char *)&bits, 0);
    ck_assert_uint_gt(bits & 0x7FFF, 0x7F80);
}

/* Every 16-bit pattern is unchanged by a load into the computed class and a store back. */
TEST(load_16_bits_then_store_gives_them_back)
{
    static const fd_dtype dtypes[] = {FD_FLOAT16, FD_BFLOAT16, FD_INT16, FD_UINT16};
    for (size_t d = 0; d < 4; d++)
        for (uint32_t bits = 0; bits < 65536; bits++) {
            const struct fd_dtype_info *info = fd_dtype_get(dtypes[d]);
            const uint16_t before = (uint16_t)bits;
            uint16_t after = 0;
            double element;
            fd_load_as(info, FD_CLASS_FLOAT64, (const char *)&before, 0, 1, &element);
            fd_store_from(info, FD_CLASS_FLOAT64, &element, 1, (char *)&after, 0);
            ck_assert_msg(after == before || isnan(element), "%s %x became %x", info->name, before,
                          after);
        }
}

TEST(load_bool_of_any_byte_is_0_or_1)
{
    const unsigned char bytes[3] = {0, 1, 77};
    uint64_t elements[3];
    fd_dtype_get(FD_BOOL)->load((const char *)bytes, 1, 3, elements);
    ck_assert_uint_eq(elements[0], 0);
    ck_assert_uint_eq(elements[1], 1);
    ck_assert_uint_eq(elements[2], 1);
}

TEST(convert_large_integer_keeps_what_fits)
{
    const int64_t large = INT64_C(0x1122334455667788);
    int64_t back = 0;
    uint32_t narrow = 0;
    char memory[8];
    fd_store_from(fd_dtype_get(FD_INT64), FD_CLASS_INT64, &large, 1, memory, 0);
    fd_load_as(fd_dtype_get(FD_INT64), FD_CLASS_INT64, memory, 0, 1, &back);
    ck_assert_int_eq(back, large);
    fd_store_from(fd_dtype_get(FD_UINT32), FD_CLASS_INT64, &large, 1, (char *)&narrow, 0);
    ck_assert_uint_eq(narrow, 0x55667788);
}

TEST(convert_complex_to_real_drops_imaginary_part)
{
    const double value[2] = {-2.5, 9};
    int64_t integer = 0;
    double real = 0;
    uint64_t truth = 0;
    const double only_imaginary[2] = {0, 1};
    fd_arith_complex128.convert[FD_CLASS_INT64](value, &integer, 1);
    fd_arith_complex128.convert[FD_CLASS_FLOAT64](value, &real, 1);
    fd_arith_complex128.convert[FD_CLASS_BOOL](only_imaginary, &truth, 1);
    ck_assert_int_eq(integer, -2);
    ck_assert_double_eq(real, -2.5);
    ck_assert_uint_eq(truth, 1);
}

TEST(load_with_negative_stride_reads_backwards)
{
    const int16_t memory[4] = {1, 2, 3, 4};
    int64_t elements[4];
    fd_dtype_get(FD_INT16)->load((const char *)&memory[3], -2, 4, elements);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(elements[i], 4 - i);
}

TEST(raw_dtype_keeps_size)
{
    for (fd_dtype dtype = 0; dtype < FD_DTYPE_COUNT; dtype++)
        ck_assert_uint_eq(fd_dtype_size(fd_dtype_raw(dtype)), fd_dtype_size(dtype));
}
