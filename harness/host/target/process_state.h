/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State that a check must leave as it was, asked before it and after it: of the calling thread and of
 * PyTorch as a whole. Called by both hosts, in the job; one job at a time.
 *
 * PyTorch's own state (bridge_state_visit) can always be asked. What the backend is asked is said by `may`, which
 * a warm-up has tried out: no question may start a device. 0 of `may`: the backend is not asked.
 */
#ifndef HN_PROCESS_STATE_H
#define HN_PROCESS_STATE_H

#include <stddef.h>

#include "assay/status.h"

#define HN_MAY_DEVICE 1  /* to ask for the current device starts nothing */
#define HN_MAY_STREAMS 2 /* nor to ask for the current streams */
/* To ask for streams starts a device, but the hooks tell which are in use; and each begins with its
 * default stream (STRM-001), so that is what was current before the first use. */
#define HN_MAY_USED_STREAMS 4

/* Takes down how things are. */
ASSAY_EXPORT void hn_state_take(int may, const int32_t *devices, uint32_t count);
/* Asks again, and writes a sentence for each answer that is another one now, with line feeds
 * between them; "" when nothing has changed. What does not answer any more is not compared. */
ASSAY_EXPORT void hn_state_compare(int may, const int32_t *devices, uint32_t count, char *text,
                                   size_t size);

/* For a process that has loaded the target, has not used it and is good for nothing afterwards, in this order:
 * HN_MAY_DEVICE or 0, then HN_MAY_STREAMS, HN_MAY_USED_STREAMS or 0. A question is harmless when it
 * takes no time to speak of and leaves no thread, open file or context behind. */
ASSAY_EXPORT int hn_state_try_device(const int32_t *devices, uint32_t count);
ASSAY_EXPORT int hn_state_try_streams(const int32_t *devices, uint32_t count);

#endif
