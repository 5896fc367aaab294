/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tensors and blocks of a kind that this backend accepts, for checks in which dtype and size do not
 * matter. On a backend that accepts the common kinds, the check chooses. Otherwise they have the
 * kind that the warm-up job found.
 */
#ifndef ASSAY_SAMPLE_H
#define ASSAY_SAMPLE_H

#include "expect.h"

/* aten::empty: `elements` elements in one dimension. */
int32_t assay_sample_empty(struct assay_check *check, int32_t dtype, int64_t elements,
                           int32_t device, struct bridge_tensor **tensor);
/* A CPU tensor whose bytes count up from 1. */
int32_t assay_sample_made(struct assay_check *check, int32_t dtype, int64_t elements,
                          struct bridge_tensor **tensor);
/* Copies a sample to the device and back. If calls return before their work is done, an error is
 * raised here at the latest. */
int32_t assay_sample_round_trip(struct assay_check *check, int32_t device);
/* The bytes of a block: so many, unless the backend has one block size. */
uint64_t assay_sample_bytes(struct assay_check *check, uint64_t bytes);

/* 1 if the backend accepts tensors of only one size. */
int assay_sample_is_of_one_size(struct assay_check *check);

/* Ends the check if the devices accept only tensors of another kind. */
#define assay_need_any_kind(check) assay_need_kind(ASSAY_LINE(check), 1)
/* Like assay_need_any_kind, if only the size must be another one. */
#define assay_need_any_size(check) assay_need_kind(ASSAY_LINE(check), 0)
void assay_need_kind(struct assay_line at, int dtype_too);

#endif
