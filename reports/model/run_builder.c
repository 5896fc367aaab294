/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the readers of plan.json and journal.jsonl build a run with: texts that are kept, checks that
 * are made and found.
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

int rp_text(struct rp_builder *builder, const struct hn_json *object, const char *key,
            const char **text)
{
    const char *found;

    *text = "";
    if (!hn_json_has(object, key))
        return HN_OK;
    const int status = hn_json_text(object, key, &found, builder->error);
    if (status)
        return status;
    return rp_keep(builder, found, text);
}

int rp_word(struct rp_builder *builder, const struct hn_json *object, const char *key,
            const char *const *words, int count, int *index)
{
    const char *text;

    if (!hn_json_has(object, key))
        return HN_OK;
    const int status = hn_json_text(object, key, &text, builder->error);
    if (status)
        return status;
    const int found = hn_word_index(words, count, text);
    if (found < 0)
        return hn_json_complain(object, builder->error, "has a %s \"%.40s\" that nobody knows", key,
                                text);
    *index = found;
    return HN_OK;
}

int rp_texts(struct rp_builder *builder, const struct hn_json *object, const char *key,
             struct hn_texts *texts)
{
    struct hn_json array, item;
    const char *text;

    *texts = (struct hn_texts){0};
    if (!hn_json_has(object, key))
        return HN_OK;
    int status = hn_json_array(object, key, &array, builder->error);
    if (status)
        return status;
    const size_t count = hn_json_count(&array);
    const char **items = hn_arena_array(builder->arena, count + 1, sizeof *items);
    if (!items)
        return hn_error_nomem(builder->error);
    for (size_t i = 0; i < count; i++) {
        hn_json_item(&array, i, &item);
        status = hn_json_as_text(&item, &text, builder->error);
        if (status)
            return status;
        if (!(items[i] = rp_copy(builder, text)))
            return HN_ENOMEM;
    }
    *texts = (struct hn_texts){items, count};
    return HN_OK;
}

/* "guard" of "guard.exchange"; an id without a dot is a module of its own. Checks of one module
 * stand together and share its name. */
static const char *module_of(struct rp_builder *builder, const char *id)
{
    const char *last = builder->check_count ? builder->checks[builder->check_count - 1].module : "";
    const size_t length = strcspn(id, ".");

    if (strlen(last) == length && memcmp(last, id, length) == 0)
        return last;
    return hn_arena_copy(builder->arena, id, strcspn(id, "."));
}

int rp_reserve_checks(struct rp_builder *builder, size_t count)
{
    if (count > RP_CHECKS_MAX)
        return hn_error_set(builder->error, HN_ELIMIT, "the run has more than %d checks",
                            RP_CHECKS_MAX);
    builder->checks = hn_arena_array(builder->arena, count + 1, sizeof *builder->checks);
    return builder->checks ? HN_OK : hn_error_nomem(builder->error);
}

struct rp_check *rp_new_check(struct rp_builder *builder, const char *id)
{
    const char *copy = rp_copy(builder, id), *module = module_of(builder, id);
    if (!copy || !module)
        return NULL;
    struct rp_check *check = &builder->checks[builder->check_count++];
    *check = (struct rp_check){.id = copy,
                               .module = module,
                               .demand = "",
                               .hint = "",
                               .hint_when = "",
                               .summary = "",
                               .file = "",
                               .verdict = HN_NOTRUN,
                               .reason = "",
                               .blocked_by = "",
                               .about = "",
                               .expected = "",
                               .seen = "",
                               .location = "",
                               .signal = "",
                               .stage = "",
                               .frames = "",
                               .said = "",
                               .folder = ""};
    return check;
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
    return HN_OK;
}

const struct rp_check *rp_find_sorted(const struct rp_check *const *sorted, size_t count,
                                      const char *id)
{
    const struct rp_check wanted = {.id = id}, *key = &wanted;
    const struct rp_check *const *found = bsearch(&key, sorted, count, sizeof *sorted, compare_ids);

    return found ? *found : NULL;
}

struct rp_check *rp_find_check(struct rp_builder *builder, const char *id)
{
    const struct rp_check *found = rp_find_sorted(builder->by_id, builder->by_id_count, id);

    return found ? &builder->checks[found - builder->checks] : NULL;
}
