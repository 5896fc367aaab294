/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A process beside a run: a build step, a question to the target. It is a group of its own; at its
 * deadline, when it prints or grows without end, and when this program is told to stop, it is killed with
 * everything it started. Nothing of it outlives the call, and it does not outlive this program. Not while a run is under way, whose hosts are children of ours, too.
 */
#ifndef HN_SIDE_PROCESS_H
#define HN_SIDE_PROCESS_H

#include <stddef.h>
#include <stdint.h>

#include "hn_error.h"
#include "progress.h"

#define HN_SIDE_ENDED 256

struct hn_side_process {
    const char *const *words;    /* NULL-terminated */
    const char *const *settings; /* "NAME=value", on top of our environment */
    size_t setting_count;
    const char *folder; /* where it starts; "" or NULL: here */
    const char *log;    /* gets what it prints, behind what is there; NULL: our standard error */
    int answer;         /* with no log: gets its standard output; 0: our standard error does */
    int64_t deadline_ms;
    int64_t most_resident;        /* bytes of memory; 0: hn_resident_limit() */
    struct hn_progress *progress; /* ticks while it runs; or NULL */
};

/* `ended` says how it ended, as in "it died of signal 11"; "" when it left with 0. A process that
 * cannot be started has ended, too. HN_STOPPED_BY only when we were told to stop. */
int hn_side_process_run(const struct hn_side_process *process, char ended[HN_SIDE_ENDED],
                        struct hn_error *error);

#endif
