/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One question to a target in a throw-away process: `python -m assay.host.probe REQUEST ANSWER`.
 * The answer file outlives a crash or a hang of that process. Called by cmd_probe.c and target_preflight.c.
 */
#ifndef HN_PROBE_PROCESS_H
#define HN_PROBE_PROCESS_H

#include <stddef.h>
#include <stdint.h>

#include "hn_error.h"
#include "side_process.h"

struct hn_probe_process {
    const char *python;
    const char *const *environment; /* "NAME=value", added to this program's */
    size_t environment_count;
    const char *folder; /* for the two files; its own */
    int64_t deadline_ms;
    struct hn_progress *progress; /* ticks while it runs; or NULL */
};

/* Writes the request, runs, reads the answer: *answer is the caller's to free, NULL when there is
 * none. HN_OK also when the process died: `ended` says how. */
int hn_probe_ask(const struct hn_probe_process *process, const char *request, size_t length,
                 char **answer, size_t *answer_length, char ended[HN_SIDE_ENDED],
                 struct hn_error *error);

#endif
