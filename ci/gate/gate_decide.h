/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The gate decides from the runs of a pull request. This file must not use the clock, files or the
 * environment. The rules are the table in gate_rules.c. Called by cmd_gate.c, which reads the
 * files. Runs are untrusted, because a pull request may have written them. Levels, ids and label
 * names are read only from the policy, which comes from our own contract.
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
    const char *id, *anchor; /* anchor: the interface in its first requirement, or "" */
    enum hn_level level;
    enum hn_subject subject;
    int promised; /* a complete run contains it, if its torch is in this range */
    struct hn_torch_range torch;
    const char *demand,
        *why; /* text of its first requirement, and its consequence for a user; or NULL */
};

struct ci_policy {
    int contract;
    enum hn_level fail_on;
    const struct ci_promise *checks; /* in the order of the contract, without duplicates */
    size_t check_count;
    const char *label_adaptation, *label_override, *label_hint;
};

/* The step that failed before the first check. */
enum ci_step { CI_STEP_NONE, CI_STEP_BUILD, CI_STEP_LOAD };
struct ci_step_failure {
    enum ci_step step;
    int ours;            /* 1: the machine may be the cause: deadline, signal, missing program */
    const char *message; /* from compiler, linker or loader; one escaped line */
    char interface_name[CI_INTERFACE_SIZE]; /* "" if the message names none */
};

/* A run as the gate received it. */
struct ci_side {
    int given;
    /* NULL: the run cannot be used, and `refusal` has the reason (escaped) */
    const struct rp_run *run;
    const char *refusal;
    struct ci_step_failure failure;
};

struct ci_case { /* the runs and lists of one target */
    struct ci_side head, base, unadapted;
    const struct ci_expectations *expectations; /* NULL: none given */
    /* the pull request's version of the list is known */
    int is_proposed;
    /* that version, untrusted; NULL: the pull request removes the list */
    const struct ci_expectations *proposed;
};

#define CI_DRIFT_SHOWN 20
struct ci_drift_item { /* texts are escaped */
    const char *title, *advice;
    const char *backends; /* backends that it breaks; "": not compared with any */
};
struct ci_drift { /* result of assay drift for base's and head's PyTorch */
    int given;
    struct ci_drift_item items[CI_DRIFT_SHOWN];
    size_t count; /* may be larger than the number of stored items */
};

/* Causes of failures of PyTorch's own tests, for one target. */
struct ci_clusters {
    const struct rp_cause_list *head, *base;    /* NULL: not given */
    const struct ci_expectations *expectations; /* as in struct ci_case */
    int is_proposed;
    const struct ci_expectations *proposed;
};

struct ci_change {              /* facts about the pull request, from the event */
    char today[32];             /* in the form of a run's date; "": use the run's date */
    const char *reference_file; /* the first changed file of the reference backend, or NULL */
    int overridden;             /* the pull request has the override label */
    struct ci_drift drift;
    struct ci_clusters clusters;
};

/* A check that a cause names. Texts of the run are untrusted, and escaped by ci_clean(). */
struct ci_told {
    const char *id, *demand, *why; /* from the promise */
    enum hn_subject subject;
    const char *verdict;              /* NULL: missing in the run */
    const char *clause, *seen, *root; /* each may be NULL */
};

struct ci_cause {
    enum ci_rule_id rule;
    enum ci_decision decides;
    const char *target; /* NULL: it belongs to no single target */
    const char *option; /* value of --target to repeat the run; NULL: unknown */
    const char **checks;
    size_t check_count;
    const struct ci_told *told; /* the first few checks */
    size_t told_count;
    const char *text;
    const char *interface_name; /* NULL: unknown */
    size_t order;               /* order in which it was found */
};

struct ci_counts {
    size_t of[CI_COUNTERS];
};

struct ci_target_decision {
    const char *target, *torch; /* torch is "" if unknown */
    const char *option;         /* see struct ci_cause */
    int contract;
    enum ci_decision decision;
    struct ci_counts counts;
};

struct ci_result {
    enum ci_decision decision;
    int overridden;
    const char *date;    /* "" if no head run could be read */
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

/* Everything in *result lives in the arena. Returns HN_ENOMEM if the arena is full. */
int ci_gate_decide(const struct ci_policy *policy, const struct ci_change *change,
                   const struct ci_case *cases, size_t count, struct hn_arena *arena,
                   struct ci_result *result, struct hn_error *error);
int ci_exit_status(const struct ci_result *result);

#endif
