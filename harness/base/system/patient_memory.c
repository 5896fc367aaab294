/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See patient_memory.h.
 */
#include "patient_memory.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hn_error.h"

#define ATTEMPTS 20
#define INTERVAL_MS 100

/* Uses write(2), because stdio may allocate memory. */
static _Noreturn void leave(size_t size)
{
    char text[120];
    const int length =
        snprintf(text, sizeof text,
                 "assay: out of memory: the machine has refused %zu bytes for %d seconds\n", size,
                 ATTEMPTS * INTERVAL_MS / 1000);
    const ssize_t ignored = write(STDERR_FILENO, text, (size_t)length);
    (void)ignored;
    _exit(HN_EXIT_SYSTEM);
}

/* Calls `take` repeatedly until it returns memory or all attempts are used. */
static void *insist(void *(*take)(void *, size_t, size_t), void *memory, size_t count, size_t size)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        void *given = take(memory, count, size);
        if (given || count == 0 || size == 0)
            return given;
        poll(NULL, 0, INTERVAL_MS);
    }
    leave(count * size);
}

static void *take_new(void *memory, size_t count, size_t size)
{
    (void)memory;
    (void)count;
    return malloc(size);
}

static void *take_zeroed(void *memory, size_t count, size_t size)
{
    (void)memory;
    return calloc(count, size);
}

static void *take_more(void *memory, size_t count, size_t size)
{
    (void)count;
    return realloc(memory, size);
}

void *hn_patient_malloc(size_t size)
{
    return insist(take_new, NULL, 1, size);
}

void *hn_patient_calloc(size_t count, size_t size)
{
    return insist(take_zeroed, NULL, count, size);
}

void *hn_patient_realloc(void *memory, size_t size)
{
    return insist(take_more, memory, 1, size);
}
