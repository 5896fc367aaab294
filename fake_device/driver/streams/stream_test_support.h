/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Helpers shared by the tests of streams, events, gates and copies: creating objects in one line,
 * recording the order in which tasks ran, and tasks that block until the test releases them. No
 * helper sleeps.
 */
#ifndef FD_STREAM_TEST_SUPPORT_H
#define FD_STREAM_TEST_SUPPORT_H

#include "driver_test.h"
#include "error.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline fd_stream *make_stream(int32_t device)
{
    fd_stream *stream = NULL;
    if (device == 1)
        needs_two_devices();
    ck_assert_ok(fd_stream_create(device, 0, &stream));
    return stream;
}

static inline fd_event *make_event(uint32_t flags)
{
    fd_event *event = NULL;
    ck_assert_ok(fd_event_create(flags, &event));
    return event;
}

/* Creates a gate that is closed on `stream`. */
static inline fd_gate *make_gate(fd_stream *stream)
{
    fd_gate *gate = NULL;
    needs_asynchrony();
    ck_assert_ok(fd_gate_create(&gate));
    ck_assert_ok(fd_gate_close(gate, stream));
    return gate;
}

/* The order in which tasks ran. The memory is not atomic: read it only after a synchronisation, so
 * that the thread sanitizer checks the driver's happens-before order. */
#define NOTES_MAX 64
struct notes {
    pthread_mutex_t lock;
    int values[NOTES_MAX];
    int count;
};
struct note {
    struct notes *notes;
    int value;
};

static inline fd_status note_task(void *arguments)
{
    const struct note *note = arguments;
    pthread_mutex_lock(&note->notes->lock);
    if (note->notes->count < NOTES_MAX)
        note->notes->values[note->notes->count++] = note->value;
    pthread_mutex_unlock(&note->notes->lock);
    return FD_OK;
}

static inline void launch_note(fd_stream *stream, struct notes *notes, int value)
{
    const struct note note = {notes, value};
    ck_assert_ok(fd_stream_launch(stream, "note", note_task, &note, sizeof note));
}

static inline fd_status failing_task(void *arguments)
{
    return fd_fail(FD_ERROR_KERNEL, "number %d went wrong", *(const int *)arguments);
}

static inline void launch_failure(fd_stream *stream, int number)
{
    ck_assert_ok(fd_stream_launch(stream, "failing", failing_task, &number, sizeof number));
}

/* A point at which tasks block until the test releases them. A blocked task occupies its compute
 * slot. */
struct stop {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int arrived, allowed;
};
#define STOP_INITIALIZER                                                                           \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0                                  \
    }

static inline fd_status stop_task(void *arguments)
{
    struct stop *stop = *(struct stop **)arguments;
    pthread_mutex_lock(&stop->lock);
    stop->arrived++;
    pthread_cond_broadcast(&stop->changed);
    while (stop->allowed == 0)
        pthread_cond_wait(&stop->changed, &stop->lock);
    stop->allowed--;
    pthread_mutex_unlock(&stop->lock);
    return FD_OK;
}

static inline void launch_stop(fd_stream *stream, struct stop *stop)
{
    needs_asynchrony();
    ck_assert_ok(fd_stream_launch(stream, "stop", stop_task, &stop, sizeof stop));
}

static inline void await_arrivals(struct stop *stop, int count)
{
    pthread_mutex_lock(&stop->lock);
    while (stop->arrived < count)
        pthread_cond_wait(&stop->changed, &stop->lock);
    pthread_mutex_unlock(&stop->lock);
}

static inline void let_pass(struct stop *stop, int count)
{
    pthread_mutex_lock(&stop->lock);
    stop->allowed += count;
    pthread_cond_broadcast(&stop->changed);
    pthread_mutex_unlock(&stop->lock);
}

/* Opens a gate as soon as the main thread sleeps, that is, as soon as this thread waits for the
 * gate. */
struct opener {
    fd_gate *gate;
    pid_t main_thread;
    _Atomic int asking;
    pthread_t thread;
};

static inline char state_of(pid_t thread)
{
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
    fclose(file);
    return state;
}

static inline void *open_when_main_sleeps(void *argument)
{
    struct opener *opener = argument;
    while (!atomic_load(&opener->asking) || state_of(opener->main_thread) != 'S')
        sched_yield();
    (void)fd_gate_open(opener->gate);
    return NULL;
}

static inline void start_opener(struct opener *opener, fd_gate *gate)
{
    opener->gate = gate;
    opener->main_thread = (pid_t)syscall(SYS_gettid);
    atomic_init(&opener->asking, 0);
    ck_assert_int_eq(pthread_create(&opener->thread, NULL, open_when_main_sleeps, opener), 0);
    atomic_store(&opener->asking, 1);
}

static inline void join_opener(struct opener *opener)
{
    ck_assert_int_eq(pthread_join(opener->thread, NULL), 0);
}

#endif
