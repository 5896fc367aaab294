/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A stream held by the target's gate for a Python check, and opened from a thread of ours when the
 * whole process waits for it: PyTorch keeps the interpreter's lock in some of its waits
 * (torch.save), so no Python thread could do it. Used by assay/host/target_library.py.
 */
#ifndef HN_STREAM_HOLD_H
#define HN_STREAM_HOLD_H

#include "adapter.h"

struct hn_stream_hold;

/* Closes a gate on the stream with PyTorch's id `stream`. It opens when every thread is seen to
 * sleep (what was called waits for the stream), when the process has burnt seconds of processor
 * time (it waits by spinning), and after `milliseconds`; never while the process works.
 * ASSAY_EUNSUPPORTED: this target offers no gate, or cannot hold this stream. */
ASSAY_EXPORT int32_t hn_stream_hold_begin(struct hn_adapter *adapter, int32_t device,
                                          int64_t stream, int64_t milliseconds,
                                          struct hn_stream_hold **hold);
/* Opens the gate now if it is still closed. 1 if it had been opened before, else 0. */
ASSAY_EXPORT int32_t hn_stream_hold_end(struct hn_stream_hold *hold);

#endif
