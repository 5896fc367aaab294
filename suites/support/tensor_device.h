/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a tensor is. Called by checks; expect.h has what needs no tensor.
 */
#ifndef ASSAY_TENSOR_DEVICE_H
#define ASSAY_TENSOR_DEVICE_H

#include "expect.h"

/* A tensor and its storage are on this device. One without a storage has a device all the same. */
#define expect_on_device(check, tensor, index, what)                                               \
    assay_expect_on_device(ASSAY_LINE(check), (tensor), (index), (what))

/* Ends the check as lacking `storage` if tensors have none, or one without an address: both are legal. */
void assay_need_storage(struct assay_line at);
int assay_expect_on_device(struct assay_line at, const struct bridge_tensor *tensor, int32_t index,
                           const char *what);

#endif
