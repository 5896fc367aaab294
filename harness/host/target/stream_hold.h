/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Holds a stream by the target's gate for a Python check. A thread of the harness opens the gate
 * when the whole process waits for the stream. A Python thread could not do this, because PyTorch
 * holds the GIL in some of its waits (torch.save). Used by assay/host/target_library.py.
 */
#ifndef HN_STREAM_HOLD_H
#define HN_STREAM_HOLD_H

#include "adapter.h"

struct hn_stream_hold;

/* Closes a gate on the stream with PyTorch's id `stream`. The gate opens in three cases: every
 * thread is asleep (the called function waits for the stream); the process has used seconds of
 * processor time (the process waits by spinning); or `milliseconds` have passed. The gate never
 * opens while the process works. ASSAY_EUNSUPPORTED: this target has no gate, or cannot hold this
 * stream. */
ASSAY_EXPORT int32_t hn_stream_hold_begin(struct hn_adapter *adapter, int32_t device,
                                          int64_t stream, int64_t milliseconds,
                                          struct hn_stream_hold **hold);
/* Opens the gate if it is still closed. Returns 1 if it was already open, else 0. */
ASSAY_EXPORT int32_t hn_stream_hold_end(struct hn_stream_hold *hold);

#endif
