/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures the resident memory and the processor time of a process and all its descendants. An
 * rlimit cannot limit the memory, because an rlimit also counts reserved addresses, which use no
 * memory. Called by side_process.c, and by hosts and jobs for the deadline of a check.
 */
#ifndef HN_PROCESS_USAGE_H
#define HN_PROCESS_USAGE_H

#include <stdint.h>
#include <sys/types.h>

int64_t hn_resident_bytes(pid_t process); /* 0 if the process is gone */
int64_t hn_processor_ms(pid_t process);   /* with its reaped children; 0: the process is gone */
/* Returns how long a process and its descendants were ready to run and waited for a processor. For
 * a process with several threads, the longest time of a thread counts. Returns 0 if the system does
 * not measure these times. */
int64_t hn_waited_ms(pid_t process);
int64_t hn_resident_limit(void); /* three quarters of the machine's memory */

#endif
