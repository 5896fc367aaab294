/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay next: how far a backend is, and what to do now. Done by guide/next_step.py.
 */
#include "commands.h"

static const struct hn_option options[] = {
    {"format", "text|json|shields",
     "json: stages and what is open; shields: a badge that says the stage"},
};

const struct hn_command hn_cmd_next = {
    .name = "next",
    .summary = "how far a backend is, and what to do now",
    .usage = "[RUN] [OPTIONS]",
    .help =
        "Reads a run (default: runs/last) and says which stage the backend has reached:\n"
        "  bring-up   a tensor goes there, is worked on, and comes back\n"
        "  usable     models run, and what is missing says so\n"
        "  training   gradients, random numbers, mixed precision, optimizers\n"
        "  complete   streams, events, and all that should be there\n"
        "Of the first that is not reached, the one thing that holds up most checks: the clause, "
        "what goes wrong without it, a right implementation to look at, and the command that shows "
        "it done. Stages are selections, too: assay run --select bring-up.\n\n"
        "  assay run --target mine.yaml && assay next\n"
        "  assay next runs/last --format shields > stage.json\n\n"
        "Exit status 0 every stage is reached, 1 not yet, 65 there is no such run.\n",
    HN_OPTIONS(options),
    .python = {"guide", "next_step"},
    .words = {0, 1, "give one run"},
};
