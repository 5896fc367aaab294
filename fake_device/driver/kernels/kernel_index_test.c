/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares index kernels with loops on the host, and tests how they treat indices out of bounds.
 */
#include "kernel_test_support.h"
#include "unit_test.h"

#define UNWRITTEN 0x5A5A /* the pattern around the tensors, read as an int16 */

static void put_ints(const struct placed *placed, const int64_t *values)
{
    for (int64_t i = 0; i < fd_tensor_count(&placed->tensor); i++)
        put_int(placed, i, values[i]);
}

static void count_up(const struct placed *placed, int64_t start)
{
    for (int64_t i = 0; i < fd_tensor_count(&placed->tensor); i++)
        put_int(placed, i, start + i);
}

static void ck_index_error(void)
{
    ck_assert_status(fd_stream_synchronize(test_stream()), FD_ERROR_INDEX);
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "out of bounds"));
    test_sync(); /* the error is reported once */
}

TEST(index_select_along_each_dim_in_each_layout)
{
    static const int64_t sizes[] = {3, 4}, picks[] = {2, 0, 2, 1, 1};
    for (int32_t dim = 0; dim < 2; dim++)
        for (int layout = 0; layout < IN_LAYOUTS; layout++) {
            const int64_t out_sizes[] = {dim == 0 ? 5 : 3, dim == 1 ? 5 : 4};
            const fd_dtype index_dtype = layout % 2 ? FD_INT32 : FD_INT64;
            const int64_t five = 5;
            const struct placed in = place_tensor((enum layout)layout, FD_INT16, 2, sizes);
            const struct placed index = place_tensor(STEPPED, index_dtype, 1, &five);
            const struct placed out =
                place_tensor((enum layout)(layout % OUT_LAYOUTS), FD_INT16, 2, out_sizes);
            count_up(&in, 10);
            put_ints(&index, picks);
            ck_assert_ok(
                fd_kernel_index_select(test_stream(), &out.tensor, &in.tensor, dim, &index.tensor));
            test_sync();
            for (int64_t i = 0; i < fd_tensor_count(&out.tensor); i++) {
                const int64_t row = i / out_sizes[1], column = i % out_sizes[1];
                const int64_t from = dim == 0 ? picks[row] * 4 + column : row * 4 + picks[column];
                ck_assert_int_eq(get_int(&out, i), get_int(&in, from));
            }
            ck_assert_surroundings(&out);
        }
}

TEST(gather_and_scatter_are_inverse)
{
    needs_float64();
    static const int64_t sizes[] = {2, 3}, picks[] = {2, 0, 1, 1, 2, 0};

    for (fd_dtype dtype = 0; dtype < FD_DTYPE_COUNT; dtype++) {
        const struct placed in = place_tensor((enum layout)(dtype % OUT_LAYOUTS), dtype, 2, sizes);
        const struct placed index = place_tensor(TRANSPOSED, FD_INT64, 2, sizes);
        const struct placed out = place_tensor(STEPPED, dtype, 2, sizes);
        const struct placed back = place_tensor(TRANSPOSED, dtype, 2, sizes);
        put_samples(&in, 3);
        put_ints(&index, picks);
        ck_assert_ok(fd_kernel_gather(test_stream(), &out.tensor, &in.tensor, 1, &index.tensor));
        ck_assert_ok(
            fd_kernel_scatter(test_stream(), &back.tensor, 1, &index.tensor, &out.tensor, 0));
        test_sync();
        for (int64_t i = 0; i < 6; i++) {
            ck_assert(get_complex(&out, i) == get_complex(&in, i / 3 * 3 + picks[i]));
            ck_assert(get_complex(&back, i) == get_complex(&in, i));
        }
        ck_assert_surroundings(&out);
        ck_assert_surroundings(&back);
    }
}

TEST(scatter_with_accumulate_adds_duplicates)
{
    needs_float64();
    static const int64_t picks[] = {1, 1, 1, 0}, terms[] = {10, 20, 30, 5};
    const int64_t two = 2, four = 4;

    for (fd_dtype dtype = FD_UINT8; dtype <= FD_COMPLEX128; dtype++) {
        const struct placed out = place_tensor(CONTIGUOUS, dtype, 1, &two);
        const struct placed in = place_tensor(STEPPED, dtype, 1, &four);
        const struct placed index = place_tensor(CONTIGUOUS, FD_INT32, 1, &four);
        count_up(&out, 1);
        put_ints(&in, terms);
        put_ints(&index, picks);
        ck_assert_ok(
            fd_kernel_scatter(test_stream(), &out.tensor, 0, &index.tensor, &in.tensor, 1));
        test_sync();
        ck_assert_double_eq(get(&out, 0), 6);
        ck_assert_double_eq(get(&out, 1), 62);
    }
}

TEST(gather_of_scalar_works)
{
    const struct placed in = place_tensor(CONTIGUOUS, FD_INT16, 0, NULL);
    const struct placed index = place_tensor(CONTIGUOUS, FD_INT64, 0, NULL);
    const struct placed out = place_tensor(CONTIGUOUS, FD_INT16, 0, NULL);
    put_int(&in, 0, 77);
    put_int(&index, 0, 0);
    ck_assert_ok(fd_kernel_gather(test_stream(), &out.tensor, &in.tensor, 0, &index.tensor));
    test_sync();
    ck_assert_int_eq(get_int(&out, 0), 77);
}

/* in[4][3][2], indexed by a (2, 1) and b (3): the result is (2, 3, 2). */
TEST(index_broadcasts_indices_and_keeps_the_rest)
{
    static const int64_t sizes[] = {4, 3, 2}, a_sizes[] = {2, 1}, b_sizes[] = {3};
    static const int64_t out_sizes[] = {2, 3, 2}, rows[] = {3, -4}, columns[] = {0, -1, 1};
    static const int64_t row_of[] = {3, 0}, column_of[] = {0, 2, 1};
    for (int layout = 0; layout < IN_LAYOUTS; layout++) {
        const struct placed in = place_tensor((enum layout)layout, FD_FLOAT32, 3, sizes);
        const struct placed a = place_tensor(CONTIGUOUS, FD_INT64, 2, a_sizes);
        const struct placed b = place_tensor(NEGATIVE, FD_INT32, 1, b_sizes);
        const struct placed out =
            place_tensor((enum layout)(layout % OUT_LAYOUTS), FD_FLOAT32, 3, out_sizes);
        const struct fd_tensor *indices[] = {&a.tensor, &b.tensor, NULL};
        count_up(&in, 0);
        put_ints(&a, rows);
        put_ints(&b, columns);
        ck_assert_ok(fd_kernel_index(test_stream(), &out.tensor, &in.tensor, indices, 3));
        test_sync();
        for (int64_t i = 0; i < 12; i++)
            ck_assert_double_eq(get(&out, i),
                                get(&in, row_of[i / 6] * 6 + column_of[i / 2 % 3] * 2 + i % 2));
        ck_assert_surroundings(&out);
    }
}

TEST(index_put_broadcasts_values_and_accumulates)
{
    static const int64_t sizes[] = {3, 2}, picks[] = {2, 2, 0}, three = 3;
    const struct placed out = place_tensor(TRANSPOSED, FD_INT32, 2, sizes);
    const struct placed index = place_tensor(CONTIGUOUS, FD_INT64, 1, &three);
    const struct placed value = place_tensor(CONTIGUOUS, FD_INT32, 0, NULL);
    const struct fd_tensor *indices[] = {&index.tensor};
    const int64_t added[] = {107, 108, 3, 4, 205 + 0, 206}, set[] = {7, 7, 3, 4, 7, 7};
    put_ints(&index, picks);
    put_int(&value, 0, 100);
    count_up(&out, 1);
    put_int(&out, 0, 7);
    put_int(&out, 1, 8);
    ck_assert_ok(fd_kernel_index_put(test_stream(), &out.tensor, indices, 1, &value.tensor, 1));
    test_sync();
    for (int64_t i = 0; i < 6; i++)
        ck_assert_int_eq(get_int(&out, i), added[i]);
    put_int(&value, 0, 7);
    ck_assert_ok(fd_kernel_index_put(test_stream(), &out.tensor, indices, 1, &value.tensor, 0));
    test_sync();
    for (int64_t i = 0; i < 6; i++)
        ck_assert_int_eq(get_int(&out, i), set[i]);
    ck_assert_surroundings(&out);
}

/* ---- out of bounds --------------------------------------------------------------------------- */

TEST(index_out_of_bounds_leaves_its_element_unwritten)
{
    static const int64_t three = 3, bad[] = {1, 3, 2}, negative[] = {0, -1, 1};
    const struct placed in = place_tensor(CONTIGUOUS, FD_INT16, 1, &three);
    const struct placed index = place_tensor(CONTIGUOUS, FD_INT64, 1, &three);
    const struct fd_tensor *indices[] = {&index.tensor};
    count_up(&in, 5);
    for (int kernel = 0; kernel < 4; kernel++) {
        const struct placed out = place_tensor(CONTIGUOUS, FD_INT16, 1, &three);
        put_ints(&index, kernel == 3 ? negative : bad);
        fd_status status = FD_OK;
        if (kernel == 0)
            status =
                fd_kernel_index_select(test_stream(), &out.tensor, &in.tensor, 0, &index.tensor);
        else if (kernel == 2)
            status = fd_kernel_index(test_stream(), &out.tensor, &in.tensor, indices, 1);
        else
            status = fd_kernel_gather(test_stream(), &out.tensor, &in.tensor, 0, &index.tensor);
        ck_assert_ok(status);
        ck_index_error();
        ck_assert_int_eq(get_int(&out, 1), UNWRITTEN);
        ck_assert_int_eq(get_int(&out, 2), kernel == 3 ? 6 : 7);
    }
}

TEST(put_out_of_bounds_writes_only_the_good_ones)
{
    static const int64_t three = 3, bad[] = {2, -4, 0};
    const struct placed in = place_tensor(CONTIGUOUS, FD_INT16, 1, &three);
    const struct placed index = place_tensor(CONTIGUOUS, FD_INT32, 1, &three);
    const struct fd_tensor *indices[] = {&index.tensor};
    count_up(&in, 5);
    put_ints(&index, bad);
    for (int kernel = 0; kernel < 2; kernel++) {
        const struct placed out = place_tensor(CONTIGUOUS, FD_INT16, 1, &three);
        if (kernel == 0)
            ck_assert_ok(
                fd_kernel_scatter(test_stream(), &out.tensor, 0, &index.tensor, &in.tensor, 0));
        else
            ck_assert_ok(
                fd_kernel_index_put(test_stream(), &out.tensor, indices, 1, &in.tensor, 0));
        ck_index_error();
        ck_assert_int_eq(get_int(&out, 2), 5);
        ck_assert_int_eq(get_int(&out, 1), UNWRITTEN);
        ck_assert_int_eq(get_int(&out, 0), 7);
        ck_assert_surroundings(&out);
    }
}

TEST(index_into_empty_dim_is_out_of_bounds)
{
    static const int64_t one = 1;
    const struct fd_tensor empty = {NULL, FD_INT16, 1, {0}, {1}};
    const struct placed index = place_tensor(CONTIGUOUS, FD_INT64, 1, &one);
    const struct placed value = place_tensor(CONTIGUOUS, FD_INT16, 1, &one);
    const struct fd_tensor *indices[] = {&index.tensor};
    put_int(&index, 0, 0);
    ck_assert_ok(fd_kernel_index(test_stream(), &value.tensor, &empty, indices, 1));
    ck_index_error();
    ck_assert_ok(fd_kernel_index_put(test_stream(), &empty, indices, 1, &value.tensor, 0));
    ck_index_error();
}

TEST(index_wrong_arguments_are_refused)
{
    static const int64_t three = 3, two = 2, square[] = {3, 3};
    const struct placed line = place_tensor(CONTIGUOUS, FD_INT16, 1, &three);
    const struct placed matrix = place_tensor(CONTIGUOUS, FD_INT16, 2, square);
    const struct placed index = place_tensor(CONTIGUOUS, FD_INT64, 1, &three);
    const struct placed shorter = place_tensor(CONTIGUOUS, FD_INT64, 1, &two);
    const struct fd_tensor *gap[] = {NULL, &index.tensor};
    const struct fd_tensor *many[] = {&index.tensor, &index.tensor};
    const struct fd_tensor *uneven[] = {&index.tensor, &shorter.tensor};
    fd_stream *stream = test_stream();
    ck_assert_status(fd_kernel_gather(stream, &line.tensor, &line.tensor, 1, &index.tensor),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_gather(stream, &line.tensor, &line.tensor, 0, &line.tensor),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_gather(stream, &line.tensor, &line.tensor, 0, &shorter.tensor),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_gather(stream, &line.tensor, &matrix.tensor, 0, &index.tensor),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_index_select(stream, &line.tensor, &line.tensor, 0, &shorter.tensor),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_index(stream, &line.tensor, &matrix.tensor, gap, 2),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_index(stream, &line.tensor, &line.tensor, many, 2),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_index(stream, &line.tensor, &matrix.tensor, uneven, 2),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_index(stream, &matrix.tensor, &matrix.tensor, many, 2),
                     FD_ERROR_INVALID_VALUE);
}
