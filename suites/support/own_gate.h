/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A gate of core's own means, where no adapter offers one: the stream waits for an event behind long work on another one, as
 * own_gate.py has it for checks in Python. It opens by itself when that work is done, so two things are shown of it:
 * before, that a stream behind it has not gone on while the work did; and that the work goes on whenever something wrong is
 * found while it should be closed, and at the end. Where that is not so, the check is unobservable. Where all work is done
 * within its calls, two streams that hand on to each other are the long work: streams may be queues all the same.
 */
#ifndef ASSAY_OWN_GATE_H
#define ASSAY_OWN_GATE_H

#include "expect.h"

struct assay_own_gate;

/* [main] Ends the check as unobservable where no gate can be made that is seen to hold. A second one while the first is closed
 * is for the same stream: it goes on holding it when the first has opened. */
struct assay_own_gate *assay_own_gate_close(struct assay_line at, struct bridge_stream stream,
                                            int events_will_do);
/* [any] Whether the work behind it goes on. */
int assay_own_gate_is_closed(struct assay_own_gate *gate);
/* [any] Returns when the work is done. */
void assay_own_gate_open(struct assay_own_gate *gate);
/* [main] Opens it if it is closed. */
void assay_own_gate_finish(struct assay_own_gate *gate);

#endif
