/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Progress of a run, as the user sees it: one line that changes on a terminal, each second at least,
 * plain lines elsewhere, and a line for everything that is not well. The only code of a run that prints.
 */
#ifndef HN_PROGRESS_H
#define HN_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

#include "outcome.h"

struct hn_progress {
    FILE *out;             /* NULL: silence */
    const char *label;     /* of something beside the run: nothing but this and the time is shown */
    const char *under_way; /* or "" */
    int terminal, colour, counts_only;
    size_t total, done, tenth;
    size_t totals[HN_VERDICTS];
    int64_t start_ns, shown_ns;
    int line_is_open;
};

void hn_progress_init(struct hn_progress *progress, FILE *out, int plain, size_t total);
/* For something beside a run, which takes a while: `label` with the time, on a terminal only. */
void hn_progress_wait(struct hn_progress *progress, FILE *out, int plain, const char *label);
/* A second passed; `under_way` is a word on what is waited for, or "". */
void hn_progress_tick(struct hn_progress *progress, const char *under_way);
/* A final verdict came in. */
void hn_progress_verdict(struct hn_progress *progress, const struct hn_task *task,
                         const struct hn_outcome *outcome);
/* A sentence of the supervisor's own. */
void hn_progress_say(struct hn_progress *progress, const char *text);
void hn_progress_finish(struct hn_progress *progress);

#endif
