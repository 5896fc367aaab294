/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the kernels of nonzero and masked_select with loops on the host.
 */
#include "fakedev_select.h"
#include "kernel_test_support.h"
#include "unit_test.h"

static const int64_t sizes[] = {3, 4};

/* The mask selects the elements 1, 4, 7 and 10. If the layout repeats rows, the mask selects other
 * elements. */
static struct placed place_mask(enum layout layout)
{
    const struct placed mask = place_tensor(layout, FD_BOOL, 2, sizes);
    for (int64_t i = 0; i < 12; i++)
        put_int(&mask, i, i % 3 == 1);
    return mask;
}

static int64_t count_of(const struct placed *mask)
{
    int64_t count = 0;
    for (int64_t i = 0; i < fd_tensor_count(&mask->tensor); i++)
        count += get_int(mask, i);
    return count;
}

TEST(nonzero_gives_positions_in_row_major_order)
{
    for (int layout = 0; layout < IN_LAYOUTS; layout++) {
        const struct placed mask = place_mask((enum layout)layout);
        const int64_t out_sizes[] = {count_of(&mask), 2};
        const struct placed out =
            place_tensor((enum layout)(layout % OUT_LAYOUTS), FD_INT64, 2, out_sizes);
        int64_t entry = 0;
        ck_assert_ok(fd_kernel_nonzero(test_stream(), &out.tensor, &mask.tensor));
        test_sync();
        for (int64_t i = 0; i < 12; i++)
            if (get_int(&mask, i)) {
                ck_assert_int_eq(get_int(&out, 2 * entry), i / 4);
                ck_assert_int_eq(get_int(&out, 2 * entry++ + 1), i % 4);
            }
        ck_assert_surroundings(&out);
    }
}

TEST(masked_select_copies_elements_of_each_layout_and_size)
{
    static const fd_dtype dtypes[] = {FD_BOOL, FD_FLOAT16, FD_INT32, FD_FLOAT32, FD_COMPLEX64};
    for (int layout = 0; layout < IN_LAYOUTS; layout++)
        for (int k = 0; k < COUNT_OF(dtypes); k++) {
            const struct placed mask = place_mask((enum layout)((layout + k) % IN_LAYOUTS));
            const int64_t count = count_of(&mask);
            const struct placed in = place_tensor((enum layout)layout, dtypes[k], 2, sizes);
            const struct placed out = place_tensor(STEPPED, dtypes[k], 1, &count);
            int64_t entry = 0;
            put_samples(&in, 1);
            ck_assert_ok(
                fd_kernel_masked_select(test_stream(), &out.tensor, &mask.tensor, &in.tensor));
            test_sync();
            for (int64_t i = 0; i < 12; i++)
                if (get_int(&mask, i))
                    ck_assert_double_eq(get(&out, entry++), get(&in, i));
            ck_assert_surroundings(&out);
        }
}

TEST(more_selected_elements_than_entries_fail_and_write_nothing_outside)
{
    const int64_t few[] = {2, 2};
    const struct placed mask = place_mask(CONTIGUOUS);
    const struct placed out = place_tensor(CONTIGUOUS, FD_INT64, 2, few);
    ck_assert_ok(fd_kernel_nonzero(test_stream(), &out.tensor, &mask.tensor));
    ck_assert_status(fd_stream_synchronize(test_stream()), FD_ERROR_INVALID_VALUE);
    ck_assert_surroundings(&out);
}

TEST(operands_that_do_not_fit_are_refused)
{
    const int64_t four = 4, five[] = {4, 5}, wide[] = {4, 3}, right[] = {4, 2};
    const struct placed mask = place_mask(CONTIGUOUS);
    const struct placed numbers = place_tensor(CONTIGUOUS, FD_INT64, 2, sizes);
    const struct placed line = place_tensor(CONTIGUOUS, FD_INT64, 1, &four);
    const struct placed columns = place_tensor(CONTIGUOUS, FD_INT64, 2, wide);
    const struct placed narrow = place_tensor(CONTIGUOUS, FD_INT32, 2, right);
    const struct placed large = place_tensor(CONTIGUOUS, FD_INT64, 2, five);
    const struct placed halves = place_tensor(CONTIGUOUS, FD_FLOAT16, 2, sizes);
    const struct placed *outs[] = {&line, &columns, &narrow};
    const struct placed *ins[] = {&large, &halves};
    for (int k = 0; k < COUNT_OF(outs); k++)
        ck_assert_status(fd_kernel_nonzero(test_stream(), &outs[k]->tensor, &mask.tensor),
                         FD_ERROR_INVALID_VALUE);
    for (int k = 0; k < COUNT_OF(ins); k++)
        ck_assert_status(
            fd_kernel_masked_select(test_stream(), &line.tensor, &mask.tensor, &ins[k]->tensor),
            FD_ERROR_INVALID_VALUE);
    ck_assert_status(
        fd_kernel_masked_select(test_stream(), &line.tensor, &numbers.tensor, &numbers.tensor),
        FD_ERROR_INVALID_VALUE);
    ck_assert_status(
        fd_kernel_masked_select(test_stream(), &columns.tensor, &mask.tensor, &numbers.tensor),
        FD_ERROR_INVALID_VALUE);
}
