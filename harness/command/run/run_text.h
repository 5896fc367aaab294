/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text that `assay run` prints after the run. The supervisor prints the progress.
 */
#ifndef HN_RUN_TEXT_H
#define HN_RUN_TEXT_H

#include "gate_decide.h"
#include "supervisor.h"

/* Prints nothing if the run is quiet. */
void hn_run_print_summary(const struct hn_run_input *input, const struct hn_run_summary *summary);
/* Prints the checks that took longest, at most `most`. The start of a process is not included. */
void hn_run_print_durations(const struct hn_run_input *input, const struct hn_run_summary *summary,
                            size_t most);
/* `decision`: the decision of the gate, or NULL. Returns an exit status. */
int hn_run_print_json(const struct hn_run_input *input, const struct hn_run_summary *summary,
                      const struct ci_result *decision);

#endif
