/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Queries the state that a check must not change, before and after the check: the state of the
 * calling thread and of PyTorch as a whole. Called by both hosts, in the job; one job at a time.
 *
 * PyTorch's own state (bridge_state_visit) can always be queried. `may` lists the queries of the
 * backend that start no device; a warm-up has found them. If `may` is 0, the backend is not
 * queried.
 */
#ifndef HN_PROCESS_STATE_H
#define HN_PROCESS_STATE_H

#include <stddef.h>

#include "assay/status.h"

#define HN_MAY_DEVICE 1  /* a query for the current device starts nothing */
#define HN_MAY_STREAMS 2 /* a query for the current streams starts nothing */
/* A query for streams starts a device, but the hooks report which devices are in use. A device that
 * was not in use had its default stream (STRM-001). */
#define HN_MAY_USED_STREAMS 4

/* Stores the present state. */
ASSAY_EXPORT void hn_state_take(int may, const int32_t *devices, uint32_t count);
/* Queries the state again, and writes a sentence for each value that has changed, separated by
 * line feeds; "" if nothing has changed. Values that can no longer be read are not compared. */
ASSAY_EXPORT void hn_state_compare(int may, const int32_t *devices, uint32_t count, char *text,
                                   size_t size);

/* Call both functions in this order, in a process that has loaded the target, has not used it,
 * and ends afterwards. The first returns HN_MAY_DEVICE or 0, the second HN_MAY_STREAMS,
 * HN_MAY_USED_STREAMS or 0. A harmless query is quick and leaves no thread, open file or
 * context. */
ASSAY_EXPORT int hn_state_try_device(const int32_t *devices, uint32_t count);
ASSAY_EXPORT int hn_state_try_streams(const int32_t *devices, uint32_t count);

#endif
