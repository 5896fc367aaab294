/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The second half of each template: the operations that are the same in all classes. The other
 * templates include this file after they have defined T, ADD(x, y) and MULTIPLY(x, y).
 */

/* Pairwise summation: the error grows with the logarithm of `count`. */
static T sum_of(const T *in, size_t count)
{
    T sum = in[0];
    if (count > 8)
        return ADD(sum_of(in, count / 2), sum_of(in + count / 2, count - count / 2));
    for (size_t i = 1; i < count; i++)
        sum = ADD(sum, in[i]);
    return sum;
}

static void fold_sum(const void *in, size_t count, void *result)
{
    *(T *)result = sum_of(in, count);
}

static void fold_product(const void *in, size_t count, void *result)
{
    const T *factors = in;
    T total = factors[0];
    for (size_t i = 1; i < count; i++)
        total = MULTIPLY(total, factors[i]);
    *(T *)result = total;
}

static void scan(const void *in, void *out, size_t count, void *running)
{
    const T *terms = in;
    T *sums = out, sum = *(T *)running;
    for (size_t i = 0; i < count; i++) {
        sum = ADD(sum, terms[i]);
        sums[i] = sum;
    }
    *(T *)running = sum;
}

static void multiply(const void *a, const void *b, void *acc, size_t rows, size_t depth)
{
    for (size_t row = 0; row < rows; row++) {
        T *const sums = (T *)acc + row * FD_TILE;
        for (size_t k = 0; k < depth; k++) {
            const T left = ((const T *)a)[row * depth + k];
            const T *const right = (const T *)b + k * FD_TILE;
            for (size_t column = 0; column < FD_TILE; column++)
                sums[column] = ADD(sums[column], MULTIPLY(left, right[column]));
        }
    }
}

static void select_elements(struct fd_batch *batch)
{
    const uint64_t *condition = batch->in[0];
    const T *yes = batch->in[1], *no = batch->in[2];
    T *out = batch->out;
    for (size_t i = 0; i < batch->count; i++)
        out[i] = condition[i] ? yes[i] : no[i];
}

FD_ROW(logical_not, T, uint64_t, x == 0)
FD_ROW2(equal, T, uint64_t, x == y)
FD_ROW2(not_equal, T, uint64_t, x != y)
FD_ROW2(logical_and, T, uint64_t, x != 0 && y != 0)
FD_ROW2(logical_or, T, uint64_t, x != 0 || y != 0)
FD_ROW2(logical_xor, T, uint64_t, (x != 0) != (y != 0))
