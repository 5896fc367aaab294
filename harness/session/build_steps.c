/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See build_steps.h.
 */
#include "build_steps.h"

#include <stdio.h>

#include "file.h"
#include "side_process.h"

#define BUILD_S 3600

int hn_build_steps_run(const struct hn_profile *profile, const struct hn_run_target *target,
                       const char *folder, FILE *out, char failed[HN_BUILD_FAILED],
                       struct hn_error *error)
{
    char log[HN_PATH_SIZE], ended[HN_SIDE_ENDED] = "";
    const int seconds = profile->timeouts.build > 0 ? profile->timeouts.build : BUILD_S;
    int status = hn_path_join(log, sizeof log, folder, HN_BUILD_LOG, error);
    failed[0] = '\0';
    for (size_t i = 0; status == HN_OK && !*ended && i < profile->build_count; i++) {
        char label[80];
        struct hn_progress progress;
        snprintf(label, sizeof label, "build step %zu (%.40s)", i + 1, profile->build[i].run[0]);
        hn_progress_wait(&progress, out, 0, label);
        const struct hn_side_process step = {
            .words = profile->build[i].run,
            .settings = target->environment,
            .setting_count = target->environment_count,
            .folder = profile->folder,
            .log = log,
            .deadline_ms = (int64_t)seconds * 1000,
            .progress = &progress,
        };
        status = hn_side_process_run(&step, ended, error);
        if (*ended)
            snprintf(failed, HN_BUILD_FAILED,
                     "build step %zu (%.200s) %s; what it printed is in %s", i + 1, step.words[0],
                     ended, HN_BUILD_LOG);
    }
    return status;
}
