/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The instruments of a target's adapter, for checks that need them. If the target does not offer a
 * requested instrument, the check ends as unobservable. If the adapter offers no gate, own_gate.h
 * is tried first.
 */
#ifndef ASSAY_INSTRUMENTS_H
#define ASSAY_INSTRUMENTS_H

#include "assay/target.h"
#include "expect.h"
#include "own_gate.h"

/* A stream that is held until assay_gate_open; assay_gate_finish also destroys the gate. */
struct assay_held {
    const struct assay_gate *table;
    void *target;
    void *gate;
    struct assay_own_gate *own; /* used if the adapter offers no gate */
};
#define assay_hold(check, stream, held) assay_hold_stream(ASSAY_LINE(check), (stream), (held), 1)
/* Like assay_hold, for a check about work or memory. A gate made of events is not enough for such a
 * check, because events compute nothing and use no memory. */
#define assay_hold_work(check, stream, held)                                                       \
    assay_hold_stream(ASSAY_LINE(check), (stream), (held), 0)
void assay_hold_stream(struct assay_line at, struct bridge_stream stream, struct assay_held *held,
                       int events_will_do);
/* [any] A check that waits for another thread while the gate is closed must poll this function,
 * because a gate of own_gate.h opens by itself. */
int assay_gate_is_closed(const struct assay_held *held);
/* [any] Expects that a call has returned although the stream is held. With a gate of own_gate.h, a
 * call that has not returned is no failure, because a busy machine may not have run it yet. */
#define expect_returned_meanwhile(check, held, returned, what)                                     \
    assay_expect_meanwhile(ASSAY_LINE(check), (held), (returned), #returned, (what))
void assay_expect_meanwhile(struct assay_line at, const struct assay_held *held, int returned,
                            const char *call, const char *what);
void assay_gate_open(struct assay_held *held);
void assay_gate_finish(struct assay_held *held);

/* Returns the value of the driver's counter since the driver started. */
#define assay_counted(check, name) assay_read_counter(ASSAY_LINE(check), (name))
uint64_t assay_read_counter(struct assay_line at, const char *name);
/* Reads how many bytes and blocks the driver reports as allocated. */
#define assay_live(check, device, bytes, blocks)                                                   \
    assay_live_memory(ASSAY_LINE(check), (device), (bytes), (blocks))
void assay_live_memory(struct assay_line at, int32_t device, uint64_t *bytes, uint64_t *blocks);
/* From now on the driver answers every call on the device with an error. */
#define assay_lose(check, device) assay_lose_device(ASSAY_LINE(check), (device))
void assay_lose_device(struct assay_line at, int32_t device);

#endif
