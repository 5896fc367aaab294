/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See sample.h.
 */
#include "sample.h"
#include "refusal.h"

#include <stdio.h>
#include <stdlib.h>

static struct bridge_kind kind_of(struct assay_check *check, int32_t dtype, int64_t elements)
{
    struct bridge_kind kind = {.dtype = dtype};
    const char *const words = assay_only_kind(check);
    assay_use_sample(check);
    if (words)
        require_means(check, bridge_tensor_kind_read(words, &kind) == ASSAY_OK,
                      "the kind of tensor that the run has found is valid");
    if (!kind.dim) {
        kind.dim = 1;
        kind.sizes[0] = elements;
    }
    return kind;
}

int32_t assay_sample_empty(struct assay_check *check, int32_t dtype, int64_t elements,
                           int32_t device, struct bridge_tensor **tensor)
{
    const struct bridge_kind kind = kind_of(check, dtype, elements);
    return bridge_tensor_empty(kind.sizes, kind.dim, kind.dtype, device, tensor);
}

int32_t assay_sample_made(struct assay_check *check, int32_t dtype, int64_t elements,
                          struct bridge_tensor **tensor)
{
    const struct bridge_kind kind = kind_of(check, dtype, elements);
    struct bridge_tensor *made = NULL;
    struct bridge_tensor_facts facts = {0};
    require_ok(check, bridge_tensor_empty(kind.sizes, kind.dim, kind.dtype, BRIDGE_CPU, &made));
    require_ok(check, bridge_tensor_describe(made, &facts));
    bridge_tensor_free(made);
    uint8_t *const bytes = calloc(facts.bytes + 1, 1);
    require_means(check, bytes != NULL, "there is memory for a tensor");
    for (uint64_t i = 0; i < facts.bytes; i++)
        bytes[i] = (uint8_t)(i % 120 + 1);
    const int32_t status =
        bridge_tensor_from_bytes(bytes, facts.bytes, kind.sizes, kind.dim, kind.dtype, tensor);
    free(bytes);
    return status;
}

int32_t assay_sample_round_trip(struct assay_check *check, int32_t device)
{
    struct bridge_tensor *made = NULL, *there = NULL, *back = NULL;
    int32_t status = assay_sample_made(check, BRIDGE_UINT8, 4, &made);
    if (status == ASSAY_OK)
        status = bridge_tensor_to(made, device, &there);
    if (status == ASSAY_OK)
        status = bridge_tensor_to(there, BRIDGE_CPU, &back);
    bridge_tensor_free(back);
    bridge_tensor_free(there);
    bridge_tensor_free(made);
    return status;
}

int assay_sample_is_of_one_size(struct assay_check *check)
{
    return kind_of(check, BRIDGE_UINT8, 0).sizes[0] > 0;
}

uint64_t assay_sample_bytes(struct assay_check *check, uint64_t bytes)
{
    struct bridge_kind kind = {0};
    const char *const words = assay_only_kind(check);
    assay_use_sample(check);
    if (!words || bridge_tensor_kind_read(words, &kind) != ASSAY_OK || !kind.dim)
        return bytes;
    uint64_t all = kind.element_bytes;
    for (int32_t i = 0; i < kind.dim; i++)
        all *= (uint64_t)kind.sizes[i];
    return all;
}

void assay_need_kind(struct assay_line at, int dtype_too)
{
    struct bridge_kind kind = {0};
    char why[160];
    const char *const words = assay_only_kind(at.check);
    if (!words || bridge_tensor_kind_read(words, &kind) != ASSAY_OK || (!kind.dim && !dtype_too))
        return;
    snprintf(why, sizeof why, "the device takes tensors of %s, and the check needs others", words);
    assay_give_up(at, ASSAY_FINDING_SKIP, why, why);
}
