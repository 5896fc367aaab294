/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_labels.h.
 */
#include "run_labels.h"

#include <string.h>

/* Facts that may distinguish runs of one target, the most useful first. */
static const char *torch_of(const struct rp_run *run)
{
    return run->torch_version;
}

static const char *date_of(const struct rp_run *run)
{
    return run->date;
}

struct crowd {
    const struct rp_run *const *runs;
    size_t count;
};

/* 1 if all runs with the target of `run` differ in `fact`. */
static int tells_apart(const struct crowd *crowd, const struct rp_run *run,
                       const char *(*fact)(const struct rp_run *))
{
    for (size_t i = 0; i < crowd->count; i++)
        for (size_t j = i + 1; j < crowd->count; j++)
            if (strcmp(crowd->runs[i]->target, run->target) == 0 &&
                strcmp(crowd->runs[j]->target, run->target) == 0 &&
                strcmp(fact(crowd->runs[i]), fact(crowd->runs[j])) == 0)
                return 0;
    return 1;
}

static int is_alone(const struct crowd *crowd, const struct rp_run *run)
{
    size_t same = 0;
    for (size_t i = 0; i < crowd->count; i++)
        same += strcmp(crowd->runs[i]->target, run->target) == 0;
    return same == 1;
}

static const char *label_of(const struct crowd *crowd, size_t index, struct hn_arena *arena)
{
    const struct rp_run *run = crowd->runs[index];
    const char *target = run->target[0] ? run->target : "(unnamed)";
    if (is_alone(crowd, run))
        return target;
    if (tells_apart(crowd, run, torch_of))
        return hn_arena_text(arena, "%s torch %s", target, run->torch_version);
    if (tells_apart(crowd, run, date_of))
        return hn_arena_text(arena, "%s %s", target, run->date);
    return hn_arena_text(arena, "%s #%zu", target, index + 1);
}

int rp_labels_make(const struct rp_run *const *runs, size_t count, struct hn_arena *arena,
                   const char *const **labels)
{
    const struct crowd crowd = {runs, count};
    const char **texts = hn_arena_array(arena, count, sizeof *texts);
    if (!texts)
        return HN_ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (!(texts[i] = label_of(&crowd, i, arena)))
            return HN_ENOMEM;
    *labels = texts;
    return HN_OK;
}
