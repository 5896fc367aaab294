/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A proof that the checks can fail and do not demand too much: a run on the clean device, which says
 * what a verdict is worth, one on each legal variant of it, and one of pairs of check and switch.
 * Called by cli/cmd_prove.c. Knows no torch and no process of a check: it reads journals.
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
    HN_CASE_LISTED /* a switch of a list of pairs */
};

struct hn_case {
    enum hn_case_kind kind;
    const char *name;             /* "clean", or that of a switch: a fault, a variant, a means */
    const struct hn_fault *fault; /* of HN_CASE_FAULT */
    const char *folder;           /* of its run, relative to the proof; of pairs that of them all */
    unsigned char *wanted;        /* by check of the catalogue: 1 when this case runs it */
    unsigned char *verdicts;      /* by check: enum hn_verdict; HN_NOTRUN where there is none */
    const char *
        *subjects;   /* by check: what its verdict is about, as the means that blocks; or NULL */
    int unclaimed;   /* a fault that no check claims: nothing is run */
    int other_torch; /* a check claims it whose promise the target's torch does not make */
    int finished;    /* its run is complete; of pairs: each came to a verdict */
};

/* A pair that was asked for by a list. */
struct hn_listed {
    size_t one;   /* of the cases: its switch */
    size_t check; /* of the catalogue */
    const char
        *setting; /* "NAME=value", what arms it before the target is loaded; NULL: the adapter */
};

struct hn_proof_options {
    const char *folder, *target;
    const char *suite;                    /* folder of a private suite; NULL: none */
    const char *select, *fault, *variant; /* NULL: all */
    const char *pairs;                    /* a file: just the pairs that it lists; NULL: none */
    int full;                             /* every fault against every check */
    int only_faults;                      /* no variant */
    int refusals;                         /* the proof of proof_refusals.h instead of faults */
    unsigned long sample, seed;           /* of pairs that nobody claims: one in `sample`; 0: all */
};

struct hn_proof {
    struct hn_catalogue *catalogue;
    const struct hn_proof_options *options;
    struct hn_arena *arena;
    unsigned char *selected; /* by check: under proof */
    struct hn_case *cases;   /* clean first, then faults, then variants */
    size_t count;
    struct hn_listed *listed; /* in the order of the list */
    size_t listed_count;
    int narrows;     /* pairs that cannot meet are left out: the clean run says which */
    const char *cut; /* why it was not brought to its end; NULL: it was */
};

/* Cases and what each must run. `variants_file` is written by the build: name, tab, summary. */
int hn_proof_plan(struct hn_proof *proof, const char *variants_file, struct hn_error *error);

/* Nobody wants a check any more whose promise `torch`, a version, does not make. */
void hn_proof_keep_to_torch(struct hn_proof *proof, const char *torch);

/* Runs what is not there yet, each with these options, and reads all verdicts. HN_OK also when it was cut off: `cut` says why,
 * and some cases are not finished. */
int hn_proof_run(struct hn_proof *proof, const struct hn_run_options *options,
                 struct hn_findings *findings);
/* Verdicts from the journal of a run: of this case, or of the one that the switch in a record names
 * (NULL). A missing journal is a run not begun. */
int hn_proof_read(const struct hn_proof *proof, const char *folder, struct hn_case *one,
                  int *complete, struct hn_error *error);

/* A check that never asks for a fault comes out with it as without: such pairs are no longer
 * wanted, unless they are claimed, nor those outside the sample. Of a check whose questions are not
 * known all others stay. */
int hn_proof_narrow(struct hn_proof *proof, struct hn_error *error);
/* Whether this pair of a check and the switch `name` is in the sample: in every proof of the same seed. */
int hn_proof_is_sampled(const struct hn_proof *proof, size_t check, const char *name);

/* Instead of faults and variants: the pairs of the file `options->pairs`, for each of which it has a
 * line "switch TAB check [TAB NAME=value]"; an empty list is the clean device alone. Called by the plan. */
int hn_proof_add_listed(struct hn_proof *proof, struct hn_error *error);

/* A case more; the name lives as long as the proof. NULL when out of memory. */
struct hn_case *hn_proof_add_case(struct hn_proof *proof, enum hn_case_kind kind, const char *name);
/* The case of this name beside the clean one, or a new one with a copy of the name; the last is looked at first,
 * for lines about a switch mostly follow each other. */
struct hn_case *hn_proof_case_of(struct hn_proof *proof, enum hn_case_kind kind, const char *name);

/* ---- what it shows ---- */

/* Sets `finished` of the cases that are pairs. */
void hn_proof_count_finished(struct hn_proof *proof);

/* Of all selected pairs of fault and check, how many are run. */
size_t hn_proof_pairs(const struct hn_proof *proof, size_t *wanted);

/* The check came out as crash, timeout or fail, and does not on the clean device. */
int hn_proof_failed(const struct hn_proof *proof, const struct hn_case *one, size_t check);
/* It failed, and it covers a requirement that the fault violates. */
int hn_proof_kills(const struct hn_proof *proof, const struct hn_case *one, size_t check);
int hn_proof_claims(const struct hn_proof *proof, const struct hn_case *one, size_t check);
int hn_proof_is_killed(const struct hn_proof *proof, const struct hn_case *one);
/* The fault violates something, but only in modules that have no checks: `modules` (one byte for
 * each module of the catalogue, or NULL) gets 1 for those. Or just checks claim it that another torch gets. */
int hn_proof_is_awaiting(const struct hn_proof *proof, const struct hn_case *one,
                         unsigned char *modules);
/* Not killed, although a check claims it or a module with checks has what it violates. */
int hn_proof_survived(const struct hn_proof *proof, const struct hn_case *one);
/* The case wants the check, and nobody knows how it is: broken, incomplete, not run. */
int hn_proof_is_undecided(const struct hn_proof *proof, const struct hn_case *one, size_t check);
/* Under proof, of the backend, and no fault of this proof was killed by it. Of no case: `one` is
 * there for the type of the questions above. */
int hn_proof_is_without_fault(const struct hn_proof *proof, const struct hn_case *one,
                              size_t check);

#endif
