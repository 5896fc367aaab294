/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The device of a tensor. Called by checks; expect.h has the expectations that need no tensor.
 */
#ifndef ASSAY_TENSOR_DEVICE_H
#define ASSAY_TENSOR_DEVICE_H

#include "expect.h"

/* Expects that a tensor and its storage are on this device. A tensor without a storage still has
 * a device. */
#define expect_on_device(check, tensor, index, what)                                               \
    assay_expect_on_device(ASSAY_LINE(check), (tensor), (index), (what))

/* Skips the check (the capability `storage` is absent) if tensors have no storage, or if storages
 * have no address. Both are legal. */
void assay_need_storage(struct assay_line at);
int assay_expect_on_device(struct assay_line at, const struct bridge_tensor *tensor, int32_t index,
                           const char *what);

#endif
