/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a journal back into a schedule. Called by the supervisor before it resumes a run.
 */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "cause_words.h"
#include "journal.h"

#define SECOND_DEATH 2

struct row {
    const char *id, *armed;
    size_t task;
};

struct replay {
    struct hn_schedule *schedule;
    struct row *rows; /* sorted by id and switch */
    unsigned char *open_starts;
};

static int by_id(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    const int order = strcmp(one->id, other->id);
    return order ? order : strcmp(one->armed, other->armed);
}

static int find_task(const struct replay *replay, const struct hn_record *record, const char *id,
                     const char *armed, size_t *task, struct hn_error *error)
{
    const struct row wanted = {.id = id, .armed = armed};
    const struct row *row =
        bsearch(&wanted, replay->rows, replay->schedule->input->task_count, sizeof wanted, by_id);
    if (!row)
        return hn_record_complain(record, error,
                                  "is about the check %s%s%s, which is not in the plan: this run "
                                  "was begun with other checks",
                                  id, *armed ? " under " : "", armed);
    *task = row->task;
    return HN_OK;
}

static int see_run(struct replay *replay, const struct hn_record *record, struct hn_error *error)
{
    const size_t planned = record->run.check_count, now = replay->schedule->input->task_count;
    if (planned != now)
        return hn_record_complain(record, error, "names %zu checks, the plan has %zu now", planned,
                                  now);
    return HN_OK;
}

static int see_start(struct replay *replay, const struct hn_record *record, struct hn_error *error)
{
    size_t task = 0;
    const int status =
        find_task(replay, record, record->start.id, record->start.armed, &task, error);
    if (status != HN_OK)
        return status;
    replay->open_starts[task]++;
    replay->schedule->states[task].attempts++;
    return HN_OK;
}

/* Stores the state of this attempt that the next attempt needs. */
static void see_again(struct hn_task_state *state, enum hn_again why)
{
    if (why == HN_AGAIN_RETRY)
        state->retried++;
    if (why == HN_AGAIN_HOST)
        state->lost++;
    if (why == HN_AGAIN_TIME)
        state->late = 1;
    if (state->lost || state->late || why == HN_AGAIN_ALONE)
        state->alone = 1;
}

/* Stores the members of an end record on which the verdicts of other checks depend. */
static int see_failure(struct replay *replay, const struct hn_record *record, size_t task,
                       struct hn_error *error)
{
    const struct hn_end_record *end = &record->end;
    struct hn_task_state *state = &replay->schedule->states[task];
    if (end->verdict == HN_FAIL)
        state->way = hn_cause_of(end->seen);
    if (end->attempt == 0 || !*end->blocked_by)
        return HN_OK;
    return find_task(replay, record, end->blocked_by, end->armed, &state->hub, error);
}

static int see_end(struct replay *replay, const struct hn_record *record, struct hn_error *error)
{
    const struct hn_end_record *end = &record->end;
    size_t task = 0;
    int status = find_task(replay, record, end->id, end->armed, &task, error);
    if (status != HN_OK)
        return status;
    replay->open_starts[task] = 0;
    if (!end->final || end->again == HN_AGAIN_LATER)
        see_again(&replay->schedule->states[task], end->again);
    else if (replay->schedule->states[task].phase != HN_TASK_DONE) {
        status = see_failure(replay, record, task, error);
        hn_schedule_done(replay->schedule, task, end->verdict);
    }
    return status;
}

/* Reads one record. Records of other kinds contain nothing about a task. */
static int see(void *context, const struct hn_record *record, struct hn_error *error)
{
    switch (record->event) {
    case HN_EVENT_RUN:
        return see_run(context, record, error);
    case HN_EVENT_START:
        return see_start(context, record, error);
    case HN_EVENT_END:
        return see_end(context, record, error);
    default:
        return HN_OK;
    }
}

static int sort_rows(struct replay *replay)
{
    const struct hn_run_input *input = replay->schedule->input;
    replay->rows = calloc(input->task_count + 1, sizeof *replay->rows);
    replay->open_starts = calloc(input->task_count + 1, 1);
    if (!replay->rows || !replay->open_starts)
        return HN_ENOMEM;
    for (size_t i = 0; i < input->task_count; i++)
        replay->rows[i] = (struct row){input->tasks[i].check->id,
                                       input->tasks[i].armed ? input->tasks[i].armed : "", i};
    qsort(replay->rows, input->task_count, sizeof *replay->rows, by_id);
    return HN_OK;
}

int hn_replay(const char *journal, struct hn_schedule *schedule, size_t *lost, size_t *lost_count,
              struct hn_error *error)
{
    struct replay replay = {.schedule = schedule};
    *lost_count = 0;
    int status = sort_rows(&replay);
    if (status != HN_OK)
        hn_error_nomem(error);
    if (status == HN_OK)
        status = hn_journal_read(journal, see, &replay, NULL, error);
    for (size_t i = 0; status == HN_OK && i < schedule->input->task_count; i++)
        if (schedule->states[i].phase != HN_TASK_DONE && replay.open_starts[i] >= SECOND_DEATH)
            lost[(*lost_count)++] = i;
    free(replay.rows);
    free(replay.open_starts);
    return status;
}
