/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the checks of every launch (form, blocks, devices, overlap), and empty launches.
 */
#include "kernel_test_support.h"
#include "settings.h"
#include "unit_test.h"

static const int64_t four[] = {4};

static fd_status negate(const struct fd_tensor *out, const struct fd_tensor *in)
{
    return fd_kernel_unary(test_stream(), FD_NEG, out, in);
}

TEST(launch_malformed_tensor_is_refused)
{
    const struct placed good = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    struct fd_tensor bad = good.tensor;
    ck_assert_status(negate(NULL, &good.tensor), FD_ERROR_INVALID_VALUE);
    ck_assert_status(negate(&good.tensor, NULL), FD_ERROR_INVALID_VALUE);
    bad.dtype = FD_DTYPE_COUNT;
    ck_assert_status(negate(&good.tensor, &bad), FD_ERROR_INVALID_VALUE);
    bad = good.tensor;
    bad.dims = FD_MAX_DIMS + 1;
    ck_assert_status(negate(&good.tensor, &bad), FD_ERROR_INVALID_VALUE);
    bad.dims = -1;
    ck_assert_status(negate(&good.tensor, &bad), FD_ERROR_INVALID_VALUE);
    bad = good.tensor;
    bad.sizes[0] = -1;
    ck_assert_status(negate(&good.tensor, &bad), FD_ERROR_INVALID_VALUE);
    bad.dims = 2;
    bad.sizes[0] = bad.sizes[1] = INT64_C(1) << 40;
    ck_assert_status(negate(&bad, &good.tensor), FD_ERROR_INVALID_VALUE);
}

TEST(launch_shape_that_does_not_broadcast_is_refused)
{
    const int64_t three[] = {3};
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    const struct placed b = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, three);
    ck_assert_status(negate(&a.tensor, &b.tensor), FD_ERROR_INVALID_VALUE);
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "broadcast"));
}

TEST(launch_unknown_operation_is_refused)
{
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    ck_assert_status(fd_kernel_unary(test_stream(), FD_UNARY_COUNT, &a.tensor, &a.tensor),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_binary(test_stream(), -1, &a.tensor, &a.tensor, &a.tensor),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_reduce(test_stream(), FD_REDUCE_COUNT, &a.tensor, &a.tensor),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_kernel_random(test_stream(), FD_RANDOM_COUNT, &a.tensor,
                                      (struct fd_random){0}, real_of(0), real_of(1)),
                     FD_ERROR_INVALID_VALUE);
}

TEST(launch_without_stream_is_refused)
{
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    ck_assert_status(fd_kernel_unary(NULL, FD_NEG, &a.tensor, &a.tensor), FD_ERROR_INVALID_HANDLE);
}

/* Each view exceeds its block of 100 bytes by the smallest possible step. */
TEST(launch_view_that_leaves_its_block_is_refused)
{
    void *pointer = NULL;
    ck_assert_ok(fd_memory_allocate(0, 100, test_stream(), &pointer));
    const struct placed out = place_tensor(CONTIGUOUS, FD_UINT8, 1, (const int64_t[]){101});
    const struct fd_tensor fits = {pointer, FD_UINT8, 1, {100}, {1}};
    const struct fd_tensor views[] = {
        {pointer, FD_UINT8, 1, {101}, {1}},
        {(char *)pointer + 1, FD_UINT8, 1, {100}, {1}},
        {(char *)pointer + 98, FD_UINT8, 1, {100}, {-1}},
        {(char *)pointer + 97, FD_FLOAT32, 0, {0}, {0}},
        {pointer, FD_UINT8, 2, {2, 50}, {51, 1}},
        {pointer, FD_UINT8, 1, {3}, {INT64_MAX / 2}},
        {pointer, FD_UINT8, 1, {2}, {INT64_MIN}},
    };
    struct fd_tensor target = out.tensor;

    target.sizes[0] = 100;
    ck_assert_ok(negate(&target, &fits));
    for (int64_t i = 0; i < COUNT_OF(views); i++) {
        target = out.tensor;
        target.dims = views[i].dims;
        memcpy(target.sizes, views[i].sizes, sizeof target.sizes);
        target.strides[0] = target.dims == 2 ? 50 : 1;
        target.strides[1] = 1;
        ck_assert_msg(negate(&target, &views[i]) == FD_ERROR_INVALID_VALUE, "view %lld",
                      (long long)i);
    }
    test_sync();
}

TEST(launch_sizes_beside_a_zero_may_be_of_any_length)
{
    const struct placed out = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    struct fd_tensor none = out.tensor, many;
    none.dims = 3;
    memcpy(none.sizes, ((const int64_t[]){INT64_C(1) << 62, 2, 0}), 3 * sizeof none.sizes[0]);
    none.strides[0] = none.strides[1] = none.strides[2] = 1;
    ck_assert_ok(negate(&none, &none));
    many = none;
    many.sizes[2] = 1;
    ck_assert_int_eq(negate(&many, &many), FD_ERROR_INVALID_VALUE);
    test_sync();
}

TEST(launch_memory_that_is_no_block_is_refused)
{
    float host[4] = {0};
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    struct fd_tensor bad = a.tensor;
    bad.data = host;
    ck_assert_status(negate(&a.tensor, &bad), FD_ERROR_INVALID_HANDLE);
    bad.data = NULL;
    ck_assert_status(negate(&a.tensor, &bad), FD_ERROR_INVALID_HANDLE);
    remove_tensor(&a);
    ck_assert_status(negate(&a.tensor, &a.tensor), FD_ERROR_INVALID_HANDLE);
}

TEST(launch_pinned_memory_is_accepted)
{
    void *pinned = NULL;
    ck_assert_ok(fd_host_allocate(4 * sizeof(float), &pinned));
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    const struct fd_tensor host = {pinned, FD_FLOAT32, 1, {4}, {1}};

    put_samples(&a, 0);
    ck_assert_ok(negate(&host, &a.tensor));
    test_sync();
    for (int64_t i = 0; i < 4; i++)
        ck_assert_double_eq((double)((float *)pinned)[i], -get(&a, i));
    ck_assert_ok(fd_host_free(pinned));
}

TEST(launch_peer_memory_needs_access)
{
    needs_two_devices();
    void *pointer = NULL;
    ck_assert_ok(fd_memory_allocate(1, 16, NULL, &pointer));
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    const struct fd_tensor peer = {pointer, FD_FLOAT32, 1, {4}, {1}};

    ck_assert_ok(negate(&a.tensor, &peer));
    ck_assert_ok(fd_device_enable_peer(0, 1, 0));
    ck_assert_status(negate(&a.tensor, &peer), FD_ERROR_PEER_DISABLED);
    test_sync();
}

TEST(launch_output_that_overlaps_itself_is_refused)
{
    const struct placed a = place_tensor(EXPANDED, FD_FLOAT32, 1, four);
    const struct placed b = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    ck_assert_status(negate(&a.tensor, &b.tensor), FD_ERROR_INVALID_VALUE);
    ck_assert_ok(fd_kernel_fill(test_stream(), &a.tensor, real_of(2)));
    test_sync();
    ck_assert_double_eq(get(&a, 3), 2);
}

TEST(launch_without_elements_succeeds_and_touches_nothing)
{
    const struct fd_tensor empty = {NULL, FD_FLOAT32, 2, {0, 3}, {3, 1}};
    const struct fd_tensor index = {NULL, FD_INT64, 1, {0}, {1}};
    const struct fd_tensor line = {NULL, FD_FLOAT32, 1, {0}, {1}};
    const struct fd_tensor *indices[] = {&index};
    fd_stream *stream = test_stream();
    ck_assert_ok(fd_kernel_fill(stream, &empty, real_of(1)));
    ck_assert_ok(fd_kernel_copy(stream, &empty, &empty));
    ck_assert_ok(negate(&empty, &empty));
    ck_assert_ok(fd_kernel_binary(stream, FD_ADD, &empty, &empty, &empty));
    ck_assert_ok(fd_kernel_addcmul(stream, &empty, &empty, &empty, &empty, real_of(1)));
    ck_assert_ok(fd_kernel_cumsum(stream, &empty, &empty, 0));
    ck_assert_ok(fd_kernel_index_select(stream, &empty, &empty, 0, &index));
    ck_assert_ok(fd_kernel_gather(stream, &line, &line, 0, &index));
    ck_assert_ok(fd_kernel_scatter(stream, &line, 0, &index, &line, 0));
    ck_assert_ok(fd_kernel_index(stream, &line, &line, indices, 1));
    ck_assert_ok(fd_kernel_index_put(stream, &line, indices, 1, &line, 0));
    ck_assert_ok(fd_kernel_arange(stream, &line, real_of(0), real_of(1)));
    ck_assert_ok(fd_kernel_random(stream, FD_UNIFORM, &empty, (struct fd_random){0}, real_of(0),
                                  real_of(1)));
    ck_assert_ok(fd_kernel_randperm(stream, &index, (struct fd_random){0}));
    test_sync();
}

TEST(launch_of_float64_is_refused_where_the_device_has_none)
{
    struct fd_properties properties;
    fd_settings_for_tests()->no_fp64 = 1;
    const struct placed wide = place_tensor(CONTIGUOUS, FD_FLOAT64, 1, four);
    const struct placed pairs = place_tensor(CONTIGUOUS, FD_COMPLEX128, 1, four);
    const struct placed narrow = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);

    ck_assert_status(negate(&wide.tensor, &wide.tensor), FD_ERROR_NOT_SUPPORTED);
    ck_assert_status(negate(&pairs.tensor, &pairs.tensor), FD_ERROR_NOT_SUPPORTED);
    ck_assert_ok(negate(&narrow.tensor, &narrow.tensor));
    test_sync();
    ck_assert_ok(fd_device_properties(0, &properties));
    ck_assert_int_eq(properties.has_fp64, 0);
}

TEST(launch_work_waits_its_turn)
{
    needs_asynchrony();
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    fd_gate *gate = NULL;

    put(&a, 0, 5);
    ck_assert_ok(fd_gate_create(&gate));
    ck_assert_ok(fd_gate_close(gate, test_stream()));
    ck_assert_ok(negate(&a.tensor, &a.tensor));
    ck_assert_double_eq(get(&a, 0), 5);
    ck_assert_status(fd_stream_query(test_stream()), FD_ERROR_NOT_READY);
    ck_assert_ok(fd_gate_open(gate));
    test_sync();
    ck_assert_double_eq(get(&a, 0), -5);
    ck_assert_ok(fd_gate_destroy(gate));
}
