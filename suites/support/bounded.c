/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See bounded.h. pthread_timedjoin_np waits with a deadline and without polling.
 */
#include "bounded.h"

#include <pthread.h>
#include <time.h>

/* time reserved for the report */
#define MARGIN_MS 500

struct thread {
    pthread_t id;
    void (*body)(void *context);
    void *context;
};

static void *enter(void *argument)
{
    const struct thread *const thread = argument;
    thread->body(thread->context);
    return NULL;
}

static struct timespec deadline_of(struct assay_check *check)
{
    int64_t left = check->host->milliseconds_left(check) - MARGIN_MS;
    left = left > 0 ? left : 0;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += left / 1000;
    until.tv_nsec += (left % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return until;
}

void assay_run_threads(struct assay_line at, uint32_t count, void (*body)(void *context),
                       void *contexts, size_t stride, const char *what)
{
    /* static, because a late thread may still read its entry */
    static struct thread threads[ASSAY_THREADS];
    assay_require_means(at, count <= ASSAY_THREADS, "the check needs more than 16 threads");
    for (uint32_t i = 0; i < count; i++) {
        threads[i].body = body;
        threads[i].context = (char *)contexts + i * stride;
        assay_require_means(at, pthread_create(&threads[i].id, NULL, enter, &threads[i]) == 0,
                            "the check cannot start a thread");
    }
    const struct timespec until = deadline_of(at.check);
    for (uint32_t i = 0; i < count; i++) {
        if (pthread_timedjoin_np(threads[i].id, NULL, &until) != 0) {
            assay_expect_true(at, 0, "a thread of the check returned before the deadline", what);
            at.check->host->abandon(at.check);
        }
    }
}
