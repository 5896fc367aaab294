/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A run directory in memory: what was planned (plan.json) and what happened (journal.jsonl). Every
 * report, diff and gate reads runs through this and nothing else. The files may come from anywhere,
 * so nothing in them is trusted: sizes, types and names are checked, texts are foreign (filter them
 * before a terminal, escape them before HTML).
 */
#ifndef RP_RUN_MODEL_H
#define RP_RUN_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "dispute.h"
#include "hn_check.h"
#include "hn_error.h"
#include "record.h"
#include "silence.h"

/* Texts that are not there are "". */
struct rp_check {
    const char *id, *module;
    enum hn_level level;
    enum hn_subject subject;
    int support;                  /* another shard counts it */
    struct hn_texts covers;       /* requirement ids */
    struct hn_texts capabilities; /* names of what it needs */
    const char *demand, *file;    /* from the plan, as what follows */
    struct hn_check_words words;
    int line;
    enum hn_verdict verdict; /* HN_INCOMPLETE: started, no end; HN_NOTRUN: never started */
    const char *reason, *blocked_by, *about; /* about: the capability or operator a finding names */
    const char *expected, *seen, *location;  /* of the first finding of the worst kind */
    const char *signal, *stage, *folder;     /* folder: evidence, relative to the run */
    const char *frames, *said; /* of one that died: where it was, last line of its stderr */
    struct hn_texts notes;     /* "what: seen", of what is only recorded */
    const struct hn_clause_verdict
        *clauses; /* what it says of each; none: its verdict is that of all */
    size_t clause_count;
    double duration_ms;
    int retries;      /* attempts beyond the first */
    size_t blocks;    /* how many others are blocked by it, directly or through a chain */
    size_t followers; /* those of them that ran and failed as it does */
    int follows;      /* blocked, but it ran: it failed as its root does */
    int is_explained; /* that it came to no verdict is an answer, see silence.h */
    const struct rp_check *root; /* of a blocked one: where its chain begins, NULL: unknown */
    const char *cause_key; /* of one that failed, or follows: stable, see cause_words.h; else "" */
    int joins;             /* others with this key have the same cause */
    const struct rp_check
        *joined;         /* a trouble that stands before it and has the same cause; else NULL */
    size_t joined_count; /* how many such stand behind this one */
};

/* Standing of a capability after a run. In the order of the words in rp_standing_names. */
enum rp_standing {
    RP_UNSHOWN, /* nothing that needs it, and no probe, ran */
    RP_PROVEN,  /* it is there: all that needs it, or its probe where nothing does, is kept */
    RP_ABSENT,  /* it is not there, and its refusal check shows that this is said cleanly */
    RP_LACKING, /* it is not there; no refusal check stands for it */
    RP_BROKEN,  /* something that needs it, its probe or its refusal check failed */
    RP_STANDINGS
};
extern const char *const rp_standing_names[RP_STANDINGS];

struct rp_requirement {
    const char *id, *module, *text;
    struct hn_dispute dispute;
    enum hn_level level;
    enum hn_subject subject;
    enum hn_verdict verdict; /* of lowest rank among its checks */
    int partly;              /* a pass beside an unobservable one */
    const size_t *checks;    /* indices */
    size_t check_count;
};

/* Claimed, probed, proven. */
struct rp_capability {
    const char *name;
    const char *source; /* who claims: "profile", "adapter", "": nobody */
    enum hn_claim claim;
    const char *probe_id, *refusal_id; /* as the plan has them */
    const struct rp_check *probe,
        *refusal;       /* NULL: the contract names none, or it is not planned */
    size_t kept, total; /* of the checks that need it */
    enum hn_verdict worst;
    enum rp_standing standing;
};

struct rp_module {
    const char *name;
    size_t totals[HN_VERDICTS], count; /* of checks that count here */
};

/* How far a backend is: the contract's stages build on each other, and the plan has what each needs. */
struct rp_stage {
    const char *name, *text;
    struct hn_texts capabilities; /* lacking one of these leaves it open */
    struct hn_texts checks;
    const char **open;                        /* of its checks: neither kept nor excused */
    size_t open_count, kept, unseen, unasked; /* unseen: not to be observed on this backend */
};

struct rp_run {
    const char *folder;
    const char *target, *torch_version, *torch_git, *digest, *date, *seed, *command, *host,
        *isolation, *isolation_why, *machine, *select, *profile; /* path of the target's */
    int contract;                                                /* version, 0: not said */
    int devices;                                                 /* 0: not said */
    int shard, shards;
    int complete;
    int torn;                      /* the last line of the journal was cut off */
    const char *loss;              /* how many other lines of it cannot be read, a sentence */
    const char *why;               /* why it is not complete */
    const struct hn_doubt *doubts; /* of the preflight */
    size_t doubt_count;
    const struct rp_check *checks; /* in the order of the plan */
    size_t check_count;
    const struct rp_requirement *requirements;
    size_t requirement_count;
    size_t
        promised[HN_LEVELS]; /* requirements of the whole contract, planned or not; 0: not said */
    const struct rp_capability *capabilities; /* of the contract; none without plan.json */
    size_t capability_count;
    const struct rp_stage *stages; /* in their order; none: the plan says nothing of them */
    size_t stage_count;
    const struct rp_module *modules; /* in the order of first appearance */
    size_t module_count;
    size_t totals[HN_VERDICTS]; /* of checks that are not only support */
    struct hn_silence silence;
    const struct rp_check *const *by_id; /* every check, sorted */
    size_t by_id_count;
};

/* `folder` holds journal.jsonl; plan.json may be missing (an older or foreign run): then texts of
 * the contract are "" and there are no requirements. On failure *run is NULL. */
int rp_run_read(const char *folder, struct rp_run **run, struct hn_error *error);
void rp_run_destroy(struct rp_run *run); /* takes NULL */

/* Several at once, on as many threads as there are processors (a thread for each run does nothing
 * that others see). All or none: on failure every entry is NULL and the error is that of the first
 * run, in order, that has one. */
int rp_runs_read(const char *const *folders, size_t count, struct rp_run **runs,
                 struct hn_error *error);

/* The verdict of a check on a clause that it covers. */
enum hn_verdict rp_clause_verdict(const struct rp_check *check, const char *clause);

int rp_stage_is_reached(const struct rp_stage *stage);
/* The last stage that is reached with all before it; "none"; NULL: the run did not ask even the first. */
const char *rp_run_stage(const struct rp_run *run);

/* NULL if the run has no such check. */
const struct rp_check *rp_run_check(const struct rp_run *run, const char *id);
/* Indices of checks that did not come out good and are not blocked or skipped, causes first: most
 * blocked by it, then by level, by rank, and in order. `indices` has room for every check; returns how many.
 */
size_t rp_run_troubles(const struct rp_run *run, size_t *indices);

#endif
