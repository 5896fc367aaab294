/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests modules: loading, arguments, the checks of tensors, order on the stream, errors of
 * kernels.
 */
#include "device.h"
#include "kernel_test_support.h"
#include "settings.h"
#include "unit_test.h"

static const int64_t four[] = {4};

static fd_status launch(fd_stream *stream, const struct fd_tensor *out, const struct fd_tensor *in,
                        double factor)
{
    const int64_t count = in->sizes[0];
    struct fd_argument arguments[] = {{out, {0}}, {in, {0}}, {NULL, {0}}, {NULL, {0}}};
    memcpy(arguments[2].value, &factor, sizeof factor);
    memcpy(arguments[3].value, &count, sizeof count);
    return fd_module_launch(stream, TEST_MODULE, arguments, 4);
}

TEST(module_computes_on_device_memory)
{
    const struct placed out = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    const struct placed in = place_tensor(OFFSET, FD_FLOAT32, 1, four);
    for (int64_t i = 0; i < 4; i++)
        put(&in, i, (double)i + 1);
    ck_assert_ok(launch(test_stream(), &out.tensor, &in.tensor, 2.5));
    ck_assert_ok(launch(test_stream(), &out.tensor, &out.tensor, 2));
    test_sync();
    for (int64_t i = 0; i < 4; i++)
        ck_assert_double_eq(get(&out, i), 5 * ((double)i + 1));
}

TEST(module_runs_in_its_turn)
{
    needs_asynchrony();
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    fd_gate *gate = NULL;
    put(&a, 0, 3);
    ck_assert_ok(fd_gate_create(&gate));
    ck_assert_ok(fd_gate_close(gate, test_stream()));
    ck_assert_ok(launch(test_stream(), &a.tensor, &a.tensor, 2));
    ck_assert_status(fd_stream_query(test_stream()), FD_ERROR_NOT_READY);
    ck_assert_double_eq(get(&a, 0), 3);
    ck_assert_ok(fd_gate_destroy(gate));
    test_sync();
    ck_assert_double_eq(get(&a, 0), 6);
}

TEST(module_is_in_the_trace_by_the_name_of_its_kernel)
{
    static struct fd_trace_record records[4096];
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    size_t count = 0, found = 0;
    ck_assert_ok(launch(test_stream(), &a.tensor, &a.tensor, 0));
    test_sync();
    ck_assert_ok(fd_trace_read(records, 4096, &count, NULL));
    for (size_t i = 0; i < count; i++)
        found += records[i].executed && strcmp(records[i].what, "scale") == 0;
    ck_assert_uint_eq(found, 1);
}

TEST(module_that_fails_is_reported_at_the_next_synchronisation)
{
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    ck_assert_ok(launch(test_stream(), &a.tensor, &a.tensor, -2));
    ck_assert_status(fd_stream_synchronize(test_stream()), FD_ERROR_KERNEL);
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "the factor is -2"));
    ck_assert_ok(fd_stream_synchronize(test_stream()));
}

TEST(module_with_wrong_arguments_is_refused)
{
    static struct fd_argument many[FD_MODULE_ARGUMENTS + 1];
    ck_assert_status(fd_module_launch(NULL, TEST_MODULE, NULL, 0), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_module_launch(test_stream(), NULL, NULL, 0), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_module_launch(test_stream(), TEST_MODULE, NULL, 1), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_module_launch(test_stream(), TEST_MODULE, many, -1),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_module_launch(test_stream(), TEST_MODULE, many, FD_MODULE_ARGUMENTS + 1),
                     FD_ERROR_INVALID_VALUE);
}

TEST(file_that_is_no_module_is_refused)
{
    ck_assert_status(fd_module_launch(test_stream(), "/nosuch.so", NULL, 0),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "/nosuch.so"));
    ck_assert_status(fd_module_launch(test_stream(), "libm.so.6", NULL, 0), FD_ERROR_INVALID_VALUE);
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "does not export fakedev_module"));
}

TEST(module_with_memory_that_is_not_live_is_refused)
{
    const struct placed good = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    const struct placed freed = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    float on_host[4] = {0};
    const struct fd_tensor host = {on_host, FD_FLOAT32, 1, {4}, {1}};
    remove_tensor(&freed);
    ck_assert_status(launch(test_stream(), &freed.tensor, &good.tensor, 1),
                     FD_ERROR_INVALID_HANDLE);
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "scale: argument 0"));
    ck_assert_status(launch(test_stream(), &good.tensor, &host, 1), FD_ERROR_INVALID_HANDLE);
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "scale: argument 1"));
}

TEST(module_with_a_tensor_that_leaves_its_block_is_refused)
{
    const struct placed good = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    struct fd_tensor large = good.tensor;
    large.sizes[0] = 1 << 20;
    ck_assert_status(launch(test_stream(), &large, &good.tensor, 1), FD_ERROR_INVALID_VALUE);
}

TEST(module_may_use_the_memory_of_a_peer_only_with_access)
{
    needs_two_devices();
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    fd_stream *other = NULL;
    ck_assert_ok(fd_stream_default(1, &other));
    ck_assert_ok(launch(other, &a.tensor, &a.tensor, 1));
    ck_assert_ok(fd_stream_synchronize(other));
    ck_assert_ok(fd_device_enable_peer(1, 0, 0));
    ck_assert_status(launch(other, &a.tensor, &a.tensor, 1), FD_ERROR_PEER_DISABLED);
}

TEST(module_on_a_lost_device_is_refused)
{
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    fd_stream *stream = test_stream();
    ck_assert_ok(fd_device_lose(0));
    ck_assert_status(launch(stream, &a.tensor, &a.tensor, 1), FD_ERROR_DEVICE_LOST);
}

TEST(module_with_float64_needs_a_device_that_has_it)
{
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, four);
    const struct placed b = place_tensor(CONTIGUOUS, FD_FLOAT64, 1, four);
    ck_assert_status(launch(test_stream(), &a.tensor, &b.tensor, -1),
                     fd_settings()->no_fp64 ? FD_ERROR_NOT_SUPPORTED : FD_OK);
}
