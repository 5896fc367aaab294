/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See cluster_expectations.h. Called by gate_clusters.c and cmd_causes.c.
 */
#include "cluster_expectations.h"

#include <string.h>

static int names(const struct ci_cluster_expectation *entry, const struct rp_cause *cause)
{
    return strcmp(entry->cause, cause->cause) == 0 &&
           ci_pattern_fits(entry->subject, cause->subject) &&
           (!entry->signature[0] || strstr(cause->words, entry->signature));
}

static size_t count_named(const struct ci_cluster_expectation *entry, const struct rp_cause *cause)
{
    size_t named = 0;
    for (size_t i = 0; i < cause->tests.count; i++)
        named += (size_t)ci_pattern_fits(entry->tests, cause->tests.items[i]);
    return named;
}

const struct ci_cluster_expectation *ci_expected_cluster(const struct ci_expectations *list,
                                                         const struct rp_cause *cause,
                                                         const char *day)
{
    for (size_t i = 0; i < list->cluster_count; i++) {
        const struct ci_cluster_expectation *entry = &list->clusters[i];
        if (names(entry, cause) && !ci_has_expired(entry->expires, day) &&
            count_named(entry, cause) == cause->tests.count)
            return entry;
    }
    return NULL;
}

/* Returns 1 if the run includes a test class that may contain the tests of the entry. */
static int was_run(const struct ci_cluster_expectation *entry, const struct rp_cause_list *causes)
{
    const size_t length = strcspn(entry->tests, "*");
    for (size_t i = 0; i < causes->classes.count; i++) {
        const char *name = causes->classes.items[i];
        const size_t shared = strlen(name) < length ? strlen(name) : length;
        if (strncmp(name, entry->tests, shared) == 0)
            return 1;
    }
    return 0;
}

const char *ci_cluster_complaint(const struct ci_cluster_expectation *entry,
                                 const struct rp_cause_list *causes, const char *day)
{
    size_t named = 0, others = 0;
    if (ci_has_expired(entry->expires, day))
        return "has expired: repair it, or give it a new date and a reason for that";
    if (!was_run(entry, causes))
        return NULL;
    for (size_t i = 0; i < causes->count; i++) {
        if (!names(entry, &causes->items[i]))
            continue;
        const size_t fitting = count_named(entry, &causes->items[i]);
        named += fitting;
        others += fitting ? causes->items[i].tests.count - fitting : 0;
    }
    if (!named)
        return "no test fails for this cause any more: remove the entry";
    return others ? "tests that the entry does not list fail for this cause" : NULL;
}

int ci_same_cluster_entry(const struct ci_cluster_expectation *one,
                          const struct ci_cluster_expectation *other)
{
    return strcmp(one->cause, other->cause) == 0 && strcmp(one->subject, other->subject) == 0 &&
           strcmp(one->tests, other->tests) == 0 && strcmp(one->signature, other->signature) == 0 &&
           strcmp(one->expires, other->expires) == 0;
}
