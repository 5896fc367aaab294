/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that workers do not disturb the process, which may fork or end at any moment. Also tests
 * eager and late devices.
 */
#include "worker.h"

#include "settings.h"
#include "stream_test_support.h"
#include "unit_test.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct notes notes = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the end of a process -------------------------------------------------------------------- */

static void leave_everything_pending(void)
{
    fd_stream *held = make_stream(0), *busy = make_stream(1), *waiting = make_stream(1);
    fd_event *event = make_event(0);
    (void)make_gate(held);
    launch_note(held, &notes, 1);
    (void)fd_event_record(event, held);
    (void)fd_stream_wait_event(waiting, event);
    for (int i = 0; i < 1000; i++)
        launch_note(busy, &notes, i);
}

static void expect_clean_end(void (*leave)(int status))
{
    for (int i = 0; i < 20; i++) {
        const pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            leave_everything_pending();
            leave(7);
        }
        int status = 0;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFEXITED(status));
        ck_assert_int_eq(WEXITSTATUS(status), 7);
    }
}

TEST(exit_with_everything_pending_is_clean)
{
    needs_two_devices();
    needs_asynchrony();
    expect_clean_end(exit);
}

TEST(underscore_exit_with_everything_pending_is_clean)
{
    needs_two_devices();
    needs_asynchrony();
    expect_clean_end(_exit);
}

/* ---- fork ------------------------------------------------------------------------------------ */

static int use_in_forked_child(fd_stream *stream, fd_event *event, fd_gate *gate)
{
    fd_stream *other = NULL;
    fd_event *made = NULL;
    unsigned char byte = 0;
    const fd_status seen[] = {
        fd_stream_create(0, 0, &other),
        fd_stream_default(0, &other),
        fd_stream_query(stream),
        fd_stream_synchronize(stream),
        fd_stream_destroy(stream),
        fd_stream_get_current(0, &other),
        fd_stream_set_current(stream, 0),
        fd_event_create(0, &made),
        fd_event_record(event, stream),
        fd_event_query(event),
        fd_event_synchronize(event),
        fd_event_destroy(event),
        fd_gate_open(gate),
        fd_gate_close(gate, stream),
        fd_device_synchronize(0),
        fd_memory_copy_async(&byte, &byte, 1, stream),
        fd_memory_copy(&byte, &byte, 1),
        fd_stream_callback(stream, free, NULL),
    };
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
        if (seen[i] != FD_ERROR_FORKED)
            return (int)i + 1;
    return fd_stream_id(stream) == -1 && fd_event_device(event) == -1 ? 0 : 100;
}

static void *keep_busy(void *argument)
{
    fd_stream *stream = argument;
    for (int i = 0; i < 2000; i++)
        launch_note(stream, &notes, i);
    return NULL;
}

TEST(forked_child_is_refused_and_does_not_hang)
{
    fd_stream *stream = make_stream(0);
    fd_event *event = make_event(0);
    fd_gate *gate = make_gate(make_stream(0));
    ck_assert_ok(fd_event_record(event, stream));
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, keep_busy, stream), 0);
    /* Another thread takes the driver's locks continuously during these forks. */
    for (int i = 0; i < 20; i++) {
        const pid_t child = fork();
        /* The child makes no assertions: an assertion takes a lock of Check, which the other thread
         * may hold at the fork. */
        if (child == 0)
            _exit(use_in_forked_child(stream, event, gate));
        ck_assert_int_ge(child, 0);
        int status = 0;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFEXITED(status));
        ck_assert_int_eq(WEXITSTATUS(status), 0);
    }
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_ok(fd_stream_synchronize(stream));
    ck_assert_ok(fd_gate_destroy(gate));
}

/* ---- threads --------------------------------------------------------------------------------- */

static bool is_worker(const char *thread)
{
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", thread);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const bool read = fgets(name, sizeof name, file) != NULL;
    fclose(file);
    return read && strncmp(name, "fakedev-", strlen("fakedev-")) == 0;
}

/* Counts threads by name, because a sanitizer starts additional threads. */
static int count_workers(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    ck_assert_ptr_nonnull(tasks);
    for (const struct dirent *entry; (entry = readdir(tasks));)
        count += is_worker(entry->d_name);
    closedir(tasks);
    return count;
}

TEST(thread_starts_with_the_first_task)
{
    needs_asynchrony();
    /* With late completion, the worker also processes events, so the worker would start earlier. */
    fd_settings_for_tests()->late_completion = 0;
    const int before = count_workers();
    fd_stream *stream = make_stream(0);
    fd_event *event = make_event(0);
    ck_assert_ok(fd_event_record(event, stream));
    ck_assert_ok(fd_event_synchronize(event));
    ck_assert_int_eq(count_workers(), before);
    launch_note(stream, &notes, 1);
    ck_assert_int_eq(count_workers(), before + 1);
    ck_assert_ok(fd_stream_synchronize(stream));
}

TEST(threads_of_destroyed_streams_end)
{
    const int before = count_workers();
    for (int i = 0; i < 200; i++) {
        fd_stream *stream = make_stream(0);
        launch_note(stream, &notes, 1);
        ck_assert_ok(fd_stream_destroy(stream));
    }
    ck_assert_ok(fd_device_synchronize(0));
    while (count_workers() > before) /* the deadline of the test bounds this loop */
        sched_yield();
}

static fd_status read_mask(void *arguments)
{
    sigset_t **out = arguments;
    return pthread_sigmask(SIG_SETMASK, NULL, *out) == 0 ? FD_OK : FD_ERROR_SYSTEM;
}

TEST(worker_blocks_signals_and_leaves_the_callers_mask)
{
    needs_asynchrony();
    fd_stream *stream = make_stream(0);
    sigset_t in_worker, *out = &in_worker, before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    ck_assert_ok(fd_stream_launch(stream, "read mask", read_mask, &out, sizeof out));
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    ck_assert_ok(fd_stream_synchronize(stream));
    static const int signals[] = {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        ck_assert_int_eq(sigismember(&in_worker, signals[i]), 1);
        ck_assert_int_eq(sigismember(&before, signals[i]), sigismember(&after, signals[i]));
    }
}

/* ---- variants -------------------------------------------------------------------------------- */

static fd_status tell_thread(void *arguments)
{
    **(pthread_t **)arguments = pthread_self();
    return FD_OK;
}

static void launch_more(void *data)
{
    fd_stream *stream = data;
    launch_note(stream, &notes, 2);
}

TEST(eager_device_works_in_the_caller)
{
    fd_settings_for_tests()->eager_streams = 1;
    const int threads = count_workers();
    fd_stream *stream = make_stream(0);
    pthread_t runner, *out = &runner;
    ck_assert_ok(fd_stream_launch(stream, "tell thread", tell_thread, &out, sizeof out));
    ck_assert(pthread_equal(runner, pthread_self()));
    ck_assert_int_eq(count_workers(), threads);

    launch_note(stream, &notes, 1);
    ck_assert_ok(fd_stream_callback(stream, launch_more, stream));
    ck_assert_int_eq(notes.count, 2);
    ck_assert_ok(fd_stream_query(stream));

    ck_assert_ok(fd_stream_destroy(NULL));
    ck_assert_status(fd_stream_query(NULL), FD_ERROR_INVALID_HANDLE);
    launch_failure(stream, 3);
    ck_assert_ptr_null(strstr(fd_last_error_text(), "number 3"));
    ck_assert_status(fd_stream_synchronize(stream), FD_ERROR_KERNEL);
    ck_assert_ok(fd_stream_destroy(stream));
    fd_settings_for_tests()->eager_streams = 0;
}

struct crowd {
    fd_stream *streams[2];
};

static void *launch_many(void *argument)
{
    const struct crowd *crowd = argument;
    for (int i = 0; i < 500; i++) {
        launch_note(crowd->streams[i % 2], &notes, i);
        if (fd_stream_synchronize(crowd->streams[i % 2]) != FD_OK)
            return (void *)crowd;
    }
    return NULL;
}

static void share_streams_between_threads(void)
{
    struct crowd crowd = {.streams = {make_stream(0), make_stream(0)}};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, launch_many, &crowd), 0);
    for (int i = 0; i < 4; i++) {
        void *failed = NULL;
        ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
        ck_assert_ptr_null(failed);
    }
    ck_assert_ok(fd_device_synchronize(0));
}

TEST(eager_device_shared_by_threads_keeps_going)
{
    fd_settings_for_tests()->eager_streams = 1;
    share_streams_between_threads();
    fd_settings_for_tests()->eager_streams = 0;
}

TEST(late_device_completes_everything_in_order)
{
    fd_settings_for_tests()->late_completion = 1;
    fd_stream *stream = make_stream(0), *other = make_stream(1);
    fd_event *event = make_event(FD_EVENT_TIMING);
    for (int i = 0; i < 20; i++) {
        launch_note(stream, &notes, 2 * i);
        ck_assert_ok(fd_event_record(event, stream));
        ck_assert_ok(fd_stream_wait_event(other, event));
        launch_note(other, &notes, 2 * i + 1);
        ck_assert_ok(fd_stream_synchronize(other));
    }
    for (int i = 0; i < 40; i++)
        ck_assert_int_eq(notes.values[i], i);
    share_streams_between_threads();
    fd_settings_for_tests()->late_completion = 0;
}
