/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that a process and all that it started hold. No rlimit does this: one on the address space breaks
 * reservations, which cost nothing. Called by side_process.c.
 */
#ifndef HN_RESIDENT_SIZE_H
#define HN_RESIDENT_SIZE_H

#include <stdint.h>
#include <sys/types.h>

int64_t hn_resident_bytes(pid_t process); /* 0 for one that is gone */
int64_t hn_resident_limit(void);          /* three quarters of the machine's memory */

#endif
