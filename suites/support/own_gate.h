/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A gate that is built from streams and events, for targets whose adapter offers no gate: the
 * held stream waits for an event after long work on another stream. own_gate.py is the same for
 * Python checks. The gate opens by itself when that work is done, so the check must show two
 * facts. Before the check, the stream must wait behind the gate while the work runs. At each
 * violation behind the closed gate, and when the check opens the gate, the work must still be
 * running. Otherwise the check is unobservable. If the device finishes all work within its
 * calls, its streams may still be queues. Then the long work is a chain of events for which two
 * streams wait in turn.
 */
#ifndef ASSAY_OWN_GATE_H
#define ASSAY_OWN_GATE_H

#include "expect.h"

struct assay_own_gate;

/* [main] Ends the check as unobservable if it cannot show that a gate holds the stream. While a
 * gate is closed, a second gate must be for the same stream. The second gate holds the stream
 * after the first has opened. */
struct assay_own_gate *assay_own_gate_close(struct assay_line at, struct bridge_stream stream,
                                            int events_will_do);
/* [any] Returns whether the work that holds the gate is still running. */
int assay_own_gate_is_closed(struct assay_own_gate *gate);
/* [any] Waits until that work is done. */
void assay_own_gate_open(struct assay_own_gate *gate);
/* [main] Opens the gate if it is closed. */
void assay_own_gate_finish(struct assay_own_gate *gate);

#endif
