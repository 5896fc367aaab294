/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds out from /proc whether all threads of this process except the calling one are asleep. [any]
 */
#ifndef HN_PROCESS_IDLE_H
#define HN_PROCESS_IDLE_H

#include <stdint.h>

/* Returns 0 while another thread runs or can run. Otherwise returns 1 + how often the other threads
 * have gone to sleep. If two calls return the same number, no thread was awake in between. */
uint64_t hn_process_idle_wakes(void);

#endif
