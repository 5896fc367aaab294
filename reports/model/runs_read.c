/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads many runs in parallel: each thread takes the next folder until none is left. Runs share
 * no data, so the result does not depend on the threads.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run_model.h"

#define READERS_MAX 8

struct reading {
    const char *const *folders;
    size_t count;
    struct rp_run **runs;
    struct hn_error *errors; /* one per run */
    int *statuses;
    atomic_size_t next;
};

static void *read_next(void *argument)
{
    struct reading *reading = argument;
    for (size_t i; (i = atomic_fetch_add(&reading->next, 1)) < reading->count;)
        reading->statuses[i] =
            rp_run_read(reading->folders[i], &reading->runs[i], &reading->errors[i]);
    return NULL;
}

/* The calling thread also reads, so if no thread can be started, reading is only slower. */
static void read_all(struct reading *reading)
{
    pthread_t readers[READERS_MAX];
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = processors > 1 ? (size_t)processors - 1 : 0, started = 0;
    wanted = wanted < READERS_MAX ? wanted : READERS_MAX;
    wanted = wanted < reading->count - 1 ? wanted : reading->count - 1;
    while (started < wanted && !pthread_create(&readers[started], NULL, read_next, reading))
        started++;
    read_next(reading);
    while (started > 0)
        pthread_join(readers[--started], NULL);
}

static int settle(struct reading *reading, struct hn_error *error)
{
    size_t failed = 0;
    while (failed < reading->count && reading->statuses[failed] == HN_OK)
        failed++;
    if (failed == reading->count)
        return HN_OK;
    *error = reading->errors[failed];
    for (size_t i = 0; i < reading->count; i++) {
        rp_run_destroy(reading->runs[i]);
        reading->runs[i] = NULL;
    }
    return reading->statuses[failed];
}

int rp_runs_read(const char *const *folders, size_t count, struct rp_run **runs,
                 struct hn_error *error)
{
    struct reading reading = {.folders = folders,
                              .count = count,
                              .runs = runs,
                              .errors = calloc(count + 1, sizeof *reading.errors),
                              .statuses = calloc(count + 1, sizeof *reading.statuses)};
    int status = HN_OK;
    memset(runs, 0, count * sizeof *runs);
    if (!reading.errors || !reading.statuses) {
        status = hn_error_nomem(error);
    } else if (count) {
        read_all(&reading);
        status = settle(&reading, error);
    }
    free(reading.errors);
    free(reading.statuses);
    return status;
}
