/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Helpers shared by the kernel tests: tensors in device memory in every layout, element access by
 * position, and a check that no byte outside a tensor's elements was written.
 */
#ifndef FD_KERNEL_TEST_SUPPORT_H
#define FD_KERNEL_TEST_SUPPORT_H

#include <complex.h>
#include <math.h>
#include <string.h>

#include "driver_test.h"
#include "dtype.h"
#include "fakedev_kernels.h"
#include "tensor_walk.h"

#define SURROUNDINGS 0x5A
#define MARGIN 64 /* bytes around a tensor */
#define COUNT_OF(array) ((int64_t)(sizeof(array) / sizeof(array)[0]))

enum layout {
    CONTIGUOUS,
    TRANSPOSED,
    STEPPED,
    OFFSET,
    OUT_LAYOUTS,
    EXPANDED = OUT_LAYOUTS,
    NEGATIVE,
    IN_LAYOUTS
};

struct placed {
    struct fd_tensor tensor;
    char *origin; /* alias of data */
    char *block;  /* driver's alias of the block */
    size_t size;
};

static inline fd_stream *test_stream(void)
{
    fd_stream *stream = NULL;
    ck_assert_ok(fd_stream_default(0, &stream));
    return stream;
}

static inline void test_sync(void)
{
    ck_assert_ok(fd_stream_synchronize(test_stream()));
}

static inline struct fd_scalar real_of(double value)
{
    return (struct fd_scalar){.real = value};
}

static inline struct fd_scalar integer_of_value(int64_t value)
{
    return (struct fd_scalar){.integer = value, .is_integer = 1};
}

/* Sets the strides of the layout. Returns the position of element 0, in elements. */
static inline int64_t lay_out(struct fd_tensor *tensor, enum layout layout)
{
    int64_t step = layout == STEPPED ? 2 : 1, start = layout == OFFSET ? 3 : 0;
    for (int32_t i = 0; i < tensor->dims; i++) {
        const int32_t dim = layout == TRANSPOSED ? i : tensor->dims - 1 - i;
        tensor->strides[dim] = step;
        step *= tensor->sizes[dim] > 0 ? tensor->sizes[dim] : 1;
    }
    if (tensor->dims > 0 && layout == EXPANDED)
        tensor->strides[0] = 0;
    if (tensor->dims > 0 && layout == NEGATIVE && fd_tensor_count(tensor) > 0) {
        const int32_t last = tensor->dims - 1;
        start = tensor->strides[last] * (tensor->sizes[last] - 1);
        tensor->strides[last] = -tensor->strides[last];
    }
    return start;
}

static inline struct placed place_tensor(enum layout layout, fd_dtype dtype, int32_t dims,
                                         const int64_t *sizes)
{
    struct placed placed = {.tensor = {.dtype = dtype, .dims = dims}};
    const size_t size = fd_dtype_size(dtype);
    void *pointer = NULL, *alias = NULL;
    for (int32_t dim = 0; dim < dims; dim++)
        placed.tensor.sizes[dim] = sizes[dim];
    const size_t start = (size_t)lay_out(&placed.tensor, layout);
    placed.size = 2 * MARGIN + (2 * (size_t)fd_tensor_count(&placed.tensor) + 8) * size;
    ck_assert_ok(fd_memory_allocate(0, placed.size, test_stream(), &pointer));
    ck_assert_ok(fd_memory_alias(pointer, placed.size, &alias));
    memset(alias, SURROUNDINGS, placed.size);
    placed.block = alias;
    placed.tensor.data = (char *)pointer + MARGIN + start * size;
    placed.origin = placed.block + MARGIN + start * size;
    return placed;
}

static inline void remove_tensor(const struct placed *placed)
{
    struct fd_block block;
    ck_assert_ok(fd_memory_find((const char *)placed->tensor.data, &block));
    ck_assert_ok(fd_memory_free(block.base));
}

/* Address of the element with this row-major number. */
static inline char *element_at(const struct placed *placed, int64_t number)
{
    const struct fd_tensor *tensor = &placed->tensor;
    int64_t place = 0;
    for (int32_t dim = tensor->dims - 1; dim >= 0; dim--) {
        place += number % tensor->sizes[dim] * tensor->strides[dim];
        number /= tensor->sizes[dim];
    }
    return placed->origin + place * (int64_t)fd_dtype_size(tensor->dtype);
}

static inline void put_complex(const struct placed *placed, int64_t number, double _Complex value)
{
    fd_store_from(fd_dtype_get(placed->tensor.dtype), FD_CLASS_COMPLEX128, &value, 1,
                  element_at(placed, number), 0);
}

static inline double _Complex get_complex(const struct placed *placed, int64_t number)
{
    double _Complex value = 0;
    fd_load_as(fd_dtype_get(placed->tensor.dtype), FD_CLASS_COMPLEX128, element_at(placed, number),
               0, 1, &value);
    return value;
}

static inline void put(const struct placed *placed, int64_t number, double value)
{
    put_complex(placed, number, value);
}

static inline double get(const struct placed *placed, int64_t number)
{
    return creal(get_complex(placed, number));
}

static inline void put_int(const struct placed *placed, int64_t number, int64_t value)
{
    fd_store_from(fd_dtype_get(placed->tensor.dtype), FD_CLASS_INT64, &value, 1,
                  element_at(placed, number), 0);
}

static inline int64_t get_int(const struct placed *placed, int64_t number)
{
    int64_t value = 0;
    fd_load_as(fd_dtype_get(placed->tensor.dtype), FD_CLASS_INT64, element_at(placed, number), 0, 1,
               &value);
    return value;
}

/* Returns `value` after it is stored as `dtype` and loaded again. */
static inline double as_dtype(fd_dtype dtype, double value)
{
    char memory[16];
    double result;
    fd_store_from(fd_dtype_get(dtype), FD_CLASS_FLOAT64, &value, 1, memory, 0);
    fd_load_as(fd_dtype_get(dtype), FD_CLASS_FLOAT64, memory, 0, 1, &result);
    return result;
}

static inline int is_floating(fd_dtype dtype)
{
    const enum fd_class class = fd_dtype_get(dtype)->class;
    return class == FD_CLASS_FLOAT32 || class == FD_CLASS_FLOAT64;
}

static inline int is_complex(fd_dtype dtype)
{
    return fd_dtype_get(dtype)->class >= FD_CLASS_COMPLEX64;
}

/* One unit in the last place for a value of this magnitude. */
static inline double ulp_of(fd_dtype dtype, double value)
{
    static const int digits[FD_DTYPE_COUNT] = {
        [FD_FLOAT16] = 11, [FD_BFLOAT16] = 8,   [FD_FLOAT32] = 24,
        [FD_FLOAT64] = 53, [FD_COMPLEX64] = 24, [FD_COMPLEX128] = 53};
    int exponent = 0;
    if (digits[dtype] == 0 || !isfinite(value))
        return 0;
    (void)frexp(value, &exponent);
    return ldexp(1, exponent - digits[dtype]);
}

/* Returns 1 if the values differ by at most `ulps` units in the last place. NaN equals NaN. */
static inline int is_close(fd_dtype dtype, double seen, double demanded, double ulps)
{
    if (isnan(demanded))
        return isnan(seen);
    return seen == demanded || fabs(seen - demanded) <= ulps * ulp_of(dtype, demanded);
}

/* Small numbers, of both signs if the dtype is signed; some are 0. Floats are multiples of 1/2. */
static inline double sample(fd_dtype dtype, int64_t number, int64_t salt)
{
    const int64_t value = (number * 7 + salt * 5) % 23 - 11;
    if (dtype == FD_BOOL)
        return value % 2 != 0;
    if (fd_dtype_get(dtype)->class == FD_CLASS_UINT64)
        return (double)(value + 11);
    return fd_class_is_integral(fd_dtype_get(dtype)->class) ? (double)value : (double)value / 2;
}

static inline void put_samples(const struct placed *placed, int64_t salt)
{
    for (int64_t i = 0; i < fd_tensor_count(&placed->tensor); i++)
        put_complex(placed, i,
                    sample(placed->tensor.dtype, i, salt) +
                        (is_complex(placed->tensor.dtype)
                             ? sample(placed->tensor.dtype, i, salt + 1) * I
                             : 0));
}

/* Checks that every byte of the block outside the elements is unchanged. A single assertion is
 * used, because Check writes one message to a file for each assertion. */
static inline void ck_assert_surroundings(const struct placed *placed)
{
    const size_t size = fd_dtype_size(placed->tensor.dtype);
    char *copy = malloc(placed->size);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, placed->block, placed->size);
    for (int64_t i = 0; i < fd_tensor_count(&placed->tensor); i++)
        memset(copy + (element_at(placed, i) - placed->block), SURROUNDINGS, size);
    for (size_t i = 0; i < placed->size; i++)
        if (copy[i] != SURROUNDINGS)
            ck_abort_msg("byte %zu beside the tensor was written", i);
    free(copy);
}

#endif
