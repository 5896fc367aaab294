/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the expectations with the head run, and finds the entry of each check and all invalid
 * entries. An invalid entry excuses nothing. Called by gate_checks.c.
 */
#include <string.h>

#include "clean_text.h"
#include "gate_internal.h"

struct fits { /* matches of one entry */
    size_t checks, run, good, failing;
    int was_good; /* the check passed on base too: the entry was already stale */
    const char *first_good;
};

static int complain(struct ci_judge *judge, enum ci_rule_id rule,
                    const struct ci_expectation *entry, const char *what)
{
    return ci_add_cause(judge, rule, NULL,
                        hn_arena_text(judge->arena, "%.200s:%d: %.40s: %.400s.",
                                      judge->now->expectations->file, entry->line, entry->check,
                                      what));
}

static struct fits look(const struct ci_judge *judge, const struct ci_expectation *entry)
{
    struct fits fits = {0};
    for (size_t i = 0; i < judge->policy->check_count; i++) {
        const struct ci_line *line = &judge->lines[i];
        if (!ci_pattern_fits(entry->check, judge->policy->checks[i].id))
            continue;
        fits.checks++;
        fits.run += line->head != NULL;
        if (!line->head)
            continue;
        fits.failing += (size_t)hn_verdict_table[line->head->verdict].fails;
        if (!hn_verdict_table[line->head->verdict].good && line->head->verdict != HN_SKIP)
            continue;
        fits.good++;
        if (!fits.first_good)
            fits.first_good = judge->policy->checks[i].id;
        fits.was_good |= line->base && hn_verdict_table[line->base->verdict].good;
    }
    return fits;
}

/* Returns the later of two dates, because the date of a run is untrusted and may be too old. */
static const char *day_of(const struct ci_judge *judge)
{
    const char *date = judge->now->head.run->date, *today = judge->change->today;
    return strncmp(date, today, 10) > 0 ? date : today;
}

/* Returns the first error of the entry as a sentence, or NULL if the entry is valid. */
static const char *what_is_wrong(const struct ci_judge *judge, const struct ci_expectation *entry,
                                 const struct fits *fits)
{
    const char *day = day_of(judge);
    if (fits->checks == 0)
        return "the contract has no such check";
    if (fits->run == 0)
        return "the head run has no such check";
    if (fits->checks > CI_EXPECTATION_CHECKS_MAX)
        return hn_arena_text(judge->arena,
                             "fits %zu checks; an entry may fit %d: name them one by one",
                             fits->checks, CI_EXPECTATION_CHECKS_MAX);
    if (ci_has_expired(entry->expires, day))
        return hn_arena_text(judge->arena,
                             "expired on %.10s, and today is %.10s: repair it, or give it a new "
                             "date and a reason for that",
                             entry->expires, day);
    if (fits->failing && fits->good && entry->verdict != HN_FLAKY)
        return hn_arena_text(judge->arena,
                             "also fits %.100s, which does not fail: name the checks one by one",
                             fits->first_good);
    return NULL;
}

/* Two entries for one check are an error, even if they are equal. */
static int give(struct ci_judge *judge, const struct ci_expectation *entry)
{
    for (size_t i = 0; i < judge->policy->check_count; i++) {
        struct ci_line *line = &judge->lines[i];
        if (!ci_pattern_fits(entry->check, judge->policy->checks[i].id))
            continue;
        if (line->entry)
            return complain(judge, CI_EXPECTATION_WRONG, entry,
                            hn_arena_text(judge->arena, "line %d also names %.100s",
                                          line->entry->line, judge->policy->checks[i].id));
        line->entry = entry;
    }
    return HN_OK;
}

static int judge_entry(struct ci_judge *judge, const struct ci_expectation *entry)
{
    const struct fits fits = look(judge, entry);
    const char *wrong = what_is_wrong(judge, entry, &fits);
    if (wrong)
        return complain(judge, CI_EXPECTATION_WRONG, entry, wrong);
    if (entry->verdict != HN_FLAKY && fits.good && !fits.failing)
        return complain(judge, fits.was_good ? CI_EXPECTATION_WRONG : CI_EXPECTATION_FIXED, entry,
                        hn_arena_text(judge->arena, "is to %s, but %.100s does not",
                                      hn_verdict_table[entry->verdict].name, fits.first_good));
    return give(judge, entry);
}

static int add_findings(struct ci_judge *judge, const struct hn_findings *findings)
{
    struct hn_buffer text;
    char line[1100];
    hn_buffer_init(&text, CI_TEXT_LIMIT / 2);
    for (size_t i = 0; i < findings->count; i++) {
        hn_error_format(&findings->items[i], line, sizeof line);
        hn_buffer_puts(&text, i ? " " : "");
        ci_clean(&text, line, 400);
        hn_buffer_putc(&text, '.');
    }
    const int status = ci_add_cause(judge, CI_EXPECTATION_WRONG, NULL, text.text);
    hn_buffer_finish(&text);
    return status;
}

/* Returns 1 if the list has this entry, possibly with another reason or issue. */
static int has(const struct ci_expectations *list, const struct ci_expectation *entry)
{
    for (size_t i = 0; list && i < list->count; i++) {
        const struct ci_expectation *other = &list->items[i];
        if (strcmp(other->check, entry->check) == 0 && other->verdict == entry->verdict &&
            strcmp(other->signature, entry->signature) == 0 &&
            strcmp(other->expires, entry->expires) == 0)
            return 1;
    }
    return 0;
}

/* An entry that the pull request adds excuses nothing, because its author wrote it. */
static int judge_proposed(struct ci_judge *judge)
{
    const struct ci_expectations *proposed = judge->now->proposed;
    const char *first = NULL;
    size_t added = 0;
    if (proposed && proposed->findings.total)
        return add_findings(judge, &proposed->findings);
    for (size_t i = 0; proposed && i < proposed->count; i++)
        if (!has(judge->now->expectations, &proposed->items[i]) && !added++)
            first = proposed->items[i].check;
    if (!added)
        return HN_OK;
    return ci_add_cause(
        judge, CI_EXPECTATION_ADDED, NULL,
        hn_arena_text(judge->arena, "%zu, the first is of %s.", added, ci_said(judge, first, 100)));
}

int ci_judge_expectations(struct ci_judge *judge)
{
    const struct ci_expectations *all = judge->now->expectations;
    int status = judge->now->is_proposed ? judge_proposed(judge) : HN_OK;
    if (!all || status)
        return status;
    if (all->findings.total)
        return add_findings(judge, &all->findings);
    if (strcmp(all->target, judge->now->head.run->target) != 0)
        return ci_add_cause(judge, CI_EXPECTATION_WRONG, NULL,
                            hn_arena_text(judge->arena,
                                          "%.200s is about target %.100s; the head run is of %s.",
                                          all->file, all->target,
                                          ci_said(judge, judge->now->head.run->target, 100)));
    for (size_t i = 0; !status && i < all->count; i++)
        if (!judge->now->is_proposed || has(judge->now->proposed, &all->items[i]))
            status = judge_entry(judge, &all->items[i]);
    return status;
}
