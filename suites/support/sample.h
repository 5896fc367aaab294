/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tensors and blocks of a kind that this backend accepts, for checks in which dtype and size do not
 * matter. If the backend accepts the common kinds, the check chooses dtype and size. Otherwise
 * samples have the only kind that the warm-up job found.
 */
#ifndef ASSAY_SAMPLE_H
#define ASSAY_SAMPLE_H

#include "expect.h"

/* Calls aten::empty for `elements` elements in one dimension. */
int32_t assay_sample_empty(struct assay_check *check, int32_t dtype, int64_t elements,
                           int32_t device, struct bridge_tensor **tensor);
/* Creates a CPU tensor whose bytes count up from 1. */
int32_t assay_sample_made(struct assay_check *check, int32_t dtype, int64_t elements,
                          struct bridge_tensor **tensor);
/* Copies a sample to the device and back. If calls return before their work is done, an error is
 * raised here at the latest. */
int32_t assay_sample_round_trip(struct assay_check *check, int32_t device);
/* Returns the size of a block: `bytes`, or the only size that the backend supports. */
uint64_t assay_sample_bytes(struct assay_check *check, uint64_t bytes);

/* Returns 1 if the backend accepts tensors of only one size. */
int assay_sample_is_of_one_size(struct assay_check *check);

/* Ends the check if the devices accept only tensors of one kind. */
#define assay_need_any_kind(check) assay_need_kind(ASSAY_LINE(check), 1)
/* Like assay_need_any_kind, for checks that choose only the size and not the dtype. */
#define assay_need_any_size(check) assay_need_kind(ASSAY_LINE(check), 0)
void assay_need_kind(struct assay_line at, int dtype_too);

#endif
