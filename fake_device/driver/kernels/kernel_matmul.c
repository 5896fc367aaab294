/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matrix products. Tiles of a and b are packed into contiguous buffers of the wide class (float32
 * is accumulated in float64), multiplied, scaled, and stored. Accepts any strides and any dtype.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "fakedev_faults.h"
#include "kernel.h"

#define TILE_ROWS 32
#define TILE_DEPTH 128

/* Raw memory that holds elements of the class. */
struct tiles {
    union fd_element a[TILE_ROWS * TILE_DEPTH];
    union fd_element b[TILE_DEPTH * FD_TILE];
    union fd_element sums[TILE_ROWS * FD_TILE];
};

struct product {
    const struct fd_arith *arith;
    enum fd_class class;
    struct fd_tensor out, a, b; /* two-dim views of the current batch element */
    int plain;                  /* alpha is 1 and beta 0 */
    int reads_out;              /* beta is not 0 */
    union fd_element alpha;
    union fd_buffer beta, ones; /* FD_TILE elements each */
    struct tiles *tiles;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static char *at(const struct fd_tensor *matrix, int64_t row, int64_t column)
{
    const int64_t place = row * matrix->strides[0] + column * matrix->strides[1];
    return (char *)matrix->data + place * (int64_t)fd_dtype_size(matrix->dtype);
}

/* Packs rows x columns elements, beginning at (row, column). `pitch` is the number of elements
 * between two rows of `tile`. */
static void pack(const struct product *product, const struct fd_tensor *matrix, int64_t row,
                 int64_t column, int64_t rows, int64_t columns, size_t pitch, void *tile)
{
    const struct fd_dtype_info *dtype = fd_dtype_get(matrix->dtype);
    const int64_t stride = matrix->strides[1] * (int64_t)dtype->size;
    for (int64_t line = 0; line < rows; line++)
        fd_load_as(dtype, product->class, at(matrix, row + line, column), stride, (size_t)columns,
                   (char *)tile + (size_t)line * pitch * product->arith->size);
}

/* sums = alpha * sums + beta * out. If beta is 0, the contents of out are not read. */
static void scale(const struct product *product, const char *out, int64_t stride, size_t count,
                  void *sums)
{
    union fd_buffer old = {0};
    struct fd_batch batch = {.count = count, .scalar = &product->alpha};
    if (product->reads_out) {
        fd_load_as(fd_dtype_get(product->out.dtype), product->class, out, stride, count, &old);
        batch.in[0] = batch.out = &old;
        batch.in[1] = &product->beta;
        product->arith->binary[FD_MUL](&batch);
    }
    batch.in[0] = &old;
    batch.in[1] = batch.out = sums;
    batch.in[2] = &product->ones;
    product->arith->addcmul(&batch);
}

static void store_tile(const struct product *product, int64_t row, int64_t column, int64_t rows,
                       int64_t columns)
{
    const struct fd_dtype_info *dtype = fd_dtype_get(product->out.dtype);
    const int64_t stride = product->out.strides[1] * (int64_t)dtype->size;
    for (int64_t line = 0; line < rows; line++) {
        char *const out = at(&product->out, row + line, column);
        void *const sums =
            (char *)product->tiles->sums + (size_t)line * FD_TILE * product->arith->size;
        if (!product->plain)
            scale(product, out, stride, (size_t)columns, sums);
        fd_store_from(dtype, product->class, sums, (size_t)columns, out, stride);
    }
}

static void compute_tile(const struct product *product, int64_t row, int64_t column)
{
    struct tiles *tiles = product->tiles;
    const int64_t rows = least(TILE_ROWS, product->out.sizes[0] - row);
    const int64_t columns = least(FD_TILE, product->out.sizes[1] - column);
    const int64_t depth = product->a.sizes[1];
    memset(tiles->sums, 0, sizeof tiles->sums);
    memset(tiles->b, 0, sizeof tiles->b); /* zeros for the columns beyond the matrix */
    for (int64_t k = 0; k < depth; k += TILE_DEPTH) {
        const int64_t part = least(TILE_DEPTH, depth - k);
        pack(product, &product->a, row, k, rows, part, (size_t)part, tiles->a);
        pack(product, &product->b, k, column, part, columns, FD_TILE, tiles->b);
        product->arith->multiply(tiles->a, tiles->b, tiles->sums, (size_t)rows, (size_t)part);
    }
    store_tile(product, row, column, rows, columns);
}

static void multiply_matrices(const struct product *product)
{
    for (int64_t row = 0; row < product->out.sizes[0]; row += TILE_ROWS)
        for (int64_t column = 0; column < product->out.sizes[1]; column += FD_TILE)
            compute_tile(product, row, column);
}

/* The matrix (last two dims) of batch element `batch`. */
static struct fd_tensor matrix_of(const struct fd_tensor *tensor, int64_t batch)
{
    struct fd_tensor matrix = *tensor;
    const int32_t leading = tensor->dims - 2;
    if (leading > 0)
        matrix.data = (char *)tensor->data +
                      batch * tensor->strides[0] * (int64_t)fd_dtype_size(tensor->dtype);
    for (int32_t dim = 0; dim < 2; dim++) {
        matrix.sizes[dim] = tensor->sizes[leading + dim];
        matrix.strides[dim] = tensor->strides[leading + dim];
    }
    matrix.dims = 2;
    return matrix;
}

static int scalar_is(struct fd_scalar scalar, int64_t value)
{
    return scalar.is_integer ? scalar.integer == value
                             : scalar.real == (double)value && scalar.imaginary == 0;
}

static void set_factors(struct product *product, struct fd_scalar alpha, struct fd_scalar beta)
{
    const struct fd_scalar one = {.integer = 1, .is_integer = 1};
    const size_t size = product->arith->size;
    union fd_element element;
    product->reads_out =
        !scalar_is(beta, 0) || fd_fault("kernel.matmul_reads_output_with_beta_zero");
    product->reads_out = product->reads_out && !fd_fault("kernel.matmul_ignores_beta");
    product->plain = scalar_is(alpha, 1) && !product->reads_out;
    fd_scalar_element(alpha, product->class, &product->alpha);
    for (size_t i = 0; i < FD_TILE; i++) {
        fd_scalar_element(beta, product->class, &element);
        memcpy(product->beta.bytes + i * size, &element, size);
        fd_scalar_element(one, product->class, &element);
        memcpy(product->ones.bytes + i * size, &element, size);
    }
}

static fd_status run_matmul(const struct fd_kernel *kernel)
{
    const struct fd_tensor *out = &kernel->tensor[0];
    struct product product = {.arith = fd_arith_of(kernel->class), .class = kernel->class};
    product.tiles = malloc(sizeof *product.tiles);
    if (!product.tiles)
        return fd_fail(FD_ERROR_OUT_OF_MEMORY, "%s: no host memory for tiles", kernel->name);
    set_factors(&product, kernel->scalar[0], kernel->scalar[1]);
    for (int64_t batch = 0; batch < (out->dims == 3 ? out->sizes[0] : 1); batch++) {
        product.out = matrix_of(out, batch);
        product.a = matrix_of(&kernel->tensor[1], batch);
        product.b = matrix_of(&kernel->tensor[2], batch);
        multiply_matrices(&product);
    }
    free(product.tiles);
    return FD_OK;
}

static fd_status check_shapes(const struct fd_kernel *kernel)
{
    const struct fd_tensor *out = &kernel->tensor[0];
    const struct fd_tensor *a = &kernel->tensor[1], *b = &kernel->tensor[2];
    const int32_t row = out->dims - 2, column = out->dims - 1;
    if (out->dims < 2 || out->dims > 3 || a->dims != out->dims || b->dims != out->dims)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: needs three matrices, or three batches of them",
                       kernel->name);
    if (out->dims == 3 && (a->sizes[0] != out->sizes[0] || b->sizes[0] != out->sizes[0]))
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: the batches differ in size", kernel->name);
    if (a->sizes[row] != out->sizes[row] || b->sizes[column] != out->sizes[column] ||
        a->sizes[column] != b->sizes[row])
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s: %lldx%lld times %lldx%lld is not %lldx%lld",
                       kernel->name, (long long)a->sizes[row], (long long)a->sizes[column],
                       (long long)b->sizes[row], (long long)b->sizes[column],
                       (long long)out->sizes[row], (long long)out->sizes[column]);
    return fd_kernel_check_dtype(kernel, 2, a->dtype);
}

fd_status fd_kernel_matmul(fd_stream *stream, const struct fd_tensor *out,
                           const struct fd_tensor *a, const struct fd_tensor *b,
                           struct fd_scalar alpha, struct fd_scalar beta)
{
    const struct fd_tensor *tensors[] = {out, a, b};
    struct fd_kernel kernel;
    fd_status status = fd_kernel_begin(&kernel, "fd_kernel_matmul", run_matmul, 3, tensors);
    if (status == FD_OK)
        status = check_shapes(&kernel);
    if (status != FD_OK)
        return status;
    kernel.class = fd_arith_of(fd_dtype_get(out->dtype)->class)->wide;
    kernel.scalar[0] = alpha;
    kernel.scalar[1] = beta;
    return fd_kernel_launch(stream, &kernel);
}
