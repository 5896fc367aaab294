/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work that goes on after the calls that gave it to a stream have returned, as long_work.py has it for checks in Python.
 * Whether it goes on is asked of the data alone: its last part fills a flag, which another stream reads.
 */
#ifndef ASSAY_LONG_WORK_H
#define ASSAY_LONG_WORK_H

#include "expect.h"

struct assay_long_work {
    struct bridge_stream worker, reader; /* of one device */
    struct bridge_tensor *ones, *from, *to;
    const char *part; /* an operator on both */
    int64_t parts;    /* of one piece of work */
};

/* Work of the device that was seen to go on; NULL, else why there is none, valid until the next call. */
const char *assay_long_work_find(struct assay_check *check, int32_t device,
                                 struct assay_long_work *work);
void assay_long_work_free(struct assay_long_work *work);

/* A flag that is not filled, made on the stream that is the first to use it. */
int32_t assay_long_work_flag(const struct assay_long_work *work, struct bridge_stream stream,
                             struct bridge_tensor **flag);
/* Fills the flag on the stream, behind what is there. */
int32_t assay_long_work_fill(const struct assay_long_work *work, struct bridge_stream stream,
                             const struct bridge_tensor *flag);
/* Gives one piece of work to the worker; its end fills the flag. */
int32_t assay_long_work_give(const struct assay_long_work *work, const struct bridge_tensor *flag);
/* [any] Read on a stream that waits for nobody. A flag that cannot be read counts as filled: nothing was seen. */
int assay_long_work_filled(const struct assay_long_work *work, const struct bridge_tensor *flag);
/* [any] Returns when the flag is filled, or half of the check's time is over. */
void assay_long_work_wait(struct assay_check *check, const struct assay_long_work *work,
                          const struct bridge_tensor *flag);

#endif
