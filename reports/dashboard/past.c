/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See past.h.
 */
#include "past.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define MEMORY ((size_t)256 << 20)

const char *const rp_state_names[RP_STATES] = {"compatible", "incompatible", "undecided",
                                               "partial"};

struct rp_past_builder {
    struct rp_past past; /* first, so that one address is both */
    struct hn_arena *arena;
    struct rp_past_run *runs;
    struct rp_mark *marks; /* of all runs */
    size_t run_count, run_room, mark_count, mark_room;
};

void rp_asked_of(const struct rp_run *run, char *asked, size_t size)
{
    const char *select = strcmp(run->select, "all") == 0 ? "" : run->select;

    if (run->shards > 1)
        snprintf(asked, size, "%s%sshard %d/%d", select, *select ? ", " : "", run->shard,
                 run->shards);
    else
        snprintf(asked, size, "%s", select);
}

enum rp_state rp_state_of(const struct rp_run *run)
{
    char asked[16];

    rp_asked_of(run, asked, sizeof asked);
    enum rp_state state = !run->complete ? RP_UNDECIDED : *asked ? RP_PARTIAL : RP_COMPATIBLE;

    for (size_t i = 0; i < run->check_count; i++) {
        const struct hn_verdict_row *row = &hn_verdict_table[run->checks[i].verdict];
        if (run->checks[i].level != HN_MUST || run->checks[i].support)
            continue;
        if (row->fails || run->checks[i].follows)
            return RP_BREAKS;
        if (row->gate == HN_GATE_UNDECIDED)
            state = RP_UNDECIDED;
    }
    return state;
}

void rp_release_of(const char *torch, char *release, size_t size)
{
    static const char digits[] = "0123456789";
    const size_t major = strspn(torch, digits);
    const size_t minor = torch[major] == '.' ? strspn(torch + major + 1, digits) : 0;
    const size_t length = major && minor ? major + 1 + minor : strlen(torch);

    snprintf(release, size, "%.*s", (int)length, torch);
}

struct rp_past_builder *rp_past_begin(void)
{
    struct hn_arena *arena;
    struct rp_past_builder *builder = hn_arena_owner(sizeof *builder, MEMORY, &arena);

    if (builder)
        builder->arena = arena;
    return builder;
}

/* Room for one more. */
static int grow(void **items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return HN_OK;
    const size_t wanted = *room ? *room * 2 : 64;
    void *grown = reallocarray(*items, wanted, size);
    if (!grown)
        return HN_ENOMEM;
    *items = grown;
    *room = wanted;
    return HN_OK;
}

static const char *copy(struct rp_past_builder *builder, const char *text)
{
    return hn_arena_copy(builder->arena, text, strlen(text));
}

int rp_past_add_run(struct rp_past_builder *builder, const struct rp_past_run *run)
{
    void *runs = builder->runs;
    const int status = grow(&runs, builder->run_count, &builder->run_room, sizeof *builder->runs);

    builder->runs = runs;
    if (status)
        return status;
    struct rp_past_run *added = &builder->runs[builder->run_count];
    *added = *run;
    added->target = copy(builder, run->target);
    added->torch = copy(builder, run->torch);
    added->release = copy(builder, run->release);
    added->git = copy(builder, run->git);
    added->date = copy(builder, run->date);
    added->digest = copy(builder, run->digest);
    added->asked = copy(builder, run->asked);
    if (!added->asked || !added->target || !added->torch || !added->release || !added->git ||
        !added->date || !added->digest)
        return HN_ENOMEM;
    builder->run_count++;
    return HN_OK;
}

int rp_past_add_mark(struct rp_past_builder *builder, const char *check, const char *seen,
                     enum hn_level level, enum hn_verdict verdict)
{
    void *marks = builder->marks;
    const int status =
        grow(&marks, builder->mark_count, &builder->mark_room, sizeof *builder->marks);

    builder->marks = marks;
    if (status)
        return status;
    struct rp_mark *mark = &builder->marks[builder->mark_count];
    *mark = (struct rp_mark){copy(builder, check), copy(builder, seen), level, verdict, 1};
    if (!mark->check || !mark->seen)
        return HN_ENOMEM;
    builder->mark_count++;
    builder->runs[builder->run_count - 1].mark_count++;
    return HN_OK;
}

int rp_past_is_row(const struct rp_past_run *a, const struct rp_past_run *b)
{
    return strcmp(a->target, b->target) == 0 && strcmp(a->release, b->release) == 0 &&
           strcmp(a->asked, b->asked) == 0;
}

static int has_mark(const struct rp_past_run *run, const char *check)
{
    for (size_t i = 0; i < run->mark_count; i++)
        if (strcmp(run->marks[i].check, check) == 0)
            return 1;
    return 0;
}

static int compare_marks(const void *a, const void *b)
{
    const struct rp_mark *first = a, *second = b;
    const int level = (int)first->level - (int)second->level;
    const int rank = hn_verdict_table[first->verdict].rank - hn_verdict_table[second->verdict].rank;

    return level ? level : rank ? rank : strcmp(first->check, second->check);
}

struct rp_past *rp_past_end(struct rp_past_builder *builder)
{
    size_t first = 0;

    for (size_t i = 0; i < builder->run_count; i++) {
        struct rp_past_run *run = &builder->runs[i];
        const struct rp_past_run *before = i ? run - 1 : NULL;
        struct rp_mark *marks = run->mark_count ? builder->marks + first : NULL;
        run->marks = marks;
        if (marks)
            qsort(marks, run->mark_count, sizeof *marks, compare_marks);
        run->since = i;
        if (before && rp_past_is_row(before, run)) {
            run->since = before->state == run->state ? before->since : i;
            for (size_t j = 0; j < run->mark_count; j++)
                marks[j].fresh = !has_mark(before, marks[j].check);
        }
        first += run->mark_count;
    }
    builder->past = (struct rp_past){builder->runs, builder->run_count};
    return &builder->past;
}

void rp_past_give_up(struct rp_past_builder *builder)
{
    if (!builder)
        return;
    free(builder->runs);
    free(builder->marks);
    hn_arena_destroy(builder->arena); /* with the builder */
}

void rp_past_destroy(struct rp_past *past)
{
    rp_past_give_up((struct rp_past_builder *)past);
}
