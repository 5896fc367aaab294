/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a process outside a run: a build step, or a request to the target. The process has its
 * own process group. The process and all its descendants are killed in three cases: at the
 * deadline, if output or memory grows without end, or if this program is stopped. None of these
 * processes survives the call or this program. Do not use it during a run, because the hosts of
 * a run are children of this program too.
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
    const char *const *settings; /* "NAME=value", override our environment */
    size_t setting_count;
    const char *folder; /* its working directory; "" or NULL: the current one */
    /* file to which its output is appended; NULL: our standard error */
    const char *log;
    /* if there is no log, its standard output goes to this descriptor; 0: to our standard error */
    int answer;
    int64_t deadline_ms;
    int64_t idle_ms;       /* it is ended if it uses no processor time for this long; 0: never */
    int64_t most_resident; /* bytes of memory; 0: hn_resident_limit() */
    struct hn_progress *progress; /* is updated while the process runs; or NULL */
};

/* `ended` describes the end, such as "it died of signal 11" or the reason of a failed start; "" if
 * the exit status is 0. Returns HN_STOPPED_BY only if this program was stopped. */
int hn_side_process_run(const struct hn_side_process *process, char ended[HN_SIDE_ENDED],
                        struct hn_error *error);

#endif
