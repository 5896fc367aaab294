/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of a run: modules, totals, requirements, and the number of checks that each failure
 * blocks. Derived from the checks alone, so that all reports agree.
 */
#include <stdlib.h>
#include <string.h>

#include "model_internal.h"

static struct rp_module *module_for(struct rp_module *modules, size_t *count, const char *name)
{
    for (size_t i = *count; i > 0; i--)
        if (strcmp(modules[i - 1].name, name) == 0)
            return &modules[i - 1];
    modules[*count].name = name;
    return &modules[(*count)++];
}

static int sum_modules(struct rp_builder *builder)
{
    struct rp_run *run = builder->run;
    struct rp_module *modules =
        hn_arena_array(builder->arena, builder->check_count + 1, sizeof *modules);
    if (!modules)
        return hn_error_nomem(builder->error);
    for (size_t i = 0; i < builder->check_count; i++) {
        const struct rp_check *check = &builder->checks[i];
        if (check->support)
            continue;
        struct rp_module *module = module_for(modules, &run->module_count, check->module);
        module->totals[check->verdict]++;
        module->count++;
        run->totals[check->verdict]++;
    }
    run->modules = modules;
    return HN_OK;
}

/* Returns the first cause in the chain of checks that block `check`. */
static struct rp_check *root_of(struct rp_builder *builder, const struct rp_check *check)
{
    struct rp_check *root = NULL;
    /* The bound ends a cycle, which only a forged journal can have. */
    for (size_t hops = 0; check && check->blocked_by[0] && hops < 100; hops++) {
        struct rp_check *next = rp_find_check(builder, check->blocked_by);
        root = next ? next : root;
        check = next;
    }
    return root;
}

static void count_blocked(struct rp_builder *builder)
{
    for (size_t i = 0; i < builder->check_count; i++) {
        struct rp_check *check = &builder->checks[i];
        struct rp_check *root = check->verdict == HN_BLOCKED ? root_of(builder, check) : NULL;
        check->root = root;
        if (!root || check->support)
            continue;
        root->blocks++;
        root->followers += check->follows != 0;
    }
}

static int compare_requirements(const void *a, const void *b)
{
    return strcmp((*(struct rp_requirement *const *)a)->id,
                  (*(struct rp_requirement *const *)b)->id);
}

static struct rp_requirement *find_requirement(struct rp_requirement **sorted, size_t count,
                                               const char *id)
{
    struct rp_requirement wanted = {.id = id}, *key = &wanted;
    struct rp_requirement **found =
        bsearch(&key, sorted, count, sizeof *sorted, compare_requirements);
    return found ? *found : NULL;
}

enum hn_verdict rp_clause_verdict(const struct rp_check *check, const char *clause)
{
    for (size_t i = 0; i < check->clause_count; i++)
        if (strcmp(check->clauses[i].id, clause) == 0)
            return check->clauses[i].verdict;
    return check->verdict;
}

static void add_check(struct rp_requirement *requirement, const struct rp_check *check,
                      size_t index, size_t *place)
{
    const enum hn_verdict verdict = rp_clause_verdict(check, requirement->id);
    place[requirement->check_count] = index;
    if (requirement->check_count == 0)
        requirement->verdict = verdict;
    requirement->verdict = hn_verdict_worse(requirement->verdict, verdict);
    requirement->partly |= verdict == HN_UNOBSERVABLE;
    requirement->check_count++;
}

/* By rank, unobservable is worse than pass. But if one check of a requirement passes and another
 * check is unobservable, the requirement has passed. */
static void settle(struct rp_requirement *requirement, const struct rp_check *checks)
{
    int passed = 0;
    for (size_t i = 0; i < requirement->check_count; i++)
        passed |= rp_clause_verdict(&checks[requirement->checks[i]], requirement->id) == HN_PASS;
    if (requirement->verdict == HN_UNOBSERVABLE && passed)
        requirement->verdict = HN_PASS;
    requirement->partly = requirement->partly && requirement->verdict == HN_PASS;
}

static int sum_requirements(struct rp_builder *builder)
{
    const size_t count = builder->run->requirement_count;
    struct rp_requirement **sorted = hn_arena_array(builder->arena, count + 1, sizeof *sorted);
    size_t *sizes = hn_arena_array(builder->arena, count + 1, sizeof *sizes);
    if (!sorted || !sizes)
        return hn_error_nomem(builder->error);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &builder->requirements[i];
        sorted[i]->verdict = HN_NOTRUN;
    }
    qsort(sorted, count, sizeof *sorted, compare_requirements);
    for (size_t i = 0; i < builder->check_count; i++)
        for (size_t j = 0; j < builder->checks[i].covers.count; j++) {
            const struct rp_requirement *found =
                find_requirement(sorted, count, builder->checks[i].covers.items[j]);
            if (found)
                sizes[found - builder->requirements]++;
        }
    for (size_t i = 0; i < count; i++) {
        builder->requirements[i].checks =
            hn_arena_array(builder->arena, sizes[i] + 1, sizeof *builder->requirements[i].checks);
        if (!builder->requirements[i].checks)
            return hn_error_nomem(builder->error);
    }
    for (size_t i = 0; i < builder->check_count; i++)
        for (size_t j = 0; j < builder->checks[i].covers.count; j++) {
            struct rp_requirement *found =
                find_requirement(sorted, count, builder->checks[i].covers.items[j]);
            if (found)
                add_check(found, &builder->checks[i], i, (size_t *)(uintptr_t)found->checks);
        }
    for (size_t i = 0; i < count; i++)
        settle(&builder->requirements[i], builder->checks);
    return HN_OK;
}

int rp_summarise(struct rp_builder *builder)
{
    int status = sum_modules(builder);
    builder->run->checks = builder->checks;
    builder->run->check_count = builder->check_count;
    count_blocked(builder);
    if (!status)
        status = rp_find_causes(builder);
    if (!status)
        status = sum_requirements(builder);
    if (!status)
        status = rp_sum_capabilities(builder);
    if (!status)
        status = rp_sum_stages(builder);
    if (!status)
        rp_sum_silence(builder);
    return status;
}
