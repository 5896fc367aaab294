/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text of `assay run` after the run, besides the progress that the supervisor shows.
 */
#ifndef HN_RUN_TEXT_H
#define HN_RUN_TEXT_H

#include "gate_decide.h"
#include "supervisor.h"

/* Silent when the run is. */
void hn_run_print_summary(const struct hn_run_input *input, const struct hn_run_summary *summary);
/* The checks that took longest, at most `most`; their processes' start is no part of it. */
void hn_run_print_durations(const struct hn_run_input *input, const struct hn_run_summary *summary,
                            size_t most);
/* `decision`: the gate's, NULL when it was not asked. Returns an exit status. */
int hn_run_print_json(const struct hn_run_input *input, const struct hn_run_summary *summary,
                      const struct ci_result *decision);

#endif
