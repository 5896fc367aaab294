/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Time. All measurements use the monotonic clock; wall time is used only in the header of a
 * journal.
 */
#ifndef HN_CLOCK_H
#define HN_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Returns nanoseconds since an arbitrary moment. The value never decreases. [signal] */
int64_t hn_clock_now_ns(void);
int64_t hn_clock_now_ms(void); /* [signal] */

#define HN_CLOCK_DATE_SIZE 32
/* Writes "2026-11-21T13:48:05Z" to at least HN_CLOCK_DATE_SIZE bytes. */
void hn_clock_date(char *text, size_t size);
/* Writes "2026-11-21T13-48-05Z" for the name of a folder, because some file systems do not allow a
 * colon. */
void hn_clock_name(char *text, size_t size);
/* Returns 1 if the text is an existing day, "2026-11-26". Two such texts compare like the days. */
int hn_is_date(const char *text);

#endif
