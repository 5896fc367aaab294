/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests devices: lazy start, current device, loss and reset, peers, forks.
 */
#include "device.h"
#include "driver_test.h"
#include "settings.h"
#include "stream_test_support.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(count_and_current_do_not_start_the_driver)
{
    needs_two_devices();
    int32_t count = 0, device = 9;
    ck_assert_ok(fd_device_count(&count));
    ck_assert_int_eq(count, fd_settings()->devices);
    ck_assert_ok(fd_device_get(&device));
    ck_assert_int_eq(device, 0);
    ck_assert_ok(fd_device_set(1));
    ck_assert_ok(fd_device_get(&device));
    ck_assert_int_eq(device, 1);
    struct fd_block block;
    ck_assert_status(fd_memory_find(&count, &block), FD_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(fd_started(), 0);
    struct fd_properties properties;
    ck_assert_ok(fd_device_properties(0, &properties));
    ck_assert_int_eq(fd_started(), 1);
}

TEST(set_of_bad_index_changes_nothing)
{
    needs_two_devices();
    char text[80];
    int32_t device = 9;
    (void)snprintf(text, sizeof text, "there is no device 2147483647; indices run from 0 to %d",
                   (int)fd_settings()->devices - 1);
    ck_assert_ok(fd_device_set(1));
    ck_assert_status(fd_device_set(fd_settings()->devices), FD_ERROR_INVALID_DEVICE);
    ck_assert_status(fd_device_set(-1), FD_ERROR_INVALID_DEVICE);
    ck_assert_status(fd_device_set(INT32_MAX), FD_ERROR_INVALID_DEVICE);
    ck_assert_ok(fd_device_get(&device));
    ck_assert_int_eq(device, 1);
    ck_assert_str_eq(fd_last_error_text(), text);
}

TEST(null_results_are_refused)
{
    needs_two_devices();
    ck_assert_status(fd_device_count(NULL), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_device_get(NULL), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_device_properties(0, NULL), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_device_can_access_peer(0, 1, NULL), FD_ERROR_INVALID_VALUE);
}

static void *set_and_get(void *unused)
{
    (void)unused;
    int32_t device = 9;
    ck_assert_ok(fd_device_get(&device));
    ck_assert_int_eq(device, 0);
    for (int i = 0; i < 1000; i++) {
        ck_assert_ok(fd_device_set(i % 2));
        ck_assert_ok(fd_device_get(&device));
        ck_assert_int_eq(device, i % 2);
    }
    return NULL;
}

TEST(current_device_is_of_the_thread)
{
    needs_two_devices();
    pthread_t threads[2];
    int32_t device = 9;
    ck_assert_ok(fd_device_set(1));
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, set_and_get, NULL), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_ok(fd_device_get(&device));
    ck_assert_int_eq(device, 1);
}

TEST(no_device_is_a_machine_without_devices)
{
    fd_settings_for_tests()->devices = 0;
    int32_t count = 9;
    void *pointer;
    struct fd_properties properties;
    ck_assert_ok(fd_device_count(&count));
    ck_assert_int_eq(count, 0);
    ck_assert_status(fd_device_set(0), FD_ERROR_NO_DEVICE);
    ck_assert_status(fd_device_properties(0, &properties), FD_ERROR_NO_DEVICE);
    ck_assert_status(fd_memory_allocate(0, 1, NULL, &pointer), FD_ERROR_NO_DEVICE);
    ck_assert_status(fd_host_allocate(1, &pointer), FD_ERROR_NO_DEVICE);
    ck_assert_int_eq(fd_started(), 0);
}

TEST(properties_tell_the_settings)
{
    struct fd_properties properties;
    const struct fd_settings *settings = fd_settings();
    ck_assert_status(fd_device_properties(settings->devices, &properties), FD_ERROR_INVALID_DEVICE);
    ck_assert_ok(fd_device_properties(settings->devices - 1, &properties));
    ck_assert_uint_eq(properties.total_memory, settings->memory);
    ck_assert_uint_eq(properties.alignment, settings->alignment);
    ck_assert_int_eq(properties.can_hold_streams, !settings->eager_streams);
    ck_assert_int_lt(properties.priority_highest, properties.priority_lowest);
}

TEST(peer_disabled_and_enabled_is_told)
{
    needs_two_devices();
    int32_t can = 0;
    ck_assert_ok(fd_device_can_access_peer(0, 1, &can));
    ck_assert_int_eq(can, 1);
    ck_assert_ok(fd_device_enable_peer(0, 1, 0));
    ck_assert_ok(fd_device_can_access_peer(0, 1, &can));
    ck_assert_int_eq(can, 0);
    ck_assert_int_eq(fd_device_peer_enabled(0, 1), 0);
    ck_assert_ok(fd_device_can_access_peer(1, 0, &can));
    ck_assert_int_eq(can, 1);
    ck_assert_ok(fd_device_enable_peer(0, 1, 1));
    ck_assert_int_eq(fd_device_peer_enabled(0, 1), 1);
    ck_assert_int_eq(fd_device_peer_enabled(1, 1), 1);
    ck_assert_status(fd_device_enable_peer(1, 1, 0), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_device_enable_peer(0, FD_MAX_DEVICES, 0), FD_ERROR_INVALID_DEVICE);
}

/* ---- lost devices ---------------------------------------------------------------------------- */

TEST(lost_device_refuses_until_reset)
{
    needs_two_devices();
    void *pointer = NULL, *another = NULL;
    ck_assert_ok(fd_memory_allocate(1, 100, NULL, &pointer));
    ck_assert_ok(fd_device_lose(1));
    struct fd_properties properties;
    ck_assert_status(fd_device_properties(1, &properties), FD_ERROR_DEVICE_LOST);
    ck_assert_status(fd_memory_allocate(1, 100, NULL, &another), FD_ERROR_DEVICE_LOST);
    ck_assert_status(fd_device_synchronize(1), FD_ERROR_DEVICE_LOST);
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_ok(fd_device_reset(1));
    struct fd_block block;
    ck_assert_ok(fd_memory_find(pointer, &block));
    ck_assert_ok(fd_memory_allocate(1, 100, NULL, &another));
    ck_assert_ok(fd_memory_free(pointer));
    ck_assert_ok(fd_memory_free(another));
    ck_assert_ok(fd_device_synchronize(1));
}

TEST(memory_of_lost_device_can_be_freed)
{
    void *pointer = NULL;
    struct fd_memory_stats stats;
    ck_assert_ok(fd_memory_allocate(0, 100, NULL, &pointer));
    ck_assert_ok(fd_device_lose(0));
    ck_assert_ok(fd_memory_free(pointer));
    ck_assert_ok(fd_memory_get_stats(0, &stats));
    ck_assert_uint_eq(stats.blocks.current, 0);
}

TEST(reset_empties_the_cache_and_forgets_errors)
{
    fd_stream *stream = make_stream(0);
    void *pointer = NULL;
    struct fd_memory_stats stats;
    ck_assert_ok(fd_memory_allocate(0, 100, stream, &pointer));
    ck_assert_ok(fd_memory_free(pointer));
    launch_failure(stream, 1);
    ck_assert_ok(fd_device_reset(0));
    ck_assert_ok(fd_memory_get_stats(0, &stats));
    ck_assert_uint_eq(stats.reserved_bytes.current, 0);
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_ok(fd_stream_destroy(stream));
}

TEST(synchronize_reports_an_asynchronous_error_once)
{
    fd_stream *stream = make_stream(1);
    launch_failure(stream, 42);
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_status(fd_device_synchronize(1), FD_ERROR_KERNEL);
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "number 42 went wrong"));
    ck_assert_ok(fd_device_synchronize(1));
    ck_assert_ok(fd_stream_destroy(stream));
}

/* ---- forks ----------------------------------------------------------------------------------- */

static int exit_status_of(pid_t child)
{
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

/* Writes and reads one word of device memory. The alias is NULL on failure. */
static unsigned *one_word(void **pointer)
{
    void *alias = NULL;
    if (fd_memory_allocate(0, sizeof(unsigned), NULL, pointer) != FD_OK ||
        fd_memory_alias(*pointer, sizeof(unsigned), &alias) != FD_OK)
        return NULL;
    return alias;
}

TEST(fork_before_first_use_shares_nothing)
{
    needs_two_devices();
    int turn[2];
    ck_assert_int_eq(pipe(turn), 0);
    ck_assert_ok(fd_device_set(1));
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        void *pointer = NULL;
        unsigned *word = one_word(&pointer);
        if (!word || fd_forked_after_start() || !fd_started())
            _exit(1);
        *word = 0xc0ffee;
        char go;
        (void)close(turn[1]);
        if (read(turn[0], &go, 1) != 1)
            _exit(2);
        _exit(*word == 0xc0ffee && fd_device_synchronize(0) == FD_OK ? 0 : 3);
    }
    void *pointer = NULL;
    unsigned *word = one_word(&pointer);
    ck_assert_ptr_nonnull(word);
    *word = 0xbad;
    ck_assert_int_eq(write(turn[1], "g", 1), 1);
    ck_assert_int_eq(exit_status_of(child), 0);
    ck_assert_uint_eq(*word, 0xbad);
}

/* Makes every call that needs a device, in a forked child that must not use a device. */
static int use_everything_in_child(void *pointer, fd_stream *stream)
{
    void *result = NULL;
    int32_t number = 0;
    uint64_t bytes;
    struct fd_block block;
    struct fd_properties properties;
    struct fd_memory_stats stats;
    struct fd_ipc_handle handle;
    const fd_status seen[] = {
        fd_device_properties(0, &properties),
        fd_device_synchronize(0),
        fd_device_reset(0),
        fd_device_lose(0),
        fd_device_can_access_peer(0, 1, &number),
        fd_memory_allocate(0, 8, NULL, &result),
        fd_memory_free(pointer),
        fd_memory_record_stream(pointer, stream),
        fd_memory_alias(pointer, 1, &result),
        fd_memory_info(0, &bytes, &bytes),
        fd_memory_empty_cache(0),
        fd_memory_get_stats(0, &stats),
        fd_memory_reset_peak(0),
        fd_host_allocate(8, &result),
        fd_ipc_export(pointer, &handle),
        fd_ipc_close(pointer),
        fd_stream_default(0, &stream),
        fd_stream_synchronize(stream),
    };
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
        if (seen[i] != FD_ERROR_FORKED)
            return (int)i + 1;
    if (fd_memory_find(pointer, &block) != FD_ERROR_INVALID_HANDLE || !fd_forked_after_start() ||
        fd_started())
        return 100;
    return strstr(fd_last_error_text(), "live block") ? 0 : 101;
}

/* No assertions here: each assertion takes a lock of the Check library, and a fork may copy that
 * lock while it is held. */
static void *churn(void *stop)
{
    fd_status status = FD_OK;
    while (status == FD_OK && !atomic_load((_Atomic int *)stop)) {
        void *pointer = NULL;
        status = fd_memory_allocate(0, 100, NULL, &pointer);
        if (status == FD_OK)
            status = fd_memory_free(pointer);
    }
    return status == FD_OK ? NULL : stop;
}

TEST(fork_after_first_use_is_refused_in_words_without_hanging)
{
    void *pointer = NULL;
    fd_stream *stream = make_stream(0);
    _Atomic int stop = 0;
    pthread_t thread;
    ck_assert_ok(fd_memory_allocate(0, 64, stream, &pointer));
    /* During the forks, another thread takes and releases locks continuously. */
    ck_assert_int_eq(pthread_create(&thread, NULL, churn, &stop), 0);
    for (int i = 0; i < 20; i++) {
        const pid_t child = fork();
        if (child == 0)
            _exit(use_everything_in_child(pointer, stream));
        ck_assert_int_ge(child, 0);
        ck_assert_int_eq(exit_status_of(child), 0);
    }
    void *failed = NULL;
    atomic_store(&stop, 1);
    ck_assert_int_eq(pthread_join(thread, &failed), 0);
    ck_assert_ptr_null(failed);
    ck_assert_ok(fd_memory_free(pointer));
    ck_assert_ok(fd_stream_destroy(stream));
}

TEST(fork_error_tells_what_to_do)
{
    ck_assert_ok(fd_driver_start());
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        const fd_status status = fd_device_synchronize(0);
        _exit(status == FD_ERROR_FORKED && strstr(fd_last_error_text(), "spawn") ? 0 : 1);
    }
    ck_assert_int_eq(exit_status_of(child), 0);
}
