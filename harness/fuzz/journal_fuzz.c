/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the input is the journal of a run that is resumed: opened, cut, read into a
 * schedule.
 */
#include "journal.h"

#include "fuzz_folder.h"
#include "replay.h"

static const struct hn_task tasks[] = {
    {.check = &(const struct hn_check){.id = "a.one", .expect_status = -1}},
    {.check = &(const struct hn_check){.id = "a.two", .expect_status = -1}},
};
#define TASKS (sizeof tasks / sizeof *tasks)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct hn_run_input input = {.tasks = tasks, .task_count = TASKS};
    struct hn_schedule schedule;
    struct hn_journal journal;
    struct hn_error error;
    size_t lost[TASKS], lost_count;
    fuzz_write(HN_JOURNAL_FILE, data, size);
    if (hn_schedule_init(&schedule, &input, 0) != HN_OK)
        return 0;
    if (hn_journal_reopen(&journal, fuzz_path(HN_JOURNAL_FILE), &error) == HN_OK)
        hn_journal_close(&journal);
    hn_replay(fuzz_path(HN_JOURNAL_FILE), &schedule, lost, &lost_count, &error);
    hn_schedule_finish(&schedule);
    return 0;
}
