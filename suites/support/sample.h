/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tensors and blocks of a kind that this backend takes, for checks that need some, whatever dtype and size: those that the
 * check names on a backend that takes what others do, else those that went to the device in the warm-up.
 */
#ifndef ASSAY_SAMPLE_H
#define ASSAY_SAMPLE_H

#include "expect.h"

/* aten::empty: `elements` in one dimension. */
int32_t assay_sample_empty(struct assay_check *check, int32_t dtype, int64_t elements,
                           int32_t device, struct bridge_tensor **tensor);
/* On the CPU, its bytes counted up from 1. */
int32_t assay_sample_made(struct assay_check *check, int32_t dtype, int64_t elements,
                          struct bridge_tensor **tensor);
/* There and back. Where calls return before their work is done, what is wrong with it is told here at the latest. */
int32_t assay_sample_round_trip(struct assay_check *check, int32_t device);
/* Bytes of a block: that many, unless blocks are of one size. */
uint64_t assay_sample_bytes(struct assay_check *check, uint64_t bytes);

/* 1: tensors of one size alone. */
int assay_sample_is_of_one_size(struct assay_check *check);

/* Ends the check where the devices take only tensors of another kind: nothing can be said of them. */
#define assay_need_any_kind(check) assay_need_kind(ASSAY_LINE(check), 1)
/* The same where only the size is another one, of whatever dtype. */
#define assay_need_any_size(check) assay_need_kind(ASSAY_LINE(check), 0)
void assay_need_kind(struct assay_line at, int dtype_too);

#endif
