/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the tests of the driver. Check runs each test in its own process, forked before the driver starts, so
 * every test begins with a fresh driver.
 */
#ifndef FD_DRIVER_TEST_H
#define FD_DRIVER_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fakedev.h"
#include "settings.h"
#include "unit_test.h"

#define ck_assert_ok(status) ck_assert_status(status, FD_OK)
/* Compares two statuses. On failure, prints the names of both statuses and the driver's error
 * text. */
#define ck_assert_status(seen, demanded)                                                           \
    do {                                                                                           \
        const fd_status seen_ = (seen);                                                            \
        ck_assert_msg(seen_ == (demanded), "%s is %s (%s), not %s", #seen, fd_status_name(seen_),  \
                      fd_last_error_text(), fd_status_name(demanded));                             \
    } while (0)

/* Ends this test as passed on a variant (see variant_test.py) that lacks the tested feature. The
 * process ends immediately, so a test must call this before it creates anything. */
static inline void needs(int32_t is_there, const char *what)
{
    if (is_there)
        return;
    (void)dprintf(STDOUT_FILENO, "NOT APPLICABLE: no %s\n", what);
    _exit(EXIT_SUCCESS);
}

/* Called by a test that uses gates, or tasks that block until the test releases them. */
static inline void needs_asynchrony(void)
{
    needs(!fd_settings()->eager_streams, "asynchrony");
}

static inline void needs_two_devices(void)
{
    needs(fd_settings()->devices >= 2, "second device");
}

/* Called by a test whose expected sizes and statistics hold only for the default memory
 * settings. */
static inline void needs_usual_memory(void)
{
    const struct fd_settings *settings = fd_settings();
    needs(settings->caching && settings->alignment == 512 && settings->memory == UINT64_C(1) << 30,
          "usual memory");
}

/* Called by a test that reads freed memory, which must stay unchanged until the next allocation. */
static inline void needs_usual_freed_memory(void)
{
    needs(!fd_settings()->poisoned_free, "usual freed memory");
}

static inline void needs_float64(void)
{
    needs(!fd_settings()->no_fp64, "float64");
}

#endif
