/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arithmetic of the allocator's statistics. The caller holds the allocator's lock.
 */
#ifndef FD_MEMORY_STATS_H
#define FD_MEMORY_STATS_H

#include "fakedev.h"

void fd_stat_grow(struct fd_stat *stat, uint64_t amount);
void fd_stat_shrink(struct fd_stat *stat, uint64_t amount);
/* Peaks become the current values. */
void fd_memory_stats_reset_peak(struct fd_memory_stats *stats);
/* Sums and event counts become 0; current values and peaks stay. */
void fd_memory_stats_reset_accumulated(struct fd_memory_stats *stats);

#endif
