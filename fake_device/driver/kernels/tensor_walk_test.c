/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests how views are walked: order, broadcasting, collapsing, empty shapes.
 */
#include "driver_test.h"
#include "tensor_walk.h"

struct visit {
    const char *base[2];
    int64_t offsets[2][64];
    int64_t count, rows;
};

static fd_status note_row(void *context, const struct fd_row *row)
{
    struct visit *visit = context;
    ck_assert_int_eq(row->first, visit->count);
    for (int64_t i = 0; i < row->count; i++, visit->count++)
        for (int operand = 0; operand < 2; operand++)
            visit->offsets[operand][visit->count] =
                row->pointer[operand] + i * row->strides[operand] - visit->base[operand];
    visit->rows++;
    return FD_OK;
}

static char memory[2][256];

static struct visit visit_two(const struct fd_tensor *a, const struct fd_tensor *b)
{
    struct visit visit = {.base = {memory[0], memory[1]}};
    struct fd_walk walk;
    fd_walk_begin(&walk, a->dims, a->sizes);
    fd_walk_add(&walk, a);
    fd_walk_add(&walk, b);
    fd_walk_collapse(&walk);
    ck_assert_ok(fd_walk_rows(&walk, note_row, &visit));
    return visit;
}

TEST(walk_contiguous_views_is_one_row)
{
    const struct fd_tensor a = {memory[0], FD_INT16, 3, {2, 3, 4}, {12, 4, 1}};
    const struct fd_tensor b = {memory[1], FD_INT8, 3, {2, 3, 4}, {12, 4, 1}};
    const struct visit visit = visit_two(&a, &b);
    ck_assert_int_eq(visit.rows, 1);
    ck_assert_int_eq(visit.count, 24);
    for (int64_t i = 0; i < 24; i++) {
        ck_assert_int_eq(visit.offsets[0][i], 2 * i);
        ck_assert_int_eq(visit.offsets[1][i], i);
    }
}

TEST(walk_transposed_view_goes_row_major_through_the_shape)
{
    const struct fd_tensor a = {memory[0], FD_INT8, 2, {2, 3}, {3, 1}};
    const struct fd_tensor b = {memory[1], FD_INT8, 2, {2, 3}, {1, 2}};
    const struct visit visit = visit_two(&a, &b);
    const int64_t demanded[] = {0, 2, 4, 1, 3, 5};
    ck_assert_int_eq(visit.count, 6);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(visit.offsets[1][i], demanded[i]);
}

TEST(walk_broadcasts_missing_and_single_dims)
{
    const struct fd_tensor a = {memory[0], FD_INT8, 2, {2, 3}, {3, 1}};
    const struct fd_tensor row = {memory[1], FD_INT8, 1, {3}, {1}};
    const struct fd_tensor column = {memory[1], FD_INT8, 2, {2, 1}, {1, 99}};
    const struct fd_tensor scalar = {.data = memory[1], .dtype = FD_INT8};
    const struct visit rows = visit_two(&a, &row), columns = visit_two(&a, &column),
                       scalars = visit_two(&a, &scalar);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(rows.offsets[1][i], i % 3);
        ck_assert_int_eq(columns.offsets[1][i], i / 3);
        ck_assert_int_eq(scalars.offsets[1][i], 0);
    }
}

TEST(walk_single_dims_vanish_whatever_their_strides)
{
    const struct fd_tensor a = {memory[0], FD_INT8, 4, {1, 4, 1, 5}, {77, 5, 88, 1}};
    const struct visit visit = visit_two(&a, &a);
    ck_assert_int_eq(visit.rows, 1);
    ck_assert_int_eq(visit.count, 20);
}

TEST(walk_scalar_is_one_element)
{
    const struct fd_tensor a = {.data = memory[0], .dtype = FD_INT8};
    ck_assert_int_eq(visit_two(&a, &a).count, 1);
}

TEST(walk_empty_shape_visits_nothing)
{
    const struct fd_tensor a = {NULL, FD_INT8, 3, {2, 0, 4}, {0, 4, 1}};
    ck_assert_int_eq(visit_two(&a, &a).count, 0);
}

static fd_status fail_at_third(void *context, const struct fd_row *row)
{
    (void)row;
    return ++*(int *)context == 3 ? FD_ERROR_KERNEL : FD_OK;
}

TEST(walk_failing_row_ends_it)
{
    const struct fd_tensor a = {memory[0], FD_INT8, 2, {5, 2}, {4, 1}};
    struct fd_walk walk;
    int rows = 0;
    fd_walk_begin(&walk, a.dims, a.sizes);
    fd_walk_add(&walk, &a);
    ck_assert_int_eq(fd_walk_rows(&walk, fail_at_third, &rows), FD_ERROR_KERNEL);
    ck_assert_int_eq(rows, 3);
}

TEST(tensor_broadcasts_only_where_sizes_allow)
{
    const int64_t shape[] = {4, 3};
    const struct fd_tensor fits = {NULL, FD_INT8, 1, {3}, {1}}, scalar = {.dtype = FD_INT8},
                           wrong = {NULL, FD_INT8, 1, {4}, {1}},
                           more = {NULL, FD_INT8, 3, {1, 4, 3}, {12, 3, 1}};
    ck_assert(fd_tensor_broadcasts(&fits, 2, shape));
    ck_assert(fd_tensor_broadcasts(&scalar, 2, shape));
    ck_assert(!fd_tensor_broadcasts(&wrong, 2, shape));
    ck_assert(!fd_tensor_broadcasts(&more, 2, shape));
}
