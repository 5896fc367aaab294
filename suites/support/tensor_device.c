/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See tensor_device.h.
 */
#include "tensor_device.h"
#include "sample.h"

#define SEEN "the %s is on device %d, expected %d"

int assay_expect_on_device(struct assay_line at, const struct bridge_tensor *tensor, int32_t index,
                           const char *what)
{
    struct bridge_tensor_facts facts = {0};
    assay_require_ok(at, bridge_tensor_describe(tensor, &facts), "describing a tensor");
    const int held = assay_expect_that(at, facts.device == index, what, SEEN, "tensor",
                                       (int)facts.device, (int)index);
    if (!facts.has_storage)
        return held;
    return assay_expect_that(at, facts.storage_device == index, what, SEEN, "storage",
                             (int)facts.storage_device, (int)index) &&
           held;
}

void assay_need_storage(struct assay_line at)
{
    struct bridge_tensor *tensor = NULL;
    struct bridge_tensor_facts facts = {0};
    assay_require_ok(
        at, assay_sample_empty(at.check, BRIDGE_FLOAT, 1, assay_device(at.check, 0), &tensor),
        "making a tensor");
    assay_require_ok(at, bridge_tensor_describe(tensor, &facts), "describing a tensor");
    bridge_tensor_free(tensor);
    if (!facts.has_storage || !facts.storage_data) {
        assay_give_up(at, ASSAY_FINDING_SKIP, "storage",
                      "tensors of the device have no storage, or their storage has no address");
    }
}
