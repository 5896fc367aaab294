/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two small runs of the same few checks, one in each mode, and a look at the host before it forks.
 * Called by session/session.c before the run proper. Loading is not enough to know: after it there must
 * be one thread, no device open, and the checks must come out the same.
 */
#include "calibrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "isolation.h"
#include "job_folder.h"
#include "supervisor.h"

#define SAMPLE 3 /* checks of each kind of host */

struct trial {
    struct hn_run_summary summary;
    struct hn_error error;
    int status;
};

static const struct hn_check no_check = {
    .id = "warm-up", .file = "", .fresh = 1, .expect_status = -1};
static const struct hn_task warm_up = {.check = &no_check, .warm_up = 1};

/* The first use of the device, which no check shall pay for; then the first plain checks of both
 * kinds. What they build on or need is left out: the same verdict in
 * both modes is all that is asked. */
static size_t choose_sample(const struct hn_run_input *input, struct hn_task *sample)
{
    size_t count = 1, of_kind[2] = {0, 0};
    sample[0] = warm_up;
    for (size_t i = 0; i < input->task_count; i++) {
        const struct hn_check *check = input->tasks[i].check;
        if (check->fresh || check->normal_exit || check->expect_signal ||
            check->expect_status >= 0 || of_kind[check->kind] == SAMPLE)
            continue;
        of_kind[check->kind]++;
        sample[count] = input->tasks[i];
        sample[count].builds_on_count = sample[count].capability_count = 0;
        count++;
    }
    return count;
}

static void try_mode(const struct hn_run_input *input, const char *mode, struct hn_task *sample,
                     size_t count, struct trial *trial)
{
    char folder[HN_PATH_SIZE], name[64];
    struct hn_run_input small = *input;
    snprintf(name, sizeof name, "calibration/%s", mode);
    trial->status = hn_path_join(folder, sizeof folder, input->options.folder, name, &trial->error);
    if (trial->status != HN_OK)
        return;
    hn_job_folder_remove(folder); /* an earlier life of this run may have been here */
    small.tasks = sample;
    small.task_count = count;
    small.capability_count = 0;
    small.target.mode = mode;
    small.options.folder = folder;
    small.options.hosts = 1;
    small.options.resume = small.options.fail_fast = small.options.retries = 0;
    small.options.arm = NULL; /* it is about loading */
    small.options.out = NULL;
    small.options.mode_reason = "calibration";
    trial->status = hn_run(&small, &trial->summary, &trial->error);
}

/* A sentence that says why fork-loaded is not safe; 0 when nothing speaks against it. */
static int speaks_against(const struct hn_task *sample, size_t count, const struct trial *loaded,
                          const struct trial *clean, char *why, size_t size)
{
    if (loaded->status != HN_OK || clean->status != HN_OK)
        return snprintf(why, size, "the calibration could not be run: %s",
                        loaded->status != HN_OK ? loaded->error.text : clean->error.text);
    if (loaded->summary.fell_back[0] || !loaded->summary.complete)
        return snprintf(why, size, "the host did not survive loading the target: %s",
                        loaded->summary.fell_back[0] ? loaded->summary.fell_back
                                                     : loaded->summary.why);
    if (loaded->summary.most_threads != 1)
        return snprintf(why, size, "loading the target leaves %d threads running",
                        loaded->summary.most_threads);
    if (loaded->summary.device_file[0])
        return snprintf(why, size, "loading the target opens %s", loaded->summary.device_file);
    for (size_t i = 0; i < count; i++)
        if (loaded->summary.verdicts[i] != clean->summary.verdicts[i])
            return snprintf(why, size,
                            "%s is %s when the target is loaded before the fork, else %s",
                            sample[i].check->id, hn_verdict_table[loaded->summary.verdicts[i]].name,
                            hn_verdict_table[clean->summary.verdicts[i]].name);
    return 0;
}

void hn_calibrate(const struct hn_run_input *input, struct hn_calibration *calibration)
{
    struct hn_task sample[1 + 2 * SAMPLE];
    struct trial loaded = {.status = HN_OK}, clean = {.status = HN_OK};
    const size_t count = choose_sample(input, sample);
    calibration->mode = hn_isolations[HN_FORK_CLEAN].name;
    calibration->notes = (struct hn_notes){0};
    calibration->refusal[0] = '\0';
    if (count == 1) {
        snprintf(calibration->why, sizeof calibration->why, "no check to calibrate with");
        return;
    }
    try_mode(input, hn_isolations[HN_FORK_CLEAN].name, sample, count, &clean);
    memcpy(calibration->refusal, clean.summary.refusal, sizeof calibration->refusal);
    if (calibration->refusal[0]) {
        snprintf(calibration->why, sizeof calibration->why, "the target could not be loaded");
        hn_run_summary_finish(&clean.summary);
        return;
    }
    try_mode(input, hn_isolations[HN_FORK_LOADED].name, sample, count, &loaded);
    if (!speaks_against(sample, count, &loaded, &clean, calibration->why,
                        sizeof calibration->why)) {
        calibration->mode = hn_isolations[HN_FORK_LOADED].name;
        snprintf(calibration->why, sizeof calibration->why,
                 "after loading one thread, no device open, and %zu checks came out the same",
                 count - 1);
    }
    calibration->notes = clean.summary.notes;
    hn_run_summary_finish(&loaded.summary);
    hn_run_summary_finish(&clean.summary);
}

void hn_describe(const struct hn_run_input *input, struct hn_calibration *calibration)
{
    struct hn_task task = warm_up;
    struct trial trial = {.status = HN_OK};
    try_mode(input, input->target.mode, &task, 1, &trial);
    if (trial.status == HN_OK)
        calibration->notes = trial.summary.notes;
    memcpy(calibration->refusal, trial.summary.refusal, sizeof calibration->refusal);
    hn_run_summary_finish(&trial.summary);
}
