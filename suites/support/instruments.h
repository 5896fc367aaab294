/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The instruments of a target's adapter, for checks that need them. Asking for one that the target
 * does not offer ends the check as unobservable; in place of a gate one of our own is tried first.
 */
#ifndef ASSAY_INSTRUMENTS_H
#define ASSAY_INSTRUMENTS_H

#include "assay/target.h"
#include "expect.h"
#include "own_gate.h"

/* A stream held until assay_gate_open. Opened and destroyed by assay_gate_finish. */
struct assay_held {
    const struct assay_gate *table;
    void *target;
    void *gate;
    struct assay_own_gate *own; /* where the adapter offers none */
};
#define assay_hold(check, stream, held) assay_hold_stream(ASSAY_LINE(check), (stream), (held), 1)
/* The same for a check that speaks of work or of memory: a chain of events is no work that anybody has to wait for, and uses no
 * memory. */
#define assay_hold_work(check, stream, held)                                                       \
    assay_hold_stream(ASSAY_LINE(check), (stream), (held), 0)
void assay_hold_stream(struct assay_line at, struct bridge_stream stream, struct assay_held *held,
                       int events_will_do);
/* [any] Who waits for something to happen meanwhile has to look: a gate of our own opens by itself. */
int assay_gate_is_closed(const struct assay_held *held);
/* [any] A call has returned although the stream is held. Behind a gate of our own one that has not is no failure: on a busy
 * machine nobody knows whether it had the time. */
#define expect_returned_meanwhile(check, held, returned, what)                                     \
    assay_expect_meanwhile(ASSAY_LINE(check), (held), (returned), #returned, (what))
void assay_expect_meanwhile(struct assay_line at, const struct assay_held *held, int returned,
                            const char *call, const char *what);
void assay_gate_open(struct assay_held *held);
void assay_gate_finish(struct assay_held *held);

/* The number that the driver has counted under this name since it started. */
#define assay_counted(check, name) assay_read_counter(ASSAY_LINE(check), (name))
uint64_t assay_read_counter(struct assay_line at, const char *name);
/* Bytes and blocks the driver says are handed out. */
#define assay_live(check, device, bytes, blocks)                                                   \
    assay_live_memory(ASSAY_LINE(check), (device), (bytes), (blocks))
void assay_live_memory(struct assay_line at, int32_t device, uint64_t *bytes, uint64_t *blocks);
/* From now on the driver answers every call on the device with an error. */
#define assay_lose(check, device) assay_lose_device(ASSAY_LINE(check), (device))
void assay_lose_device(struct assay_line at, int32_t device);

#endif
