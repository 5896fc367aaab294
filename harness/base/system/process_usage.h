/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures the resident memory and the processor time of a process and all its descendants. An
 * rlimit cannot limit the memory, because an rlimit also counts reserved addresses, which use no
 * memory. Called by side_process.c.
 */
#ifndef HN_PROCESS_USAGE_H
#define HN_PROCESS_USAGE_H

#include <stdint.h>
#include <sys/types.h>

int64_t hn_resident_bytes(pid_t process); /* 0 if the process is gone */
int64_t hn_processor_ms(pid_t process);   /* with its reaped children; 0: the process is gone */
int64_t hn_resident_limit(void);          /* three quarters of the machine's memory */

#endif
