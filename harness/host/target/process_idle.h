/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Is everything in this process asleep but the thread that asks? Read from /proc. [any]
 */
#ifndef HN_PROCESS_IDLE_H
#define HN_PROCESS_IDLE_H

#include <stdint.h>

/* 0 while another thread runs or could run. Else how often all of them have gone to sleep so far,
 * plus one: the same number twice says that none was awake in between. */
uint64_t hn_process_idle_wakes(void);

#endif
