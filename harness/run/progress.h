/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shows the progress of a run: on a terminal, one line that is redrawn at least each second;
 * elsewhere, plain lines. In both forms, each check without a good verdict has a line. No other
 * file of a run may print.
 */
#ifndef HN_PROGRESS_H
#define HN_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

#include "outcome.h"

struct hn_progress {
    FILE *out;             /* NULL: print nothing */
    const char *label;     /* name of a calibration; only the name and the time are shown */
    const char *under_way; /* what the run waits for, or "" */
    int terminal, colour, counts_only;
    size_t total, done, tenth;
    size_t totals[HN_VERDICTS];
    int64_t start_ns, shown_ns;
    int line_is_open;
};

void hn_progress_init(struct hn_progress *progress, FILE *out, int plain, size_t total);
/* For long work before a run: shows `label` and the time, on a terminal only. */
void hn_progress_wait(struct hn_progress *progress, FILE *out, int plain, const char *label);
/* Called once per second; `under_way` names what the run waits for, or is "". */
void hn_progress_tick(struct hn_progress *progress, const char *under_way);
/* Called for each final verdict. */
void hn_progress_verdict(struct hn_progress *progress, const struct hn_task *task,
                         const struct hn_outcome *outcome);
/* Prints a sentence of the supervisor. */
void hn_progress_say(struct hn_progress *progress, const char *text);
void hn_progress_finish(struct hn_progress *progress);

#endif
