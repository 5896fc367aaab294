/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work that continues after the calls that enqueued it have returned; long_work.py is the same for
 * Python checks. Data shows whether the work is still running: the last part of the work fills a
 * flag, and another stream reads the flag.
 */
#ifndef ASSAY_LONG_WORK_H
#define ASSAY_LONG_WORK_H

#include "expect.h"

struct assay_long_work {
    struct bridge_stream worker, reader; /* two streams of the same device */
    struct bridge_tensor *ones, *from, *to;
    const char *part; /* an operator on both tensors */
    int64_t parts;    /* the number of parts of one piece of work */
    int is_lost;      /* the end of the work never arrived on the host */
};

/* Finds work that continues after its calls have returned, and stores it in `work`. Returns NULL,
 * or the reason why there is no such work, which is valid until the next call. */
const char *assay_long_work_find(struct assay_check *check, int32_t device,
                                 struct assay_long_work *work);
void assay_long_work_free(struct assay_long_work *work);

/* Creates an unfilled flag, allocated on the stream that uses the flag first. */
int32_t assay_long_work_flag(const struct assay_long_work *work, struct bridge_stream stream,
                             struct bridge_tensor **flag);
/* Fills the flag on the stream, after the work that is already enqueued. */
int32_t assay_long_work_fill(const struct assay_long_work *work, struct bridge_stream stream,
                             const struct bridge_tensor *flag);
/* Enqueues one piece of work on the worker stream. The last part of the work fills the flag. */
int32_t assay_long_work_give(const struct assay_long_work *work, const struct bridge_tensor *flag);
/* [any] Returns whether the flag is filled. A stream without pending work reads the flag. A flag
 * that cannot be read counts as filled, so that no check concludes anything from it. */
int assay_long_work_filled(const struct assay_long_work *work, const struct bridge_tensor *flag);
/* [any] Returns 1 when the flag is filled, or 0 after half of the check's time. */
int assay_long_work_wait(struct assay_check *check, const struct assay_long_work *work,
                         const struct bridge_tensor *flag);

#endif
