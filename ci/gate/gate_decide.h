/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The gate: what runs of a pull request say about it. A pure function: no clock, no files, no
 * environment; the rules are the table in gate_rules.c. Called by cmd_gate.c, which reads the files.
 * Runs are foreign (a pull request may have written them); the policy is ours:
 * levels, ids and label names come from the policy alone.
 */
#ifndef CI_GATE_DECIDE_H
#define CI_GATE_DECIDE_H

#include <stddef.h>

#include "arena.h"
#include "cause_list.h"
#include "expectations.h"
#include "gate_rules.h"
#include "run_model.h"
#include "torch_range.h"

#define CI_INTERFACE_SIZE 256

struct ci_promise {          /* a check of the contract */
    const char *id, *anchor; /* anchor: the interface its first requirement is about, or "" */
    enum hn_level level;
    enum hn_subject subject;
    int promised; /* a complete run has it, if its torch is one of these */
    struct hn_torch_range torch;
    const char *demand,
        *why; /* of its first requirement: what it says, what breaks for a user; or NULL */
};

struct ci_policy {
    int contract;
    enum hn_level fail_on;
    const struct ci_promise *checks; /* in the order of the contract, each id once */
    size_t check_count;
    const char *label_adaptation, *label_override, *label_hint;
};

/* The step before the first check, when that is what failed. */
enum ci_step { CI_STEP_NONE, CI_STEP_BUILD, CI_STEP_LOAD };
struct ci_step_failure {
    enum ci_step step;
    int ours; /* the machine may be to blame (deadline, signal, missing program), not the code */
    const char *message;                    /* of compiler, linker or loader; clean; one line */
    char interface_name[CI_INTERFACE_SIZE]; /* "" when the message names none */
};

/* A run as it came in. */
struct ci_side {
    int given;
    const struct rp_run *run; /* NULL: cannot be used, `refusal` says why (clean text) */
    const char *refusal;
    struct ci_step_failure failure;
};

struct ci_case { /* one target */
    struct ci_side head, base, unadapted;
    const struct ci_expectations *expectations; /* NULL: none given */
    int is_proposed;                            /* the pull request's own list is known */
    const struct ci_expectations *proposed;     /* it, foreign; NULL: it leaves none */
};

#define CI_DRIFT_SHOWN 20
struct ci_drift_item { /* clean texts */
    const char *title, *advice;
    const char *backends; /* that it breaks; "": not crossed with any */
};
struct ci_drift { /* what assay drift says of base's and head's PyTorch */
    int given;
    struct ci_drift_item items[CI_DRIFT_SHOWN];
    size_t count; /* may be more than are kept */
};

/* Causes of failures of PyTorch's own tests, of one target. */
struct ci_clusters {
    const struct rp_cause_list *head, *base;    /* NULL: not given */
    const struct ci_expectations *expectations; /* as in struct ci_case */
    int is_proposed;
    const struct ci_expectations *proposed;
};

struct ci_change {              /* what the pull request is known to be, from the event */
    char today[32];             /* a date like that of a run; "": the run's own counts */
    const char *reference_file; /* the first changed file of the reference backend, or NULL */
    int overridden;             /* it carries the override label */
    struct ci_drift drift;
    struct ci_clusters clusters;
};

/* A check that a cause tells about. Words of the run are clean, but foreign. */
struct ci_told {
    const char *id, *demand, *why; /* of the promise */
    enum hn_subject subject;
    const char *verdict;              /* NULL: the run does not have it */
    const char *clause, *seen, *root; /* or NULL */
};

struct ci_cause {
    enum ci_rule_id rule;
    enum ci_decision decides;
    const char *target; /* NULL: of no single target */
    const char **checks;
    size_t check_count;
    const struct ci_told *told; /* the first of the checks */
    size_t told_count;
    const char *text;
    const char *interface_name; /* NULL: none is known */
    size_t order;               /* in which it was found */
};

struct ci_counts {
    size_t of[CI_COUNTERS];
};

struct ci_target_decision {
    const char *target, *torch; /* torch "" when not said */
    int contract;
    enum ci_decision decision;
    struct ci_counts counts;
};

struct ci_result {
    enum ci_decision decision;
    int overridden;
    const char *date;    /* "" when no head run could be read */
    const char *summary; /* one sentence */
    int add_label, remove_label, suggest_hint;
    const struct ci_cause *causes; /* worst first */
    size_t cause_count;
    const struct ci_cause *warnings;
    size_t warning_count;
    struct ci_counts counts;
    const struct ci_target_decision *targets;
    size_t target_count;
};

/* Everything in *result lives in the arena. HN_ENOMEM when that is full. */
int ci_gate_decide(const struct ci_policy *policy, const struct ci_change *change,
                   const struct ci_case *cases, size_t count, struct hn_arena *arena,
                   struct ci_result *result, struct hn_error *error);
int ci_exit_status(const struct ci_result *result);

#endif
