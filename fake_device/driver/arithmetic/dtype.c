/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of dtypes. A narrowing store drops high bits of integers and rounds floats to nearest
 * even.
 */
#include "dtype.h"

#include <math.h>
#include <string.h>

__extension__ typedef _Float16 half;

static float float_of_bfloat16(uint16_t value)
{
    const uint32_t bits = (uint32_t)value << 16;
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

static uint16_t bfloat16_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        return (uint16_t)(bits >> 16 | 0x40); /* rounding could turn this NaN into infinity */
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

/* Defines one dtype: `widen` converts an element in memory to a `computed` element, `narrow`
 * converts it back. */
#define DTYPE(load, store, memory, computed, widen, narrow)                                        \
    static void load(const char *from, int64_t stride, size_t count, void *elements)               \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            memory value;                                                                          \
            memcpy(&value, from + (int64_t)i * stride, sizeof value);                              \
            ((computed *)elements)[i] = widen(value);                                              \
        }                                                                                          \
    }                                                                                              \
    static void store(const void *elements, size_t count, char *to, int64_t stride)                \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            const memory value = narrow(((const computed *)elements)[i]);                          \
            memcpy(to + (int64_t)i * stride, &value, sizeof value);                                \
        }                                                                                          \
    }

DTYPE(load_uint8, store_uint8, uint8_t, uint64_t, (uint64_t), (uint8_t))
DTYPE(load_uint16, store_uint16, uint16_t, uint64_t, (uint64_t), (uint16_t))
DTYPE(load_uint32, store_uint32, uint32_t, uint64_t, (uint64_t), (uint32_t))
DTYPE(load_uint64, store_uint64, uint64_t, uint64_t, (uint64_t), (uint64_t))
DTYPE(load_int8, store_int8, int8_t, int64_t, (int64_t), (int8_t))
DTYPE(load_int16, store_int16, int16_t, int64_t, (int64_t), (int16_t))
DTYPE(load_int32, store_int32, int32_t, int64_t, (int64_t), (int32_t))
DTYPE(load_int64, store_int64, int64_t, int64_t, (int64_t), (int64_t))
DTYPE(load_bool, store_bool, uint8_t, uint64_t, 0 !=, 0 !=)
DTYPE(load_float16, store_float16, half, float, (float), (half))
DTYPE(load_bfloat16, store_bfloat16, uint16_t, float, float_of_bfloat16, bfloat16_of_float)
DTYPE(load_float32, store_float32, float, float, (float), (float))
DTYPE(load_float64, store_float64, double, double, (double), (double))
DTYPE(load_complex64, store_complex64, float _Complex, float _Complex, , )
DTYPE(load_complex128, store_complex128, double _Complex, double _Complex, , )

static const struct fd_dtype_info dtypes[FD_DTYPE_COUNT] = {
    [FD_UINT8] = {"uint8", 1, FD_CLASS_UINT64, load_uint8, store_uint8},
    [FD_INT8] = {"int8", 1, FD_CLASS_INT64, load_int8, store_int8},
    [FD_INT16] = {"int16", 2, FD_CLASS_INT64, load_int16, store_int16},
    [FD_INT32] = {"int32", 4, FD_CLASS_INT64, load_int32, store_int32},
    [FD_INT64] = {"int64", 8, FD_CLASS_INT64, load_int64, store_int64},
    [FD_FLOAT16] = {"float16", 2, FD_CLASS_FLOAT32, load_float16, store_float16},
    [FD_FLOAT32] = {"float32", 4, FD_CLASS_FLOAT32, load_float32, store_float32},
    [FD_FLOAT64] = {"float64", 8, FD_CLASS_FLOAT64, load_float64, store_float64},
    [FD_COMPLEX64] = {"complex64", 8, FD_CLASS_COMPLEX64, load_complex64, store_complex64},
    [FD_COMPLEX128] = {"complex128", 16, FD_CLASS_COMPLEX128, load_complex128, store_complex128},
    [FD_BOOL] = {"bool", 1, FD_CLASS_BOOL, load_bool, store_bool},
    [FD_BFLOAT16] = {"bfloat16", 2, FD_CLASS_FLOAT32, load_bfloat16, store_bfloat16},
    [FD_UINT16] = {"uint16", 2, FD_CLASS_UINT64, load_uint16, store_uint16},
    [FD_UINT32] = {"uint32", 4, FD_CLASS_UINT64, load_uint32, store_uint32},
    [FD_UINT64] = {"uint64", 8, FD_CLASS_UINT64, load_uint64, store_uint64},
};

size_t fd_dtype_size(fd_dtype dtype)
{
    const struct fd_dtype_info *info = fd_dtype_get(dtype);
    return info ? info->size : 0;
}

const struct fd_dtype_info *fd_dtype_get(fd_dtype dtype)
{
    return dtype >= 0 && dtype < FD_DTYPE_COUNT ? &dtypes[dtype] : NULL;
}

fd_dtype fd_dtype_raw(fd_dtype dtype)
{
    static const fd_dtype by_size[] = {
        [1] = FD_UINT8, [2] = FD_UINT16, [4] = FD_UINT32, [8] = FD_UINT64, [16] = FD_COMPLEX128};
    return by_size[fd_dtype_size(dtype)];
}

void fd_load_as(const struct fd_dtype_info *dtype, enum fd_class class, const char *from,
                int64_t stride, size_t count, void *elements)
{
    union fd_buffer natural;
    if (dtype->class == class) {
        dtype->load(from, stride, count, elements);
        return;
    }
    dtype->load(from, stride, count, &natural);
    fd_arith_of(dtype->class)->convert[class](&natural, elements, count);
}

void fd_store_from(const struct fd_dtype_info *dtype, enum fd_class class, const void *elements,
                   size_t count, char *to, int64_t stride)
{
    union fd_buffer natural;
    if (dtype->class == class) {
        dtype->store(elements, count, to, stride);
        return;
    }
    fd_arith_of(class)->convert[dtype->class](elements, &natural, count);
    dtype->store(&natural, count, to, stride);
}
