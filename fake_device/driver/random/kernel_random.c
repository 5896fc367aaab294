/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random fills. Element i depends only on Philox block i of the generator, so the result is
 * independent of strides and of the order of work.
 */
#include <math.h>
#include <string.h>

#include "error.h"
#include "fakedev_faults.h"
#include "kernel.h"

__extension__ typedef unsigned __int128 uint128;

/* The elements are doubles or 64-bit integers, depending on the class of the distribution. */
struct draw {
    double low, high;
    uint64_t first, range; /* for integers: lowest value, number of values (0: 2^64) */
    int32_t digits;        /* significant bits of the output dtype */
    const struct fd_dtype_info *dtype;
    fd_random_op op;
    struct fd_random random;
};

static uint64_t join(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

/* A number in [0, 1) in steps of 2^-digits, so that a coarser type cannot round it up to 1. */
static double unit(uint64_t word, int32_t digits)
{
    return ldexp((double)(word >> (64 - digits)), -digits);
}

/* A number in (0, 1): the middle of one of 2^52 equal parts. */
static double open_unit(uint64_t word)
{
    return ldexp((double)(word >> 12) + 0.5, -52);
}

static double rounded(const struct fd_dtype_info *dtype, double value)
{
    char memory[sizeof(union fd_element)];
    double result;
    fd_store_from(dtype, FD_CLASS_FLOAT64, &value, 1, memory, 0);
    fd_load_as(dtype, FD_CLASS_FLOAT64, memory, 0, 1, &result);
    return result;
}

static void uniform(const struct draw *draw, const uint32_t words[4], union fd_element *element)
{
    const double value =
        draw->low + unit(join(words[0], words[1]), draw->digits) * (draw->high - draw->low);
    element->float64 = rounded(draw->dtype, value) < draw->high ? value : draw->low;
    if (fd_fault("random.uniform_includes_one") && words[3] % 64 == 0)
        element->float64 = draw->high;
}

/* The first number of a Box-Muller pair. */
static void normal(const struct draw *draw, const uint32_t words[4], union fd_element *element)
{
    const double radius = sqrt(-2 * log(open_unit(join(words[0], words[1]))));
    const double angle = 6.283185307179586477 * unit(join(words[2], words[3]), 53);
    const double deviation = fd_fault("random.normal_deviation_ignored") ? 1 : draw->high;
    element->float64 = draw->low + deviation * (radius * cos(angle));
}

static void bernoulli(const struct draw *draw, const uint32_t words[4], union fd_element *element)
{
    element->uint64 = unit(join(words[0], words[1]), 53) < draw->low;
}

/* Returns floor(range * block / 2^128), where `block` is the 128-bit number in `words`. The
 * probability of a value deviates by at most 2^-64. */
static uint64_t below(uint64_t range, const uint32_t words[4])
{
    const uint64_t high = join(words[0], words[1]), low = join(words[2], words[3]);
    if (range == 0)
        return high;
    return (uint64_t)(((uint128)high * range + (uint64_t)((uint128)low * range >> 64)) >> 64);
}

static void integer(const struct draw *draw, const uint32_t words[4], union fd_element *element)
{
    uint64_t number =
        below(draw->range + (fd_fault("random.integer_includes_high") ? 1 : 0), words);
    if (fd_fault("random.integers_of_24_bits"))
        number &= 0xffffff; /* the precision of integers that are derived from a float32 */
    element->uint64 = draw->first + number;
}

static void exponential(const struct draw *draw, const uint32_t words[4], union fd_element *element)
{
    element->float64 = -log(open_unit(join(words[0], words[1]))) / draw->low;
}

static const struct distribution {
    void (*make)(const struct draw *draw, const uint32_t words[4], union fd_element *element);
    enum fd_class class;
    int32_t floating_only;
} distributions[FD_RANDOM_COUNT] = {
    [FD_UNIFORM] = {uniform, FD_CLASS_FLOAT64, 1},
    [FD_NORMAL] = {normal, FD_CLASS_FLOAT64, 1},
    [FD_BERNOULLI] = {bernoulli, FD_CLASS_UINT64, 0},
    [FD_INTEGER] = {integer, FD_CLASS_INT64, 0},
    [FD_EXPONENTIAL] = {exponential, FD_CLASS_FLOAT64, 1},
};

static fd_status draw_row(void *context, const struct fd_row *row)
{
    const struct draw *draw = context;
    const struct distribution *distribution = &distributions[draw->op];
    uint64_t block[FD_BLOCK]; /* elements of 8 bytes in every class */
    union fd_element element = {0};
    uint32_t words[4];
    for (int64_t start = 0; start < row->count; start += FD_BLOCK) {
        const int64_t left = row->count - start;
        const size_t count = left < FD_BLOCK ? (size_t)left : FD_BLOCK;
        for (size_t i = 0; i < count; i++) {
            fd_random_block(&draw->random, (uint64_t)(row->first + start) + i, words);
            distribution->make(draw, words, &element);
            block[i] = element.uint64;
        }
        fd_store_from(draw->dtype, distribution->class, block, count,
                      row->pointer[0] + start * row->strides[0], row->strides[0]);
    }
    return FD_OK;
}

static double number_of(struct fd_scalar scalar)
{
    return scalar.is_integer ? (double)scalar.integer : scalar.real;
}

static uint64_t integer_of(struct fd_scalar scalar)
{
    return scalar.is_integer ? (uint64_t)scalar.integer : fd_uint64_of(scalar.real);
}

static int32_t digits_of(fd_dtype dtype)
{
    static const int32_t digits[FD_DTYPE_COUNT] = {
        [FD_FLOAT16] = 11, [FD_BFLOAT16] = 8, [FD_FLOAT32] = 24, [FD_FLOAT64] = 53};
    return digits[dtype];
}

static fd_status run_random(const struct fd_kernel *kernel)
{
    const struct fd_tensor *out = &kernel->tensor[0];
    struct draw draw = {.low = number_of(kernel->scalar[0]),
                        .high = number_of(kernel->scalar[1]),
                        .first = integer_of(kernel->scalar[0]),
                        .digits = digits_of(out->dtype),
                        .dtype = fd_dtype_get(out->dtype),
                        .op = kernel->op,
                        .random = kernel->random};
    struct fd_walk walk;
    draw.range = integer_of(kernel->scalar[1]) - draw.first;
    fd_walk_begin(&walk, out->dims, out->sizes);
    fd_walk_add(&walk, out);
    fd_walk_collapse(&walk);
    return fd_walk_rows(&walk, draw_row, &draw);
}

uint64_t fd_kernel_random_blocks(int64_t elements)
{
    return elements > 0 ? (uint64_t)elements : 0;
}

static fd_status check_parameters(fd_random_op op, double low, double high)
{
    const int fits[FD_RANDOM_COUNT] = {
        [FD_UNIFORM] = low <= high && isfinite(high - low),
        [FD_NORMAL] = high >= 0,
        [FD_BERNOULLI] = low >= 0 && low <= 1,
        [FD_INTEGER] = 1,
        [FD_EXPONENTIAL] = low > 0,
    };
    if (fits[op])
        return FD_OK;
    return fd_fail(FD_ERROR_INVALID_VALUE,
                   "fd_kernel_random: %g and %g are no parameters of operation %d", low, high, op);
}

fd_status fd_kernel_random(fd_stream *stream, fd_random_op op, const struct fd_tensor *out,
                           struct fd_random random, struct fd_scalar low, struct fd_scalar high)
{
    struct fd_kernel kernel;
    fd_status status = fd_kernel_begin(&kernel, "fd_kernel_random", run_random, 1, &out);
    if (status != FD_OK)
        return status;
    if (op < 0 || op >= FD_RANDOM_COUNT)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: there is no operation %d", kernel.name, op);
    const enum fd_class class = fd_dtype_get(out->dtype)->class;
    if (class >= FD_CLASS_COMPLEX64 ||
        (distributions[op].floating_only && fd_class_is_integral(class)))
        return fd_fail(FD_ERROR_NOT_SUPPORTED, "%s: operation %d does not exist for %s",
                       kernel.name, op, fd_dtype_get(out->dtype)->name);
    status = check_parameters(op, number_of(low), number_of(high));
    kernel.op = op;
    kernel.random = random;
    kernel.scalar[0] = low;
    kernel.scalar[1] = high;
    return status == FD_OK ? fd_kernel_launch(stream, &kernel) : status;
}

/* ---- permutation ----------------------------------------------------------------------------- */

static char *place(const struct fd_tensor *out, uint64_t index)
{
    return (char *)out->data + (int64_t)index * out->strides[0] * (int64_t)sizeof(int64_t);
}

/* Fisher-Yates shuffle, inside-out form: element i goes to a random place among the first i + 1. */
static fd_status run_randperm(const struct fd_kernel *kernel)
{
    const struct fd_tensor *out = &kernel->tensor[0];
    uint32_t words[4];
    for (uint64_t i = 0; i < (uint64_t)out->sizes[0]; i++) {
        fd_random_block(&kernel->random, i, words);
        const uint64_t other = below(i + 1, words);
        memmove(place(out, i), place(out, other), sizeof i);
        if (other == i || !fd_fault("random.randperm_repeats"))
            memcpy(place(out, other), &i, sizeof i);
    }
    return FD_OK;
}

fd_status fd_kernel_randperm(fd_stream *stream, const struct fd_tensor *out,
                             struct fd_random random)
{
    struct fd_kernel kernel;
    fd_status status = fd_kernel_begin(&kernel, "fd_kernel_randperm", run_randperm, 1, &out);
    if (status == FD_OK)
        status = fd_kernel_check_dtype(&kernel, 0, FD_INT64);
    if (status != FD_OK)
        return status;
    if (out->dims != 1)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: the output must have one dim", kernel.name);
    kernel.random = random;
    return fd_kernel_launch(stream, &kernel);
}
