/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the user sees while a run goes on: one line that changes on a terminal, plain lines
 * elsewhere, and a line for everything that is not well. The only code of a run that prints.
 */
#ifndef HN_PROGRESS_H
#define HN_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

#include "outcome.h"

struct hn_progress {
    FILE *out; /* NULL: silence */
    int terminal;
    size_t total, done, tenth;
    size_t totals[HN_VERDICTS];
    int64_t start_ns, shown_ns;
    int line_is_open;
};

void hn_progress_init(struct hn_progress *progress, FILE *out, int plain, size_t total);
/* A final verdict came in. */
void hn_progress_verdict(struct hn_progress *progress, const struct hn_task *task,
                         const struct hn_outcome *outcome);
/* A sentence of the supervisor's own. */
void hn_progress_say(struct hn_progress *progress, const char *text);
void hn_progress_finish(struct hn_progress *progress);

#endif
