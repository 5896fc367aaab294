/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See agreement.h.
 */
#include "agreement.h"

#include <stdlib.h>
#include <string.h>

#define MEMORY ((size_t)256 << 20)
#define UNDECIDED (-1)

struct hn_agreed {
    const char *id, *armed;
    int support, verdict;
};

static int compare(const void *a, const void *b)
{
    const struct hn_agreed *one = a, *other = b;
    const int order = strcmp(one->id, other->id);
    return order ? order : strcmp(one->armed, other->armed);
}

static int take_plan(struct hn_agreement *agreement, const struct hn_run_record *run,
                     struct hn_error *error)
{
    agreement->arena = hn_arena_create(MEMORY);
    agreement->rows = agreement->arena ? hn_arena_array(agreement->arena, run->check_count + 1,
                                                        sizeof *agreement->rows)
                                       : NULL;
    for (size_t i = 0; agreement->rows && i < run->check_count; i++) {
        const struct hn_planned *check = &run->checks[i];
        const struct hn_agreed row = {
            .id = hn_arena_copy(agreement->arena, check->id, strlen(check->id)),
            .armed = hn_arena_copy(agreement->arena, check->armed, strlen(check->armed)),
            .support = check->support,
            .verdict = UNDECIDED};
        if (!row.id || !row.armed)
            return hn_error_nomem(error);
        agreement->rows[agreement->count++] = row;
    }
    if (!agreement->rows)
        return hn_error_nomem(error);
    qsort(agreement->rows, agreement->count, sizeof *agreement->rows, compare);
    return HN_OK;
}

static struct hn_agreed *find(const struct hn_agreement *agreement, const char *id,
                              const char *armed)
{
    const struct hn_agreed wanted = {.id = id, .armed = armed};
    return bsearch(&wanted, agreement->rows, agreement->count, sizeof wanted, compare);
}

/* An incomplete check may have a second verdict, because a resumed run repeats the check. */
static int see_end(struct hn_agreement *agreement, const struct hn_record *record,
                   struct hn_error *error)
{
    const struct hn_end_record *end = &record->end;
    struct hn_agreed *row = find(agreement, end->id, end->armed);
    if (!row)
        row = find(agreement, end->id, ""); /* the whole run has one switch */
    if (!row || !end->final)
        return HN_OK; /* the reader rejects a check that is not in the plan */
    if (row->verdict != UNDECIDED && row->verdict != HN_INCOMPLETE)
        return hn_record_complain(record, error,
                                  "is a second final verdict of %.80s, %s after %s: the journal "
                                  "contradicts itself",
                                  end->id, hn_verdict_table[end->verdict].name,
                                  hn_verdict_table[row->verdict].name);
    row->verdict = (int)end->verdict;
    return HN_OK;
}

/* Returns 0 for a check without a final verdict: the totals may count it differently. */
static int is_counted(int verdict)
{
    return verdict != HN_INCOMPLETE && verdict != HN_NOTRUN;
}

static int see_finish(struct hn_agreement *agreement, const struct hn_record *record,
                      struct hn_error *error)
{
    size_t totals[HN_VERDICTS] = {0};
    for (size_t i = 0; i < agreement->count; i++)
        if (agreement->rows[i].verdict != UNDECIDED && !agreement->rows[i].support)
            totals[agreement->rows[i].verdict]++;
    for (int i = 0; i < HN_VERDICTS; i++)
        if (is_counted(i) && totals[i] != record->finish.totals[i])
            return hn_record_complain(record, error,
                                      "says that the run has %zu %s, and its records have %zu: "
                                      "the journal contradicts itself",
                                      record->finish.totals[i], hn_verdict_table[i].name,
                                      totals[i]);
    return HN_OK;
}

int hn_agreement_see(struct hn_agreement *agreement, const struct hn_record *record, int complete,
                     struct hn_error *error)
{
    if (agreement->finished && record->event != HN_EVENT_RESUME)
        return hn_record_complain(record, error,
                                  "comes after the end of the run: the journal contradicts itself");
    agreement->finished = record->event == HN_EVENT_FINISH;
    switch (record->event) {
    case HN_EVENT_RUN:
        return take_plan(agreement, &record->run, error);
    case HN_EVENT_END:
        return see_end(agreement, record, error);
    case HN_EVENT_FINISH:
        return complete ? see_finish(agreement, record, error) : HN_OK;
    default:
        return HN_OK;
    }
}

void hn_agreement_finish(struct hn_agreement *agreement)
{
    hn_arena_destroy(agreement->arena);
}
