/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts of a process that may legally grow, but stop when a check is run again and again: threads,
 * open files, memory that a device has handed out. Called by both hosts, in a job that repeats its
 * check (assay run --growth).
 */
#ifndef HN_PROCESS_GROWTH_H
#define HN_PROCESS_GROWTH_H

#include "adapter.h"
#include "host_callbacks.h"

/* -1: cannot be seen. */
ASSAY_EXPORT int64_t hn_count_threads(void);
ASSAY_EXPORT int64_t hn_count_files(void);

/* Waits for what is under way: on the devices, and, for a while, in threads that are about to end. `adapter` may be
 * NULL. */
ASSAY_EXPORT void hn_growth_measure(struct hn_adapter *adapter, const int32_t *devices,
                                    uint32_t count, struct hn_growth *growth);

#endif
