/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the native stack of a job to a file in its folder, when the host requests it (SIGUSR2,
 * after a deadline) and when the job dies of a signal. Python's faulthandler adds the Python
 * stack.
 */
#ifndef HN_STACK_DUMP_H
#define HN_STACK_DUMP_H

#include <signal.h>

#include "assay/check.h"

#define HN_STACK_SIGNAL SIGUSR2

/* Called once in a host, before it forks: the first call of backtrace() loads a library. */
void hn_stack_dump_prepare(void);
/* Called in the job process. */
int hn_stack_dump_install(void);
/* Installs our handlers again, in front of handlers that were installed later, such as Python's
 * faulthandler. Such a handler raises the signal again, which loses the cause of the signal.
 * Therefore our handlers run first and then call those handlers. */
ASSAY_EXPORT void hn_stack_dump_come_first(void);
/* Sets the file of the next dump; the path is copied. [main] */
void hn_stack_dump_aim(const char *path);

#endif
