/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Time. Everything measures with the monotonic clock; wall time stands only in a journal's header.
 */
#ifndef HN_CLOCK_H
#define HN_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Nanoseconds since some fixed moment; never runs backwards. [signal] */
int64_t hn_clock_now_ns(void);
int64_t hn_clock_now_ms(void); /* [signal] */

#define HN_CLOCK_DATE_SIZE 32
/* "2026-11-21T13:48:05Z" into at least HN_CLOCK_DATE_SIZE bytes. */
void hn_clock_date(char *text, size_t size);
/* The same to name a folder with: "2026-11-21T13-48-05Z"; some file systems refuse a colon. */
void hn_clock_name(char *text, size_t size);
/* Whether it is a day that exists, "2026-11-26": comparing such texts compares days. */
int hn_is_date(const char *text);

#endif
