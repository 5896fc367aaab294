/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Judges PyTorch's own tests: compares the causes of their failures on head with those on base and
 * with the expectations. A cause belongs to no single check. Therefore the causes are judged once,
 * after all targets.
 */
#include <string.h>

#include "clean_text.h"
#include "cluster_expectations.h"
#include "gate_internal.h"

#define PIECE 160

/* Writes "wrong value: aten::cumsum (12 tests, upstream.test_x.TestX.test_y)". */
static void tell(struct hn_buffer *text, const struct rp_cause *cause)
{
    ci_clean(text, cause->cause, PIECE);
    hn_buffer_puts(text, cause->subject[0] ? ": " : "");
    ci_clean(text, cause->subject, PIECE);
    hn_buffer_printf(text, " (%zu test%s, ", cause->tests.count,
                     cause->tests.count == 1 ? "" : "s");
    ci_clean(text, cause->example, PIECE);
    hn_buffer_putc(text, ')');
}

static int has(const struct ci_expectations *list, const struct ci_cluster_expectation *entry)
{
    for (size_t i = 0; list && i < list->cluster_count; i++)
        if (ci_same_cluster_entry(entry, &list->clusters[i]))
            return 1;
    return 0;
}

static int is_kept(const struct ci_clusters *clusters, const struct ci_cluster_expectation *entry)
{
    return !clusters->is_proposed || has(clusters->proposed, entry);
}

/* Returns the entry that excuses the cause. An entry excuses nothing if the pull request removes
 * it. */
static const struct ci_cluster_expectation *entry_of(const struct ci_judge *judge,
                                                     const struct rp_cause *cause)
{
    const struct ci_clusters *clusters = judge->clusters;
    const struct ci_cluster_expectation *entry =
        !clusters->expectations
            ? NULL
            : ci_expected_cluster(clusters->expectations, cause, judge->change->today);
    return entry && is_kept(clusters, entry) ? entry : NULL;
}

/* Returns 1 if the run of `list` includes a test of the same class. */
static int was_run(const struct rp_cause_list *list, const struct rp_cause *cause)
{
    for (size_t i = 0; i < cause->tests.count; i++)
        for (size_t j = 0; j < list->classes.count; j++) {
            const char *test = cause->tests.items[i], *name = list->classes.items[j];
            const size_t length = strlen(name);
            if (strncmp(test, name, length) == 0 && test[length] == '.')
                return 1;
        }
    return 0;
}

static enum ci_rule_id rule_of(const struct ci_judge *judge, const struct rp_cause *cause)
{
    const struct ci_clusters *clusters = judge->clusters;
    if (entry_of(judge, cause))
        return CI_CLUSTER_EXPECTED;
    if (!clusters->base)
        return CI_CLUSTER_UNEXPECTED;
    if (rp_cause_list_find(clusters->base, cause))
        return CI_CLUSTER_ON_BASE;
    return was_run(clusters->base, cause) ? CI_CLUSTER_NEW : CI_CLUSTER_UNSURE;
}

static int add_rule(struct ci_judge *judge, enum ci_rule_id rule)
{
    const struct rp_cause_list *head = judge->clusters->head;
    struct hn_buffer text;
    size_t count = 0;
    int status = HN_OK;
    hn_buffer_init(&text, CI_TEXT_LIMIT);
    for (size_t i = 0; i < head->count; i++) {
        if (rule_of(judge, &head->items[i]) != rule || ++count > CI_SHOWN)
            continue;
        hn_buffer_puts(&text, text.length ? "; " : "");
        tell(&text, &head->items[i]);
    }
    if (count > CI_SHOWN)
        hn_buffer_printf(&text, "; and %zu more", count - CI_SHOWN);
    hn_buffer_putc(&text, '.');
    if (count && !ci_rules[rule].silent)
        status = ci_add_cause(judge, rule, NULL, text.text);
    hn_buffer_finish(&text);
    return status;
}

static int complain(struct ci_judge *judge, enum ci_rule_id rule,
                    const struct ci_cluster_expectation *entry, const char *what)
{
    return ci_add_cause(judge, rule, NULL,
                        hn_arena_text(judge->arena, "%.200s:%d: %.60s of %.60s: %.200s.",
                                      judge->clusters->expectations->file, entry->line,
                                      entry->cause, entry->subject, what));
}

/* Judges an entry. If it matches on base, this pull request has made it stale. */
static int judge_entry(struct ci_judge *judge, const struct ci_cluster_expectation *entry)
{
    const struct ci_clusters *clusters = judge->clusters;
    const char *today = judge->change->today;
    const char *wrong = ci_cluster_complaint(entry, clusters->head, today);
    if (!wrong)
        return HN_OK;
    const int held = clusters->base && !ci_cluster_complaint(entry, clusters->base, today);
    return complain(judge, held ? CI_EXPECTATION_FIXED : CI_EXPECTATION_WRONG, entry, wrong);
}

/* An entry that the pull request adds excuses nothing, because its author wrote it. */
static int judge_added(struct ci_judge *judge)
{
    const struct ci_clusters *clusters = judge->clusters;
    for (size_t i = 0; clusters->proposed && i < clusters->proposed->cluster_count; i++) {
        const struct ci_cluster_expectation *entry = &clusters->proposed->clusters[i];
        if (has(clusters->expectations, entry))
            continue;
        return ci_add_cause(judge, CI_EXPECTATION_ADDED, NULL,
                            hn_arena_text(judge->arena, "The first is of %s of %s.",
                                          ci_said(judge, entry->cause, PIECE),
                                          ci_said(judge, entry->subject, PIECE)));
    }
    return HN_OK;
}

/* Reports an invalid list, which excuses nothing. */
static int refuse_list(struct ci_judge *judge, struct ci_clusters *clusters)
{
    const struct ci_expectations *list = clusters->expectations;
    const char *more;
    if (!list || (!list->findings.total && strcmp(list->target, clusters->head->target) == 0))
        return HN_OK;
    if (list->findings.total)
        more = hn_arena_text(judge->arena, "%.200s is not in order.", list->file);
    else
        more =
            hn_arena_text(judge->arena, "%.200s is about target %.100s.", list->file, list->target);
    clusters->expectations = NULL;
    return ci_add_cause(judge, CI_EXPECTATION_WRONG, NULL, more);
}

static int judge_entries(struct ci_judge *judge)
{
    const struct ci_clusters *clusters = judge->clusters;
    const struct ci_expectations *list = clusters->expectations;
    int status = clusters->is_proposed ? judge_added(judge) : HN_OK;
    for (size_t i = 0; !status && list && i < list->cluster_count; i++)
        if (is_kept(clusters, &list->clusters[i]))
            status = judge_entry(judge, &list->clusters[i]);
    return status;
}

int ci_judge_clusters(struct ci_judge *judge, enum ci_decision *decision)
{
    struct ci_clusters clusters = judge->change->clusters;
    struct ci_target_decision none = {.target = NULL};
    if (!clusters.head)
        return HN_OK;
    judge->target = &none;
    judge->clusters = &clusters;
    int status = refuse_list(judge, &clusters);
    for (int rule = CI_CLUSTER_NEW; !status && rule <= CI_CLUSTER_EXPECTED; rule++)
        status = add_rule(judge, (enum ci_rule_id)rule);
    if (!status)
        status = judge_entries(judge);
    if (none.decision > *decision)
        *decision = none.decision;
    return status;
}
