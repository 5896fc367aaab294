/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay run --expectations: the gate over the run that has just ended, without a base run. What the
 * journal says is not touched by it.
 */
#ifndef HN_RUN_GATE_H
#define HN_RUN_GATE_H

#include "gate_input.h"
#include "session.h"

struct hn_run_gate {
    const char *expectations; /* a file, or a folder that holds <target>.yaml */
    struct hn_gate_input *input;
    struct ci_result result;
};

/* Before the run: is the file in order? Says what is not. Returns 0 or an exit status. */
int hn_run_gate_begin(struct hn_run_gate *gate, const char *expectations,
                      struct hn_findings *findings);
/* After it. The exit status is ci_exit_status of the result. */
int hn_run_gate_judge(struct hn_run_gate *gate, struct hn_session *session);
void hn_run_gate_finish(struct hn_run_gate *gate); /* takes a zeroed one */

#endif
