/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Updates of the allocator's statistics. The caller holds the allocator's lock.
 */
#ifndef FD_MEMORY_STATS_H
#define FD_MEMORY_STATS_H

#include "fakedev.h"

void fd_stat_grow(struct fd_stat *stat, uint64_t amount);
void fd_stat_shrink(struct fd_stat *stat, uint64_t amount);
/* Sets the peaks to the current values. */
void fd_memory_stats_reset_peak(struct fd_memory_stats *stats);
/* Sets the totals and event counts to 0. Current values and peaks are unchanged. */
void fd_memory_stats_reset_accumulated(struct fd_memory_stats *stats);

#endif
