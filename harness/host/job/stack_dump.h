/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the native stack of a job to a file of its folder: when the host asks for it (SIGUSR2, a
 * deadline passed) and when the job dies of a signal. Python's faulthandler adds its own.
 */
#ifndef HN_STACK_DUMP_H
#define HN_STACK_DUMP_H

#include <signal.h>

#include "assay/check.h"

#define HN_STACK_SIGNAL SIGUSR2

/* Once in a host, before it forks: backtrace() loads a library at its first use. */
void hn_stack_dump_prepare(void);
/* In the job process. */
int hn_stack_dump_install(void);
/* In front of the handlers that somebody has put before ours since, Python's faulthandler: those raise the signal again,
 * and what it knows of its cause is lost by then. They are called next. */
ASSAY_EXPORT void hn_stack_dump_come_first(void);
/* Where the next dump goes; copied. [main] */
void hn_stack_dump_aim(const char *path);

#endif
