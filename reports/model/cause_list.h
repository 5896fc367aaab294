/* SPDX-License-Identifier: BSD-3-Clause
 *
 * causes.json of a run, written by suites/upstream/causes.py: one entry for each cause of
 * failures of PyTorch's own tests. The report, the gate and `assay causes` read this file. The
 * texts in this file are untrusted: they quote tests and exceptions.
 */
#ifndef RP_CAUSE_LIST_H
#define RP_CAUSE_LIST_H

#include "arena.h"
#include "texts.h"

#define RP_CAUSES_FILE "causes.json"

struct rp_cause {
    const char *cause, *subject, *words; /* these three together identify the cause */
    const char *example, *clause, *script;
    int shown;               /* the script reproduces the failure outside of the test */
    struct hn_texts tests;   /* ids of the tests */
    struct hn_texts kept_by; /* checks of a conformance run whose verdicts contradict this cause */
    int left_out;            /* number of these tests that a vendor's list excludes */
};

struct rp_cause_list {
    const char *target;
    const struct rp_cause *items; /* largest first */
    size_t count;
    struct hn_texts classes;   /* the test classes that were run: upstream.<file>.<class> */
    struct hn_texts no_longer; /* sentences about excluded tests that pass */
};

/* The result lives in the arena. */
int rp_cause_list_read(const char *path, struct hn_arena *arena, struct rp_cause_list *list,
                       struct hn_error *error);
/* The entry with the same cause, or NULL. */
const struct rp_cause *rp_cause_list_find(const struct rp_cause_list *list,
                                          const struct rp_cause *cause);

#endif
