/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds a run for the readers of plan.json and journal.jsonl: stores texts and finds checks.
 */
#include <stdlib.h>
#include <string.h>

#include "model_internal.h"

const char *rp_copy(struct rp_builder *builder, const char *text)
{
    const char *copy = hn_arena_copy(builder->arena, text, strlen(text));
    if (!copy)
        hn_error_nomem(builder->error);
    return copy;
}

int rp_keep(struct rp_builder *builder, const char *text, const char **kept)
{
    const char *copy = *text ? rp_copy(builder, text) : "";
    if (copy)
        *kept = copy;
    return copy ? HN_OK : HN_ENOMEM;
}

/* "guard" for "guard.exchange"; an id without a dot is a module itself. Checks of one module are
 * adjacent and share its name. */
static const char *module_of(struct rp_builder *builder, size_t index)
{
    const char *id = builder->checks[index].id,
               *last = index ? builder->checks[index - 1].module : "";
    const size_t length = strcspn(id, ".");
    if (strlen(last) == length && memcmp(last, id, length) == 0)
        return last;
    return hn_arena_copy(builder->arena, id, length);
}

static void clear_texts(struct rp_check *check)
{
    const char **const texts[] = {
        &check->demand,   &check->file, &check->reason,   &check->blocked_by, &check->about,
        &check->expected, &check->seen, &check->location, &check->signal,     &check->stage,
        &check->frames,   &check->said, &check->folder,   &check->cause_key};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!*texts[i])
            *texts[i] = "";
    for (size_t i = 0; i < hn_check_field_count; i++) {
        const char **word = hn_check_word(&check->words, &hn_check_fields[i]);
        if (word && !*word)
            *word = "";
    }
}

int rp_take_checks(struct rp_builder *builder, struct rp_check *checks, size_t count)
{
    if (count > RP_CHECKS_MAX)
        return hn_error_set(builder->error, HN_ELIMIT, "the run has more than %d checks",
                            RP_CHECKS_MAX);
    builder->checks = checks;
    builder->check_count = count;
    for (size_t i = 0; i < count; i++) {
        clear_texts(&checks[i]);
        checks[i].verdict = HN_NOTRUN;
        checks[i].module = module_of(builder, i);
        if (!checks[i].module)
            return hn_error_nomem(builder->error);
    }
    return HN_OK;
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp((*(const struct rp_check *const *)a)->id,
                  (*(const struct rp_check *const *)b)->id);
}

int rp_sort_checks(struct rp_builder *builder)
{
    builder->by_id =
        hn_arena_array(builder->arena, builder->check_count + 1, sizeof *builder->by_id);
    builder->attempts = hn_arena_alloc(builder->arena, builder->check_count + 1);
    if (!builder->by_id || !builder->attempts)
        return hn_error_nomem(builder->error);
    for (size_t i = 0; i < builder->check_count; i++)
        builder->by_id[i] = &builder->checks[i];
    builder->by_id_count = builder->check_count;
    qsort(builder->by_id, builder->by_id_count, sizeof *builder->by_id, compare_ids);
    for (size_t i = 1; i < builder->by_id_count; i++)
        if (strcmp(builder->by_id[i - 1]->id, builder->by_id[i]->id) == 0)
            return hn_error_set(builder->error, HN_EINPUT, "the run plans %.80s twice",
                                builder->by_id[i]->id);
    builder->run->by_id = builder->by_id;
    builder->run->by_id_count = builder->by_id_count;
    return HN_OK;
}

const struct rp_check *rp_find_sorted(const struct rp_check *const *sorted, size_t count,
                                      const char *id)
{
    const struct rp_check wanted = {.id = id}, *key = &wanted;
    const struct rp_check *const *found = bsearch(&key, sorted, count, sizeof *sorted, compare_ids);
    return found ? *found : NULL;
}

const struct rp_check *rp_run_check(const struct rp_run *run, const char *id)
{
    return rp_find_sorted(run->by_id, run->by_id_count, id);
}

struct rp_check *rp_find_check(struct rp_builder *builder, const char *id)
{
    const struct rp_check *found = rp_find_sorted(builder->by_id, builder->by_id_count, id);
    return found ? &builder->checks[found - builder->checks] : NULL;
}
