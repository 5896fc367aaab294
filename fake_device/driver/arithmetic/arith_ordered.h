/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of the templates of the real and integer classes: comparisons, extremes and their positions.
 * The including file defines T and BEFORE(x, y), which is true if x is NaN and y is not.
 */
static int is_greater(T x, T y)
{
    return BEFORE(x, y) || x > y;
}

static int is_less(T x, T y)
{
    return BEFORE(x, y) || x < y;
}

/* Defines two functions. One returns the position of the first extreme element, the other stores
 * the value of this element. */
#define FD_EXTREME(position, fold, is_better)                                                      \
    static size_t position(const void *in, size_t count)                                           \
    {                                                                                              \
        const T *values = in;                                                                      \
        size_t best = 0;                                                                           \
        for (size_t i = 1; i < count; i++)                                                         \
            best = is_better(values[i], values[best]) ? i : best;                                  \
        return best;                                                                               \
    }                                                                                              \
    static void fold(const void *in, size_t count, void *result)                                   \
    {                                                                                              \
        *(T *)result = ((const T *)in)[position(in, count)];                                       \
    }

FD_EXTREME(position_of_maximum, fold_maximum, is_greater)
FD_EXTREME(position_of_minimum, fold_minimum, is_less)
FD_ROW2(maximum, T, T, is_greater(x, y) ? x : y)
FD_ROW2(minimum, T, T, is_less(x, y) ? x : y)
FD_ROW2(less, T, uint64_t, x < y)
FD_ROW2(less_equal, T, uint64_t, x <= y)
FD_ROW2(greater, T, uint64_t, x > y)
FD_ROW2(greater_equal, T, uint64_t, x >= y)
