/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Resident memory of a process and all its descendants. No rlimit can do this, because a limit
 * on the address space also counts reservations, which use no memory. Called by side_process.c.
 */
#ifndef HN_RESIDENT_SIZE_H
#define HN_RESIDENT_SIZE_H

#include <stdint.h>
#include <sys/types.h>

int64_t hn_resident_bytes(pid_t process); /* 0 if the process is gone */
int64_t hn_resident_limit(void);          /* three quarters of the machine's memory */

#endif
