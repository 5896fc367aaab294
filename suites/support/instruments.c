/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See instruments.h. A failure of an instrument says nothing about the backend, so the check ends
 * as broken.
 */
#include "instruments.h"

static const void *instrument(struct assay_line at, const char *id, void **target)
{
    const void *const table = at.check->host->extension(at.check, id, target);
    if (!table)
        assay_give_up(at, ASSAY_FINDING_UNOBSERVABLE, id, "the target's adapter does not offer it");
    return table;
}

void assay_hold_stream(struct assay_line at, struct bridge_stream stream, struct assay_held *held,
                       int events_will_do)
{
    *held = (struct assay_held){0};
    held->table = at.check->host->extension(at.check, ASSAY_GATE, &held->target);
    if (!held->table) {
        held->own = assay_own_gate_close(at, stream, events_will_do);
        return;
    }
    const int32_t status = held->table->close(held->target, stream.device, stream.id, &held->gate);
    if (status == ASSAY_EUNSUPPORTED) {
        assay_give_up(at, ASSAY_FINDING_UNOBSERVABLE, ASSAY_GATE,
                      "the device cannot hold a stream");
    }
    assay_require_means(at, status == ASSAY_OK, "the adapter closes a gate on the stream");
}

int assay_gate_is_closed(const struct assay_held *held)
{
    return !held->own || assay_own_gate_is_closed(held->own);
}

void assay_expect_meanwhile(struct assay_line at, const struct assay_held *held, int returned,
                            const char *call, const char *what)
{
    if (!returned && held->own)
        assay_say_unobservable(
            at, ASSAY_GATE, "no adapter offers a gate, and the gate of the check did not show it");
    else
        assay_expect_int(at, returned, 1, call, what);
}

void assay_gate_open(struct assay_held *held)
{
    if (held->own)
        assay_own_gate_open(held->own);
    else
        held->table->open(held->target, held->gate);
}

void assay_gate_finish(struct assay_held *held)
{
    if (held->own)
        assay_own_gate_finish(held->own);
    else
        held->table->destroy(held->target, held->gate);
    *held = (struct assay_held){0};
}

uint64_t assay_read_counter(struct assay_line at, const char *name)
{
    void *target = NULL;
    uint64_t value = 0;
    const struct assay_counters *const counters = instrument(at, ASSAY_COUNTERS, &target);
    if (counters->read(target, name, &value) != ASSAY_OK)
        assay_give_up(at, ASSAY_FINDING_UNOBSERVABLE, name, "the adapter has no such counter");
    return value;
}

void assay_live_memory(struct assay_line at, int32_t device, uint64_t *bytes, uint64_t *blocks)
{
    void *target = NULL;
    const struct assay_memory_probe *const probe = instrument(at, ASSAY_MEMORY_PROBE, &target);
    assay_require_means(at, probe->live(target, device, bytes, blocks) == ASSAY_OK,
                        "the adapter counts live memory");
}

void assay_lose_device(struct assay_line at, int32_t device)
{
    void *target = NULL;
    const struct assay_driver_failures *const faults =
        instrument(at, ASSAY_DRIVER_FAILURES, &target);
    assay_require_means(at, faults->lose_device(target, device) == ASSAY_OK,
                        "the adapter makes the device fail");
}
