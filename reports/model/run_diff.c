/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_diff.h. Checks that became worse have the order of the second run, and checks that became
 * better the order of the first run. Each check is listed under its cause.
 */
#include "run_diff.h"

#include <stdlib.h>
#include <string.h>

#include "run_set.h"

const char *const rp_change_names[RP_CHANGE_KINDS] = {
    "worse", "newly_visible", "better", "no_longer_fails",
    "other", "otherwise",     "added",  "removed"};

static int has_failed(const struct rp_check *check)
{
    return hn_verdict_table[check->verdict].fails;
}

/* Returns 1 if some part of the check has a verdict about the backend. */
static int was_looked_at(const struct rp_check *check)
{
    const enum hn_verdict verdict = check->verdict;
    return verdict != HN_BLOCKED && verdict != HN_BROKEN && verdict != HN_UNOBSERVABLE &&
           verdict != HN_INCOMPLETE && verdict != HN_NOTRUN && verdict != HN_SLOW;
}

static int saw_the_same(const struct rp_check *from, const struct rp_check *to)
{
    return strcmp(from->seen, to->seen) == 0 && strcmp(from->signal, to->signal) == 0 &&
           strcmp(from->expected, to->expected) == 0;
}

/* Returns 1 if the check fails in both runs, but a clause held before and does not hold now. */
static int lost_a_clause(const struct rp_check *from, const struct rp_check *to)
{
    for (size_t i = 0; from->clause_count && i < to->clause_count; i++)
        if (rp_is_kept(rp_clause_verdict(from, to->clauses[i].id)) &&
            !rp_is_kept(to->clauses[i].verdict))
            return 1;
    return 0;
}

/* Returns RP_CHANGE_KINDS if nothing changed. */
static enum rp_change_kind kind_of(const struct rp_check *from, const struct rp_check *to)
{
    if (!from)
        return RP_ADDED;
    if (!to)
        return RP_REMOVED;
    if (from->verdict == to->verdict && has_failed(to) && lost_a_clause(from, to))
        return RP_WORSE;
    if (from->verdict == to->verdict)
        return has_failed(to) && !saw_the_same(from, to) ? RP_SEEN : RP_CHANGE_KINDS;
    const int kept = rp_is_kept(to->verdict) - rp_is_kept(from->verdict);
    if (has_failed(to) && !was_looked_at(from))
        return RP_VISIBLE;
    if (kept)
        return kept < 0 ? RP_WORSE : RP_BETTER;
    if (has_failed(to) && !has_failed(from))
        return RP_WORSE;
    if (has_failed(from) && to->verdict == HN_UNOBSERVABLE)
        return RP_MENDED;
    return RP_OTHER;
}

/* Adds the changes of one kind. `run` is one of the two compared runs and determines the order. */
static int add_kind(struct rp_diff *diff, struct rp_change *changes, const struct rp_run *run,
                    enum rp_change_kind kind)
{
    struct rp_set *set;
    struct hn_error ignored;
    struct rp_place *places = calloc(run->check_count + 1, sizeof *places);
    int status = rp_set_make(&run, 1, &set, &ignored), cause_is_here = 0;
    if (!status)
        status = places ? rp_set_order(set, places) : HN_ENOMEM;
    for (size_t i = 0; !status && i < run->check_count; i++) {
        const struct rp_check *check = &run->checks[places[i].row];
        const struct rp_check *from = rp_run_check(diff->from, check->id);
        const struct rp_check *to = rp_run_check(diff->to, check->id);
        const int is_this_kind = kind_of(from, to) == kind;
        if (!places[i].under)
            cause_is_here = is_this_kind;
        if (!is_this_kind)
            continue;
        changes[diff->change_count++] =
            (struct rp_change){kind, from, to, places[i].under && cause_is_here};
        diff->counts[kind]++;
    }
    rp_set_destroy(set);
    free(places);
    return status;
}

int rp_diff_make(const struct rp_run *from, const struct rp_run *to, struct rp_diff **diff,
                 struct hn_error *error)
{
    const size_t most = from->check_count + to->check_count + 1;
    struct rp_diff *made = calloc(1, sizeof *made);
    struct rp_change *changes = calloc(most, sizeof *changes);
    int status = made && changes ? HN_OK : HN_ENOMEM;
    *diff = NULL;
    if (!status)
        *made = (struct rp_diff){.from = from, .to = to, .changes = changes};
    for (int kind = 0; !status && kind < RP_CHANGE_KINDS; kind++)
        status = add_kind(made, changes, kind == RP_BETTER || kind == RP_REMOVED ? from : to,
                          (enum rp_change_kind)kind);
    if (status) {
        free(changes);
        free(made);
        return hn_error_nomem(error);
    }
    *diff = made;
    return HN_OK;
}

void rp_diff_destroy(struct rp_diff *diff)
{
    if (!diff)
        return;
    free((void *)(uintptr_t)diff->changes);
    free(diff);
}
