/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What tests of the driver share. Each test is a process of its own, forked before the driver starts, so each has
 * a fresh driver.
 */
#ifndef FD_DRIVER_TEST_H
#define FD_DRIVER_TEST_H

#include <stdio.h>
#include <unistd.h>

#include "fakedev.h"
#include "settings.h"
#include "unit_test.h"

#define ck_assert_ok(status) ck_assert_status(status, FD_OK)
/* Both are statuses; shows names and the driver's text. */
#define ck_assert_status(seen, demanded)                                                           \
    do {                                                                                           \
        const fd_status seen_ = (seen);                                                            \
        ck_assert_msg(seen_ == (demanded), "%s is %s (%s), not %s", #seen, fd_status_name(seen_),  \
                      fd_last_error_text(), fd_status_name(demanded));                             \
    } while (0)

/* Ends this test, passed, on a machine (see variant_test.py) without what the test is about. Its
 * process ends at once: a test that needs something asks before it makes anything. */
static inline void needs(int32_t is_there, const char *what)
{
    if (is_there)
        return;
    (void)dprintf(STDOUT_FILENO, "NOT APPLICABLE: no %s\n", what);
    _exit(EXIT_SUCCESS);
}

/* Work that waits: gates, and tasks that block until the test lets them go. */
static inline void needs_asynchrony(void)
{
    needs(!fd_settings()->eager_streams, "asynchrony");
}

static inline void needs_two_devices(void)
{
    needs(fd_settings()->devices >= 2, "second device");
}

/* The machine whose sizes and statistics a test has written down. */
static inline void needs_usual_memory(void)
{
    const struct fd_settings *settings = fd_settings();
    needs(settings->caching && settings->alignment == 512 && settings->memory == UINT64_C(1) << 30,
          "usual memory");
}

/* Freed memory keeps its bytes until it is allocated again. */
static inline void needs_usual_freed_memory(void)
{
    needs(!fd_settings()->poisoned_free, "usual freed memory");
}

static inline void needs_float64(void)
{
    needs(!fd_settings()->no_fp64, "float64");
}

#endif
