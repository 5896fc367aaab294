/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sends one request to a target in a throw-away process: `python -m assay.host.probe REQUEST
 * ANSWER`. The answer file survives a crash or hang of that process. Called by cmd_probe.c and
 * target_preflight.c.
 */
#ifndef HN_PROBE_PROCESS_H
#define HN_PROBE_PROCESS_H

#include <stddef.h>
#include <stdint.h>

#include "hn_error.h"
#include "side_process.h"

struct hn_probe_process {
    const char *python;
    const char *const *environment; /* "NAME=value", added to the environment of this program */
    size_t environment_count;
    const char *folder; /* folder for the two files; used by this process only */
    int64_t deadline_ms;
    struct hn_progress *progress; /* is updated while the process runs; or NULL */
};

/* Writes the request, runs the process, and reads the answer. The caller frees *answer, which is
 * NULL if there is no answer. Returns HN_OK also if the process died; `ended` describes its end. */
int hn_probe_ask(const struct hn_probe_process *process, const char *request, size_t length,
                 char **answer, size_t *answer_length, char ended[HN_SIDE_ENDED],
                 struct hn_error *error);

#endif
