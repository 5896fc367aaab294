/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the runner needs to know of a run before it starts: ordered jobs, and pure functions that
 * say of each job, from the outcomes so far, whether it runs. Self-contained: the runner needs
 * neither the catalogue nor a profile. Read-only once made. [any]
 */
#ifndef HN_PLAN_H
#define HN_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "hn_error.h"
#include "json_write.h"
#include "level.h"
#include "verdict.h"

struct hn_plan_texts {
    const char *const *items;
    size_t count;
};

struct hn_indices {
    const uint32_t *items;
    size_t count;
};

struct hn_job {
    const char *id;     /* the check: "guard.exchange_returns_previous" */
    const char *module; /* "guard" */
    enum hn_kind kind;
    const char *file; /* code, relative to the data folder */
    int line;
    enum hn_level level;
    enum hn_subject subject;
    struct hn_plan_texts covers;    /* requirement ids */
    struct hn_plan_texts operators; /* it leans on: "aten::mul" */
    struct hn_indices builds_on;    /* jobs of this plan, all before this one */
    struct hn_indices capabilities; /* that decide about it, in plan->capabilities */
    struct hn_indices after;      /* all jobs that must have an outcome before this one is decided:
                                     builds_on, and probes and refusals of its capabilities */
    int32_t probe_of, refusal_of; /* index of a capability, -1: none */
    int devices;                  /* at least 1 */
    unsigned needs;               /* HN_NEEDS_* */
    int fresh, normal_exit;
    int expect_signal; /* 0: none */
    int expect_status; /* -1: none */
    int timeout_ms;    /* 0: the target's */
    int support;       /* here only because a job of this selection or shard builds on it: another
                          shard owns its verdict, and totals do not count it */
    const char *demand, *hint, *summary; /* texts for reports */
};

struct hn_plan_capability {
    const char *name;
    enum hn_claim
        claim; /* the profile's, else the adapter's, else unknown: then the probe decides */
    const char *source;     /* "profile", "adapter", "" */
    int32_t probe, refusal; /* jobs, -1: none in this plan */
};

struct hn_plan_requirement {
    const char *id, *module, *text;
    enum hn_level level;
    enum hn_subject subject;
};

struct hn_plan {
    int contract;       /* version */
    const char *digest; /* of the contract's words */
    const struct hn_job
        *jobs; /* in the order to start them: what a job builds on comes before it */
    size_t count;
    const struct hn_plan_capability *capabilities;
    size_t capability_count;
    const struct hn_plan_requirement *requirements; /* those that the jobs cover */
    size_t requirement_count;
    uint32_t shard, shards; /* 1 of 1 when not sharded */
    uint64_t seed;          /* 0: stable order */
};

void hn_plan_destroy(struct hn_plan *plan); /* takes NULL */

/* ---- deciding ----------------------------------------------------------------------------------
 */

#define HN_NO_VERDICT (-1)

struct hn_outcome {
    int verdict;   /* enum hn_verdict, HN_NO_VERDICT while there is none */
    int32_t cause; /* job that a blocked or skipped one names, -1: none */
};

struct hn_facts {
    const struct hn_outcome *outcomes; /* one per job of the plan */
    int devices;                       /* that the target has */
    unsigned offers;                   /* HN_NEEDS_* that its adapter offers */
    int no_block;                      /* run also what builds on something broken */
};

enum hn_action { HN_ACTION_WAIT, HN_ACTION_RUN, HN_ACTION_VERDICT };

struct hn_decision {
    enum hn_action action;
    enum hn_verdict verdict; /* with HN_ACTION_VERDICT: blocked, skip or unobservable */
    int32_t cause;           /* the job it is due to (the root of a chain), -1: none */
    char reason[256];        /* one sentence, "" when it runs */
};

/* A pure function. WAIT: some job in `after` has no outcome yet. */
void hn_plan_decide(const struct hn_plan *plan, size_t job, const struct hn_facts *facts,
                    struct hn_decision *decision);

/* What a capability turned out to be, from its claim and the outcomes of its probe and refusal. */
enum hn_claim hn_plan_capability_state(const struct hn_plan *plan, size_t capability,
                                       const struct hn_outcome *outcomes);

/* ---- record ------------------------------------------------------------------------------------
 */

/* The plan as an object of the run folder's plan.json, schema assay/plan/1: with it a run can be
 * read long after the contract has changed. The caller opens and closes the object's braces itself
 * by giving `key` (NULL at the top). */
void hn_plan_write(const struct hn_plan *plan, const char *key, struct hn_json_writer *writer);

#endif
