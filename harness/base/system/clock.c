/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Time. Called by all code that measures or writes dates. This file must not depend on the rest of
 * the harness.
 */
#include "clock.h"

#include <ctype.h>
#include <stdlib.h>
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

int hn_is_date(const char *text)
{
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (int i = 0; i < 10; i++)
        if (i == 4 || i == 7 ? text[i] != '-' : !isdigit((unsigned char)text[i]))
            return 0;
    const long month = strtol(text + 5, NULL, 10), day = strtol(text + 8, NULL, 10);
    return text[10] == '\0' && month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
}
