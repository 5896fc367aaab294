/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of streams, events, gates and copies share: making things in one line, noting the
 * order in which tasks ran, and tasks that stop until the test lets them go. Nothing sleeps.
 */
#ifndef FD_STREAM_TEST_SUPPORT_H
#define FD_STREAM_TEST_SUPPORT_H

#include "error.h"
#include "fakedev.h"
#include "fault.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>

#define DEADLINE_SECONDS 60

#define ck_ok(call) ck_assert_msg((call) == FD_OK, "%s: %s", #call, fd_last_error_text())
#define ck_status(call, expected) ck_assert_str_eq(fd_status_name(call), #expected)

static inline fd_stream *make_stream(int32_t device)
{
    fd_stream *stream = NULL;
    ck_ok(fd_stream_create(device, 0, &stream));
    return stream;
}

static inline fd_event *make_event(uint32_t flags)
{
    fd_event *event = NULL;
    ck_ok(fd_event_create(flags, &event));
    return event;
}

/* A new gate, closed on `stream`. */
static inline fd_gate *make_gate(fd_stream *stream)
{
    fd_gate *gate = NULL;
    ck_ok(fd_gate_create(&gate));
    ck_ok(fd_gate_close(gate, stream));
    return gate;
}

static inline void arm(const char *faults)
{
    char message[256];
    ck_assert_msg(fd_faults_arm(faults, message, sizeof message) == 0, "%s", message);
}

/* The order in which tasks ran. Plain memory: read it only after a synchronisation, so that the
 * thread sanitizer judges the driver's happens-before. */
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
    ck_ok(fd_stream_launch(stream, "note", note_task, &note, sizeof note));
}

static inline fd_status failing_task(void *arguments)
{
    return fd_fail(FD_ERROR_KERNEL, "number %d went wrong", *(const int *)arguments);
}

static inline void launch_failure(fd_stream *stream, int number)
{
    ck_ok(fd_stream_launch(stream, "failing", failing_task, &number, sizeof number));
}

/* A place where tasks stop, holding their compute slot, until the test lets them go. */
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
    ck_ok(fd_stream_launch(stream, "stop", stop_task, &stop, sizeof stop));
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

/* One suite of one case with a deadline; returns the exit status of main. */
static inline int run_tests(const char *name, const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *cases = tcase_create(name);
    tcase_set_timeout(cases, DEADLINE_SECONDS);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(cases, tests[i]);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
#define RUN_TESTS(name, tests) run_tests(name, tests, sizeof(tests) / sizeof(tests)[0])

#endif
