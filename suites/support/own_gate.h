/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A gate that is built from streams and events, for targets whose adapter offers none: the held
 * stream waits for an event after long work on another stream. own_gate.py is the same for Python
 * checks. The gate opens by itself when that work is done, so two facts must be shown. Before the
 * check, a stream behind the gate does not continue while the work runs. Whenever a violation is
 * found while the gate should be closed, and at the end, the work is still running. Otherwise the
 * check is unobservable. If the device finishes all work within its calls, two streams that wait
 * for each other's events are the long work, because streams may still be queues.
 */
#ifndef ASSAY_OWN_GATE_H
#define ASSAY_OWN_GATE_H

#include "expect.h"

struct assay_own_gate;

/* [main] Ends the check as unobservable if no gate can be shown to hold. A second gate while the
 * first is closed must be for the same stream. It keeps holding the stream after the first has
 * opened. */
struct assay_own_gate *assay_own_gate_close(struct assay_line at, struct bridge_stream stream,
                                            int events_will_do);
/* [any] Whether the work that holds the gate is still running. */
int assay_own_gate_is_closed(struct assay_own_gate *gate);
/* [any] Returns when that work is done. */
void assay_own_gate_open(struct assay_own_gate *gate);
/* [main] Opens the gate if it is closed. */
void assay_own_gate_finish(struct assay_own_gate *gate);

#endif
