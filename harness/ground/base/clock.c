/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Time. Called by everything that measures or dates; knows nothing of ours.
 */
#include "clock.h"

#include <time.h>

int64_t hn_clock_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t hn_clock_now_ms(void)
{
    return hn_clock_now_ns() / 1000000;
}

static void write_now(char *text, size_t size, const char *format)
{
    const time_t now = time(NULL);
    struct tm parts;

    gmtime_r(&now, &parts);
    strftime(text, size, format, &parts);
}

void hn_clock_date(char *text, size_t size)
{
    write_now(text, size, "%Y-%m-%dT%H:%M:%SZ");
}

void hn_clock_name(char *text, size_t size)
{
    write_now(text, size, "%Y-%m-%dT%H-%M-%SZ");
}
