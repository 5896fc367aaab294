/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the isolation mode. First inspects a host that has loaded the target, and the first
 * use of the device. If both look safe, the calibration makes two small runs of the same few
 * checks, one in each mode. Called by session/session.c before the main run. Loading alone is
 * not enough evidence: afterwards there must be one thread and no open device, and the checks
 * must have equal verdicts.
 */
#include "calibrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "file.h"
#include "isolation.h"
#include "job_folder.h"
#include "supervisor.h"

#define SAMPLE 3          /* number of checks for each kind of host */
#define QUICK_MS 4000     /* if the first trial is shorter, SAMPLE checks are tried; else one */
#define TOO_LONG_MS 10000 /* if the first trial is longer, no check is tried */

struct trial {
    int only_forkable; /* stop when the host reports that it must not be forked */
    int64_t most_ms;   /* deadline of the whole trial; 0: none */
    int64_t took_ms;
    struct hn_run_summary summary;
    struct hn_error error;
    int status;
};

static const struct hn_check no_check = {
    .id = "warm-up", .file = "", .fresh = 1, .expect_status = -1};
static const struct hn_task warm_up = {.check = &no_check, .warm_up = 1};

/* Chooses the first plain checks, at most `each` of each kind of host. The dependencies of these
 * checks are removed, because a dependency need not be in the sample: the trial only compares the
 * verdicts of the two modes. */
static size_t choose_sample(const struct hn_run_input *input, size_t each, struct hn_task *sample)
{
    size_t count = 0, of_kind[2] = {0, 0};
    for (size_t i = 0; i < input->task_count; i++) {
        const struct hn_check *check = input->tasks[i].check;
        if (check->fresh || check->normal_exit || check->expect_signal ||
            check->expect_status >= 0 || of_kind[check->kind] >= each)
            continue;
        of_kind[check->kind]++;
        sample[count] = input->tasks[i];
        sample[count].builds_on.count = sample[count].fails_with.count = 0;
        sample[count].capabilities.count = sample[count].suffices = 0;
        sample[count].armed = NULL; /* a switch is not needed to compare the two modes */
        count++;
    }
    return count;
}

static void try_mode(const struct hn_run_input *input, const char *mode, const char *folder_name,
                     const struct hn_task *sample, size_t count, struct trial *trial)
{
    char folder[HN_PATH_SIZE], name[64];
    struct hn_run_input small = *input;
    const int64_t begin = hn_clock_now_ns();
    snprintf(name, sizeof name, "calibration/%s", folder_name);
    trial->status = hn_path_join(folder, sizeof folder, input->options.folder, name, &trial->error);
    if (trial->status != HN_OK)
        return;
    /* removes the folder of an earlier, interrupted calibration */
    hn_job_folder_remove(folder);
    small.tasks = sample;
    small.task_count = count;
    small.capability_count = 0;
    small.target.mode = mode;
    small.options.folder = folder;
    small.options.hosts = 1;
    small.options.foreground = 0;
    small.options.under = NULL;
    small.options.resume = small.options.retries = 0;
    small.options.most_failures = 0;
    small.options.label = "finding out how checks can be isolated";
    small.options.mode_reason = "calibration";
    small.options.run_ms = trial->most_ms;
    small.options.only_forkable = trial->only_forkable;
    trial->status = hn_run(&small, &trial->summary, &trial->error);
    trial->took_ms = (hn_clock_now_ns() - begin) / 1000000;
}

static int stopped(const struct trial *trial)
{
    return trial->summary.interrupted;
}

/* Writes the reason why the host must not load the target. Returns 0 if there is none. */
static int speaks_against_host(const struct trial *loaded, char *why, size_t size)
{
    const struct hn_run_summary *summary = &loaded->summary;
    if (loaded->status != HN_OK)
        return snprintf(why, size, "the calibration could not be run: %s", loaded->error.text);
    if (summary->most_threads > 1)
        return snprintf(why, size, "loading the target leaves %d threads running",
                        summary->most_threads);
    if (summary->device_file[0])
        return snprintf(why, size, "loading the target opens %s", summary->device_file);
    if (!summary->complete)
        return snprintf(why, size, "the host did not survive loading the target: %.400s",
                        summary->why);
    if (summary->verdicts[0] != HN_PASS)
        return snprintf(why, size, "after a fork, the first use of the device has the verdict %s",
                        hn_verdict_table[summary->verdicts[0]].name);
    if (loaded->took_ms > TOO_LONG_MS)
        return snprintf(why, size,
                        "loading and the first use took %lld s: too long to try checks both ways; "
                        "\"isolation:\" in the profile overrides this",
                        (long long)loaded->took_ms / 1000);
    return 0;
}

static int broke_off(const struct trial *trial, char *why, size_t size)
{
    if (trial->summary.complete)
        return 0;
    if (trial->took_ms >= trial->most_ms)
        return snprintf(why, size, "the trial of the isolation took too long");
    return snprintf(why, size, "the trial of the isolation ended early: %.400s",
                    trial->summary.why);
}

/* Writes the reason if the verdicts of the sample differ between the modes, else returns 0. */
static int speaks_against_jobs(const struct hn_task *sample, size_t count,
                               const struct trial *loaded, const struct trial *clean, char *why,
                               size_t size)
{
    if (loaded->status != HN_OK || clean->status != HN_OK)
        return snprintf(why, size, "the calibration could not be run: %s",
                        loaded->status != HN_OK ? loaded->error.text : clean->error.text);
    for (size_t i = 0; i < count; i++)
        if (loaded->summary.verdicts[i] != clean->summary.verdicts[i])
            return snprintf(why, size,
                            "%s is %s when the target is loaded before the fork, else %s",
                            sample[i].check->id, hn_verdict_table[loaded->summary.verdicts[i]].name,
                            hn_verdict_table[clean->summary.verdicts[i]].name);
    return broke_off(clean, why, size) || broke_off(loaded, why, size);
}

/* Makes two runs of the same checks. Neither may take much longer than the first trial. */
static void compare_modes(const struct hn_run_input *input, int64_t took_ms,
                          struct hn_calibration *calibration)
{
    struct hn_task sample[2 * SAMPLE];
    const size_t each = took_ms < QUICK_MS ? SAMPLE : 1;
    const size_t count = choose_sample(input, each, sample);
    const int64_t most_ms = (1 + (int64_t)count) * took_ms + TOO_LONG_MS;
    struct trial loaded = {.most_ms = most_ms}, clean = {.most_ms = most_ms};
    if (count == 0) {
        snprintf(calibration->why, sizeof calibration->why, "no check to calibrate with");
        return;
    }
    try_mode(input, hn_isolations[HN_FORK_CLEAN].name, "fork-clean", sample, count, &clean);
    if (!stopped(&clean))
        try_mode(input, hn_isolations[HN_FORK_LOADED].name, "fork-loaded", sample, count, &loaded);
    calibration->stopped = stopped(&clean) || stopped(&loaded);
    calibration->too_slow = !loaded.summary.complete || !clean.summary.complete;
    if (!speaks_against_jobs(sample, count, &loaded, &clean, calibration->why,
                             sizeof calibration->why)) {
        calibration->mode = hn_isolations[HN_FORK_LOADED].name;
        snprintf(calibration->why, sizeof calibration->why,
                 "after loading: one thread, no open device, the same verdict of %zu check%s",
                 count, count == 1 ? "" : "s");
    }
    hn_run_summary_finish(&loaded.summary);
    hn_run_summary_finish(&clean.summary);
}

static void take_words(const struct trial *trial, struct hn_calibration *calibration)
{
    if (trial->status == HN_OK)
        calibration->notes = trial->summary.notes;
    memcpy(calibration->refusal, trial->summary.refusal, sizeof calibration->refusal);
    if (calibration->refusal[0])
        snprintf(calibration->why, sizeof calibration->why, "the target could not be loaded");
    calibration->stopped = stopped(trial);
}

/* Adds the cost of fork-clean, the mode that is always safe. */
static void tell_cost(const struct trial *look, struct hn_calibration *calibration)
{
    const size_t used = strlen(calibration->why);
    if (look->status == HN_OK && look->summary.complete &&
        strcmp(calibration->mode, hn_isolations[HN_FORK_CLEAN].name) == 0)
        snprintf(calibration->why + used, sizeof calibration->why - used,
                 "; so each check loads the target itself, which takes about %.1f s",
                 (double)look->took_ms / 1000);
}

static void try_out(const struct hn_run_input *input, struct hn_calibration *calibration)
{
    struct trial look = {.only_forkable = 1};
    try_mode(input, hn_isolations[HN_FORK_LOADED].name, "first-look", &warm_up, 1, &look);
    take_words(&look, calibration);
    const int against = speaks_against_host(&look, calibration->why, sizeof calibration->why);
    if (!against && !calibration->stopped)
        compare_modes(input, look.took_ms, calibration);
    else if (calibration->notes.count == 0 && !calibration->stopped)
        hn_describe(input, calibration->mode, calibration);
    calibration->too_slow = calibration->too_slow || look.took_ms > TOO_LONG_MS;
    tell_cost(&look, calibration);
    hn_run_summary_finish(&look.summary);
}

/* If the trial gave up fork-loaded, uses fork-clean, so that the main run does not fail too. */
static void take_fall(const struct trial *trial, struct hn_calibration *calibration)
{
    if (!trial->summary.fell_back[0])
        return;
    calibration->fell = 1;
    snprintf(calibration->why, sizeof calibration->why, "%s is abandoned: %.400s",
             calibration->mode, trial->summary.fell_back);
    calibration->mode = hn_isolations[HN_FORK_CLEAN].name;
}

/* A target can kill this process even if only a child of this process loads it. In that case the
 * mark file still exists when the run is resumed, and only jobs load the target. */
void hn_calibrate(const struct hn_run_input *input, struct hn_calibration *calibration)
{
    char mark[HN_PATH_SIZE];
    *calibration = (struct hn_calibration){.mode = hn_isolations[HN_FORK_CLEAN].name};
    const int marked =
        hn_path_join(mark, sizeof mark, input->options.folder, "calibrating", NULL) == HN_OK;
    if (marked && hn_path_exists(mark)) {
        hn_describe(input, calibration->mode, calibration);
        snprintf(calibration->why, sizeof calibration->why,
                 "this run was killed during the calibration");
    } else {
        if (marked)
            hn_file_write(mark, "", 0, NULL);
        try_out(input, calibration);
    }
    if (marked && !calibration->stopped)
        remove(mark);
}

void hn_describe(const struct hn_run_input *input, const char *mode,
                 struct hn_calibration *calibration)
{
    struct trial trial = {.status = HN_OK};
    try_mode(input, mode, "description", &warm_up, 1, &trial);
    take_words(&trial, calibration);
    take_fall(&trial, calibration);
    hn_run_summary_finish(&trial.summary);
}
