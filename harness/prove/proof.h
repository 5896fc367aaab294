/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A proof shows that the checks can fail and do not require too much. A proof has three parts: a
 * run on the clean device (without a switch), which gives the reference verdicts; a run on each
 * legal variant of the device; and a run of pairs of check and switch. Called by cmd_prove.c. This
 * folder reads journals, and must not depend on torch or on the processes of checks.
 */
#ifndef HN_PROOF_H
#define HN_PROOF_H

#include "arena.h"
#include "catalogue.h"
#include "findings.h"
#include "hn_error.h"
#include "input.h"

#define HN_PROOF_PAIRS "pairs"
#define HN_PROOF_PAIRS_AT_LOAD "pairs-at-load"

enum hn_case_kind {
    HN_CASE_CLEAN,
    HN_CASE_FAULT,
    HN_CASE_VARIANT,
    HN_CASE_REFUSAL,
    HN_CASE_LISTED /* a switch from a list of pairs */
};

struct hn_case {
    enum hn_case_kind kind;
    /* "clean", or the name of a switch: a fault, a variant, a means */
    const char *name;
    const struct hn_fault *fault; /* for HN_CASE_FAULT */
    /* folder of its run, relative to the proof; pairs share one folder */
    const char *folder;
    unsigned char *wanted;   /* by check of the catalogue: 1 if this case runs it */
    unsigned char *verdicts; /* by check: enum hn_verdict; HN_NOTRUN if there is none */
    const char *
        *subjects;   /* by check: subject of its verdict, such as the refused means, or else NULL */
    int unclaimed;   /* a fault that no check claims, and that is not run */
    int other_torch; /* all checks that claim it are for another version of torch */
    int finished;    /* its run is complete; for pairs: each has a verdict */
};

/* A pair that a list requests. */
struct hn_listed {
    size_t one;   /* index of its case, which has the switch */
    size_t check; /* index in the catalogue */
    const char
        /* "NAME=value", environment variable that arms it before the target is loaded; NULL: the
         * adapter arms it */
        *setting;
};

struct hn_proof_options {
    const char *folder, *target;
    const char *suite;                    /* folder of a private suite; NULL: none */
    const char *select, *fault, *variant; /* NULL: all */
    const char *pairs;                    /* a file: run only the pairs that it lists; NULL: none */
    int full;                             /* run every fault with every check */
    int only_faults;                      /* run no variant */
    int refusals;                         /* do the proof of proof_refusals.h instead of faults */
    /* of the pairs that no check claims, run one in `sample`; 0: all */
    unsigned long sample, seed;
};

struct hn_proof {
    struct hn_catalogue *catalogue;
    const struct hn_proof_options *options;
    struct hn_arena *arena;
    unsigned char *selected; /* by check: it is part of the proof */
    struct hn_case *cases;   /* clean first, then faults, then variants */
    size_t count;
    struct hn_listed *listed; /* in the order of the list */
    size_t listed_count;
    /* pairs that cannot have an effect are left out, by the results of the clean run */
    int narrows;
    const char *cut; /* why the proof was not finished; NULL if it was */
};

/* Makes the cases and the list of checks for each. `variants_file` is written by the build:
 * name, tab, summary. */
int hn_proof_plan(struct hn_proof *proof, const char *variants_file, struct hn_error *error);

/* Removes the checks whose clauses do not apply to the version `torch`. */
void hn_proof_keep_to_torch(struct hn_proof *proof, const char *torch);

/* Makes the missing runs with these options, and reads all verdicts. Returns HN_OK also if it was
 * interrupted; in that case `cut` gives the reason, and some cases are not finished. */
int hn_proof_run(struct hn_proof *proof, const struct hn_run_options *options,
                 struct hn_findings *findings);
/* Reads verdicts from the journal of a run into `one`. If `one` is NULL, each verdict goes into the
 * case whose switch its record names. If there is no journal, the run has not started. */
int hn_proof_read(const struct hn_proof *proof, const char *folder, struct hn_case *one,
                  int *complete, struct hn_error *error);

/* Removes pairs of fault and check that no check claims. Removed are pairs outside the sample, and
 * pairs whose check never reaches the fault: such a fault cannot change the verdict. If it is not
 * known which faults a check reaches, only its pairs outside the sample are removed. */
int hn_proof_narrow(struct hn_proof *proof, struct hn_error *error);
/* Returns 1 if this pair of a check and the switch `name` is in the sample. The result is the
 * same in every proof with the same seed. */
int hn_proof_is_sampled(const struct hn_proof *proof, size_t check, const char *name);

/* Adds the pairs of the file `options->pairs` instead of faults and variants. The file has a line
 * "switch TAB check [TAB NAME=value]" for each pair. If the file is empty, only the clean device is
 * run. Called by the plan. */
int hn_proof_add_listed(struct hn_proof *proof, struct hn_error *error);

/* Adds a case; the name lives as long as the proof. NULL if out of memory. */
struct hn_case *hn_proof_add_case(struct hn_proof *proof, enum hn_case_kind kind, const char *name);
/* Returns the case of this name (not the clean case), or adds a case with a copy of the name.
 * Compares the last case first, because lines about one switch are mostly adjacent. */
struct hn_case *hn_proof_case_of(struct hn_proof *proof, enum hn_case_kind kind, const char *name);

/* ---- results ---- */

/* Sets `finished` for the cases that are pairs. */
void hn_proof_count_finished(struct hn_proof *proof);

/* Returns the number of selected pairs of fault and check. *wanted: the number that is run. */
size_t hn_proof_pairs(const struct hn_proof *proof, size_t *wanted);

/* Returns 1 if the check crashes, hangs or fails in this case, but not on the clean device. */
int hn_proof_failed(const struct hn_proof *proof, const struct hn_case *one, size_t check);
/* Returns 1 if the check failed, and covers a requirement that the fault violates. */
int hn_proof_kills(const struct hn_proof *proof, const struct hn_case *one, size_t check);
int hn_proof_claims(const struct hn_proof *proof, const struct hn_case *one, size_t check);
int hn_proof_is_killed(const struct hn_proof *proof, const struct hn_case *one);
/* Returns 1 if the fault violates only clauses in modules without checks, or if all checks that
 * claim it are for another torch. `modules` (one byte for each module of the catalogue, or NULL)
 * gets 1 for the modules without checks. */
int hn_proof_is_awaiting(const struct hn_proof *proof, const struct hn_case *one,
                         unsigned char *modules);
/* Returns 1 if no check kills the fault, and one of two conditions holds: a check claims the fault,
 * or a module with checks has a clause that the fault violates. */
int hn_proof_survived(const struct hn_proof *proof, const struct hn_case *one);
/* Returns 1 if the case includes the check, and its verdict is broken, incomplete or not run. */
int hn_proof_is_undecided(const struct hn_proof *proof, const struct hn_case *one, size_t check);
/* Returns 1 if the check is part of the proof, tests the backend, and killed no fault of this
 * proof. The parameter `one` is unused. This parameter gives the predicate the same signature as
 * the predicates above. */
int hn_proof_is_without_fault(const struct hn_proof *proof, const struct hn_case *one,
                              size_t check);

#endif
