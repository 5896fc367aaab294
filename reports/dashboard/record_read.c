/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The past of rp_history_read: the runs with the checks that were in trouble. See history.h.
 */
#include <stdlib.h>
#include <string.h>

#include "history_file.h"
#include "past.h"
#include "trouble_order.h"

struct reading {
    struct rp_history *history;
    struct rp_past_builder *builder;
    struct rp_state_map troubles; /* answer: 1 of a check in trouble at this run */
};

static enum rp_state state_of(const char *name)
{
    enum rp_state state = RP_PARTIAL;

    for (int i = 0; i < RP_STATES; i++)
        if (strcmp(rp_state_names[i], name) == 0)
            state = (enum rp_state)i;
    return state;
}

static enum hn_level level_of(const char *name)
{
    enum hn_level level = HN_ADVISORY;

    for (int i = 0; i < HN_LEVELS; i++)
        if (strcmp(hn_level_names[i], name) == 0)
            level = (enum hn_level)i;
    return level;
}

static int is_trouble(const struct rp_fact *words)
{
    enum hn_verdict verdict;

    return strcmp(words->kind, "check") == 0 &&
           hn_verdict_from_name(words->verdict, &verdict) == HN_OK && rp_is_trouble(verdict);
}

/* Words are looked up where they change: most runs say what the run before said. */
static int note_changes(struct reading *reading, const struct rp_step *step, struct hn_error *error)
{
    struct rp_fact words;
    int status = HN_OK;

    if (!step->before)
        rp_map_finish(&reading->troubles);
    for (size_t i = 0; !status && i < step->changed_count; i++) {
        const int64_t fact = step->changed[i];
        status =
            rp_record_words(reading->history, fact, rp_map_get(step->says, fact), &words, error);
        if (!status)
            status = rp_map_set(&reading->troubles, fact, (struct rp_word){is_trouble(&words), 0},
                                error);
    }
    return status;
}

static int add_marks(struct reading *reading, const struct rp_state_map *says,
                     struct hn_error *error)
{
    enum hn_verdict verdict = HN_FAIL;
    struct rp_fact words;
    int status = HN_OK;

    for (int64_t fact = 0; !status && fact < (int64_t)reading->troubles.room; fact++) {
        if (!rp_map_get(&reading->troubles, fact).answer)
            continue;
        status = rp_record_words(reading->history, fact, rp_map_get(says, fact), &words, error);
        if (status)
            return status;
        hn_verdict_from_name(words.verdict, &verdict);
        if (rp_past_add_mark(reading->builder, words.name, words.seen, level_of(words.level),
                             verdict))
            status = hn_error_nomem(error);
    }
    return status;
}

static int add_run(void *context, const struct rp_step *step, struct hn_error *error)
{
    struct reading *reading = context;
    const struct rp_night *night = &step->night;
    const struct rp_past_run run = {
        .target = night->target,
        .torch = night->torch,
        .release = night->release,
        .asked = night->asked,
        .git = night->git,
        .date = night->date,
        .digest = night->digest,
        .contract = (int)night->contract,
        .state = state_of(night->state),
        .kept = (size_t)night->kept,
        .total = (size_t)night->total,
        .all = (size_t)(night->promised > night->total ? night->promised : night->total)};

    if (rp_past_add_run(reading->builder, &run))
        return hn_error_nomem(error);
    const int status = note_changes(reading, step, error);
    return status ? status : add_marks(reading, step->says, error);
}

int rp_history_read(struct rp_history *history, struct rp_past **past, struct hn_error *error)
{
    struct reading reading = {.history = history, .builder = rp_past_begin()};
    int status =
        reading.builder ? rp_record_walk(history, add_run, &reading, error) : hn_error_nomem(error);

    rp_map_finish(&reading.troubles);
    *past = NULL;
    if (!status && !(*past = rp_past_end(reading.builder)))
        status = hn_error_nomem(error);
    if (status)
        rp_past_give_up(reading.builder);
    return status;
}
