/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_set.h. Rows of all kinds are joined in the same way: a hash table maps each name to a
 * row, and a new name gets the next row.
 */
#include "run_set.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "hash.h"
#include "run_labels.h"

#define MEMORY ((size_t)512 << 20)

struct owner {
    struct rp_set set; /* must be the first member, because the pointer to it is cast back */
    struct hn_arena *arena;
};

/* ---- joining: names to rows ---- */

struct join {
    const char **names; /* open addressing; NULL: free */
    size_t *rows;
    size_t mask, count;
};

/* Room for `most` names. */
static int join_init(struct join *join, size_t most)
{
    size_t size = 16;
    while (size < most * 2)
        size *= 2;
    *join = (struct join){.names = calloc(size, sizeof *join->names),
                          .rows = calloc(size, sizeof *join->rows),
                          .mask = size - 1};
    return join->names && join->rows ? HN_OK : HN_ENOMEM;
}

static void join_finish(struct join *join)
{
    free(join->names);
    free(join->rows);
}

/* The row of a name; a new name gets a new row. */
static size_t join_row(struct join *join, const char *name)
{
    size_t slot = (size_t)hn_hash_mix(hn_hash_text(HN_HASH_START, name)) & join->mask;
    while (join->names[slot] && strcmp(join->names[slot], name) != 0)
        slot = (slot + 1) & join->mask;
    if (!join->names[slot]) {
        join->names[slot] = name;
        join->rows[slot] = join->count++;
    }
    return join->rows[slot];
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Offsets for one kind of named items. A run stores all items of one kind in an array. */
struct kind {
    size_t items, count; /* offsets in struct rp_run */
    size_t size, name;   /* size of an item, and offset of the name in it */
};

#define RUN(member) offsetof(struct rp_run, member)
#define ITEM(type, name) sizeof(struct type), offsetof(struct type, name)
static const struct kind module_kind = {RUN(modules), RUN(module_count), ITEM(rp_module, name)};
static const struct kind requirement_kind = {RUN(requirements), RUN(requirement_count),
                                             ITEM(rp_requirement, id)};
static const struct kind capability_kind = {RUN(capabilities), RUN(capability_count),
                                            ITEM(rp_capability, name)};
static const struct kind check_kind = {RUN(checks), RUN(check_count), ITEM(rp_check, id)};

static size_t count_of(const struct kind *kind, const struct rp_run *run)
{
    return *(const size_t *)(const void *)((const char *)run + kind->count);
}

static const void *item_of(const struct kind *kind, const struct rp_run *run, size_t index)
{
    const char *items;
    memcpy(&items, (const char *)run + kind->items, sizeof items);
    return items + index * kind->size;
}

static const char *name_of(const struct kind *kind, const void *item)
{
    const char *name;
    memcpy(&name, (const char *)item + kind->name, sizeof name);
    return name;
}

/* cells[row * runs + run] is the item of that row in that run, or NULL. */
static int join_kind(struct owner *owner, const struct kind *kind, const void ***cells,
                     size_t *row_count)
{
    const struct rp_set *set = &owner->set;
    struct join join;
    size_t most = 0;
    int status = HN_ENOMEM;
    for (size_t run = 0; run < set->run_count; run++)
        most += count_of(kind, set->runs[run]);
    if (join_init(&join, most))
        goto done;
    for (size_t run = 0; run < set->run_count; run++)
        for (size_t i = 0; i < count_of(kind, set->runs[run]); i++)
            join_row(&join, name_of(kind, item_of(kind, set->runs[run], i)));
    const void **table =
        hn_arena_array(owner->arena, (join.count + 1) * set->run_count, sizeof *table);
    if (!table)
        goto done;
    for (size_t run = 0; run < set->run_count; run++)
        for (size_t i = 0; i < count_of(kind, set->runs[run]); i++) {
            const void *item = item_of(kind, set->runs[run], i);
            table[join_row(&join, name_of(kind, item)) * set->run_count + run] = item;
        }
    *cells = table;
    *row_count = join.count;
    status = HN_OK;
done:
    join_finish(&join);
    return status;
}

static const void *first_of(const void *const *cells, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cells[i])
            return cells[i];
    return NULL; /* cannot happen, because a row always has an item */
}

static int make_modules(struct owner *owner)
{
    struct rp_set *set = &owner->set;
    const void **cells;
    int status = join_kind(owner, &module_kind, &cells, &set->module_count);
    if (status)
        return status;
    const size_t runs = set->run_count;
    struct rp_set_module *rows = hn_arena_array(owner->arena, set->module_count + 1, sizeof *rows);
    struct rp_share *shares =
        hn_arena_array(owner->arena, (set->module_count + 1) * runs, sizeof *shares);
    if (!rows || !shares)
        return HN_ENOMEM;
    for (size_t i = 0; i < set->module_count; i++) {
        rows[i].name = name_of(&module_kind, first_of(&cells[i * runs], runs));
        rows[i].in = &shares[i * runs];
        for (size_t run = 0; run < runs; run++)
            if (cells[i * runs + run])
                shares[i * runs + run] = rp_module_share(cells[i * runs + run]);
    }
    set->modules = rows;
    return HN_OK;
}

/* The members with which a row of every other kind begins. */
struct row {
    const void *any;
    const void *const *in;
};

/* Makes rows of `size` bytes. Returns NULL if out of memory. */
static void *rows_of(struct owner *owner, const struct kind *kind, size_t size, size_t *count)
{
    const size_t runs = owner->set.run_count;
    const void **cells;
    if (join_kind(owner, kind, &cells, count))
        return NULL;
    char *rows = hn_arena_array(owner->arena, *count + 1, size);
    for (size_t i = 0; rows && i < *count; i++) {
        const struct row row = {first_of(&cells[i * runs], runs), &cells[i * runs]};
        memcpy(rows + i * size, &row, sizeof row);
    }
    return rows;
}

static void sum_check(struct rp_set_check *row, size_t runs)
{
    row->worst = row->any->verdict;
    for (size_t run = 0; run < runs; run++) {
        if (!row->in[run])
            continue;
        row->worst = hn_verdict_worse(row->worst, row->in[run]->verdict);
        row->blocks = row->in[run]->blocks > row->blocks ? row->in[run]->blocks : row->blocks;
    }
}

static int make_rows(struct owner *owner)
{
    struct rp_set *set = &owner->set;
    set->requirements =
        rows_of(owner, &requirement_kind, sizeof *set->requirements, &set->requirement_count);
    set->capabilities =
        rows_of(owner, &capability_kind, sizeof *set->capabilities, &set->capability_count);
    struct rp_set_check *checks = rows_of(owner, &check_kind, sizeof *checks, &set->check_count);
    if (!set->requirements || !set->capabilities || !checks)
        return HN_ENOMEM;
    for (size_t i = 0; i < set->check_count; i++)
        sum_check(&checks[i], set->run_count);
    set->checks = checks;
    return HN_OK;
}

/* ---- the set --------------------------------------------------------------------------------- */

int rp_set_make(const struct rp_run *const *runs, size_t count, struct rp_set **set,
                struct hn_error *error)
{
    struct hn_arena *arena;
    struct owner *owner = hn_arena_owner(sizeof *owner, MEMORY, &arena);
    *set = NULL;
    if (!owner)
        return hn_error_nomem(error);
    owner->arena = arena;
    owner->set.runs = runs;
    owner->set.run_count = count;
    if (rp_labels_make(runs, count, arena, &owner->set.labels) || make_modules(owner) ||
        make_rows(owner)) {
        rp_set_destroy(&owner->set);
        return hn_error_nomem(error);
    }
    *set = &owner->set;
    return HN_OK;
}

void rp_set_destroy(struct rp_set *set)
{
    struct owner *owner = (struct owner *)set;
    hn_arena_destroy(owner ? owner->arena : NULL);
}

int rp_is_kept(enum hn_verdict verdict)
{
    return hn_verdict_table[verdict].rank >= hn_verdict_table[HN_FLAKY].rank;
}

struct rp_share rp_module_share(const struct rp_module *module)
{
    struct rp_share share = {.total = module->count, .worst = HN_PASS};
    for (int i = HN_VERDICTS - 1; i >= 0; i--) {
        share.kept += rp_is_kept((enum hn_verdict)i) ? module->totals[i] : 0;
        share.worst = module->totals[i] ? (enum hn_verdict)i : share.worst;
    }
    return share;
}

struct rp_share rp_level_share(const struct rp_run *run, enum hn_level level)
{
    struct rp_share share = {.worst = HN_PASS};
    for (size_t i = 0; i < run->requirement_count; i++) {
        const struct rp_requirement *requirement = &run->requirements[i];
        if (requirement->level != level)
            continue;
        share.total++;
        share.kept += (size_t)rp_is_kept(requirement->verdict);
        share.worst = hn_verdict_worse(share.worst, requirement->verdict);
    }
    if (share.total && share.total < run->promised[level])
        /* requirements that were not tested do not count as held */
        share.total = run->promised[level];
    return share;
}
