/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a journal back into a schedule. Called by the supervisor before it goes on with a run.
 */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "journal.h"

#define SECOND_DEATH 2

struct row {
    const char *id;
    size_t task;
};

struct replay {
    struct hn_schedule *schedule;
    struct row *rows; /* sorted by id */
    unsigned char *open_starts;
    int has_header;
};

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct row *)a)->id, ((const struct row *)b)->id);
}

static int find_task(const struct replay *replay, const struct hn_json *record, size_t *task,
                     struct hn_error *error)
{
    struct row wanted = {0};
    int status = hn_json_text(record, "id", &wanted.id, error);
    if (status != HN_OK)
        return status;
    const struct row *row =
        bsearch(&wanted, replay->rows, replay->schedule->input->task_count, sizeof wanted, by_id);
    if (!row)
        return hn_json_complain(record, error,
                                "is about the check %s, which is not in the plan: this run was "
                                "begun with other checks",
                                wanted.id);
    *task = row->task;
    return HN_OK;
}

static int see_run(struct replay *replay, const struct hn_json *record, struct hn_error *error)
{
    struct hn_json checks;
    int status = hn_json_array(record, "checks", &checks, error);
    if (status != HN_OK)
        return status;
    replay->has_header = 1;
    const size_t planned = hn_json_count(&checks), now = replay->schedule->input->task_count;
    if (planned != now)
        return hn_json_complain(&checks, error, "names %zu checks, the plan has %zu now", planned,
                                now);
    return HN_OK;
}

static int see_start(struct replay *replay, const struct hn_json *record, struct hn_error *error)
{
    size_t task = 0;
    int status = find_task(replay, record, &task, error);
    if (status != HN_OK)
        return status;
    replay->open_starts[task]++;
    replay->schedule->states[task].attempts++;
    return HN_OK;
}

/* What the next attempt must know of this one. */
static int see_again(struct hn_task_state *state, const struct hn_json *record,
                     struct hn_error *error)
{
    const char *why = NULL;
    int status = hn_json_text(record, "again", &why, error);
    if (status != HN_OK)
        return status;
    if (strcmp(why, hn_again_names[HN_AGAIN_RETRY]) == 0)
        state->retried++;
    if (strcmp(why, hn_again_names[HN_AGAIN_HOST]) == 0)
        state->lost++;
    if (state->lost || strcmp(why, hn_again_names[HN_AGAIN_ALONE]) == 0)
        state->alone = 1;
    return HN_OK;
}

static int see_end(struct replay *replay, const struct hn_json *record, struct hn_error *error)
{
    const char *name = NULL;
    enum hn_verdict verdict = HN_NOTRUN;
    size_t task = 0;
    int final = 0;
    int status = find_task(replay, record, &task, error);
    if (status == HN_OK)
        status = hn_json_boolean(record, "final", &final, error);
    if (status == HN_OK)
        status = hn_json_text(record, "verdict", &name, error);
    if (status == HN_OK && hn_verdict_from_name(name, &verdict) != HN_OK)
        status = hn_json_complain(record, error, "has no known verdict: %s", name);
    if (status != HN_OK)
        return status;
    replay->open_starts[task] = 0;
    if (final && replay->schedule->states[task].phase != HN_TASK_DONE)
        hn_schedule_done(replay->schedule, task, verdict);
    return final ? HN_OK : see_again(&replay->schedule->states[task], record, error);
}

static const struct {
    const char *event;
    int (*see)(struct replay *replay, const struct hn_json *record, struct hn_error *error);
} handlers[] = {{"run", see_run}, {"start", see_start}, {"end", see_end}};

static int see(void *context, const struct hn_json *record, struct hn_error *error)
{
    const char *event = NULL;
    int status = hn_json_text(record, "event", &event, error);
    for (size_t i = 0; status == HN_OK && i < sizeof handlers / sizeof *handlers; i++)
        if (strcmp(handlers[i].event, event) == 0)
            return handlers[i].see(context, record, error);
    return status; /* the other kinds tell nothing about a task */
}

static int sort_rows(struct replay *replay)
{
    const struct hn_run_input *input = replay->schedule->input;
    replay->rows = calloc(input->task_count + 1, sizeof *replay->rows);
    replay->open_starts = calloc(input->task_count + 1, 1);
    if (!replay->rows || !replay->open_starts)
        return HN_ENOMEM;
    for (size_t i = 0; i < input->task_count; i++)
        replay->rows[i] = (struct row){input->tasks[i].id, i};
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
    if (status == HN_OK && !replay.has_header)
        status =
            hn_error_set(error, HN_EINPUT, "%s has no whole run record: begin a new run", journal);
    for (size_t i = 0; status == HN_OK && i < schedule->input->task_count; i++)
        if (schedule->states[i].phase != HN_TASK_DONE && replay.open_starts[i] >= SECOND_DEATH)
            lost[(*lost_count)++] = i;
    free(replay.rows);
    free(replay.open_starts);
    return status;
}
