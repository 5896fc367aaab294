/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A run folder in memory: the plan (plan.json) and the results (journal.jsonl). Every report, diff
 * and gate must read runs through this interface. The files may be untrusted: sizes, types and
 * names are verified, and texts are untrusted (filter them before a terminal, escape them before
 * HTML).
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

/* Missing texts are "". */
struct rp_check {
    const char *id, *module;
    enum hn_level level;
    enum hn_subject subject;
    int support;                  /* the check's verdict counts in another shard */
    struct hn_texts covers;       /* requirement ids */
    struct hn_texts capabilities; /* names of the required capabilities */
    const char *demand, *file;    /* these and the following members are from the plan */
    struct hn_check_words words;
    int line;
    enum hn_verdict verdict; /* HN_INCOMPLETE: started but not ended; HN_NOTRUN: never started */
    const char *reason, *blocked_by, *about; /* about: the capability or operator in a finding */
    const char *expected, *seen, *location;  /* from the first finding of the worst kind */
    const char *signal, *stage, *folder;     /* folder: evidence, relative to the run */
    const char *frames, *said; /* if the process died: its stack, and the last line of its stderr */
    struct hn_texts notes;     /* "what: seen", for observations that are only recorded */
    const struct hn_clause_verdict
        *clauses; /* verdicts of its clauses; if none, each clause has the check's verdict */
    size_t clause_count;
    double duration_ms;
    int retries;      /* number of attempts after the first */
    size_t blocks;    /* number of checks that this check blocks, directly or through others */
    size_t followers; /* number of these checks that ran and failed in the same way */
    int follows;      /* the check is blocked, but it ran and failed in the same way as its root */
    int is_explained; /* the check does not count as silent (silence.h) */
    const struct rp_check *root; /* first cause of a blocked check; NULL: unknown */
    const char *cause_key;       /* of a failing or following check (cause_words.h), else "" */
    int joins;                   /* other checks with this key have the same cause */
    const struct rp_check
        /* a failure with the same cause that comes earlier in the report; or NULL */
        *joined;
    size_t joined_count; /* number of failures that are joined to this failure */
};

/* State of a capability after a run, in the order of the words in rp_standing_names. */
enum rp_standing {
    RP_UNSHOWN, /* neither its probe nor a check that needs the capability ran */
    RP_PROVEN,  /* all checks that need the capability hold; without such checks, its probe holds */
    RP_ABSENT,  /* not available; its refusal check shows a clean refusal */
    RP_LACKING, /* not available; no refusal check shows a clean refusal */
    RP_BROKEN,  /* the probe, the refusal check or a check that needs the capability failed */
    RP_STANDINGS
};
extern const char *const rp_standing_names[RP_STANDINGS];

struct rp_requirement {
    const char *id, *module, *text;
    struct hn_dispute dispute;
    enum hn_level level;
    enum hn_subject subject;
    enum hn_verdict verdict; /* lowest rank among its checks */
    int partly;              /* some checks passed, others are unobservable */
    const size_t *checks;    /* indices of checks */
    size_t check_count;
};

/* A capability: its claim, its probe and its state. */
struct rp_capability {
    const char *name;
    const char *source; /* source of the claim: "profile", "adapter"; "": there is no claim */
    enum hn_claim claim;
    const char *probe_id, *refusal_id;      /* ids in the plan */
    const struct rp_check *probe, *refusal; /* NULL: not in the contract or not in the plan */
    size_t kept, total;                     /* numbers of checks that need the capability */
    enum hn_verdict worst;
    enum rp_standing standing;
};

struct rp_module {
    const char *name;
    size_t totals[HN_VERDICTS], count; /* only checks whose verdicts count in this run */
};

/* A stage of the backend. The contract's stages build on each other, and the plan lists the
 * needs of each. */
struct rp_stage {
    const char *name, *text;
    struct hn_texts capabilities; /* the stage is open if one of these is missing */
    struct hn_texts checks;
    const char **open;                        /* checks that do not hold and are not excused */
    size_t open_count, kept, unseen, unasked; /* unseen: checks that cannot be observed */
};

struct rp_run {
    const char *folder;
    const char *target, *torch_version, *torch_git, *digest, *date, *seed, *command, *host,
        *isolation, *isolation_why, *machine, *select, *profile; /* path of the target's profile */
    int contract;                                                /* version; 0: unknown */
    int devices;                                                 /* 0: unknown */
    int shard, shards;
    int complete;
    int torn;                      /* the last line of the journal is incomplete */
    const char *loss;              /* a sentence with the number of other unreadable lines */
    const char *why;               /* why the run is not complete */
    const struct hn_doubt *doubts; /* findings of the preflight */
    size_t doubt_count;
    const struct rp_check *checks; /* in the order of the plan */
    size_t check_count;
    const struct rp_requirement *requirements;
    size_t requirement_count;
    size_t
        /* numbers of requirements of the whole contract, planned or not; 0: unknown */
        promised[HN_LEVELS];
    /* capabilities of the contract; none without plan.json */
    const struct rp_capability *capabilities;
    size_t capability_count;
    const struct rp_stage *stages; /* in order; empty if the plan has no stages */
    size_t stage_count;
    const struct rp_module *modules; /* in the order of first appearance */
    size_t module_count;
    size_t totals[HN_VERDICTS]; /* only checks whose verdicts count here */
    struct hn_silence silence;
    const struct rp_check *const *by_id; /* every check, sorted */
    size_t by_id_count;
};

/* `folder` contains journal.jsonl. If plan.json is missing (an older run), texts of the contract
 * are "" and there are no requirements. On failure *run is NULL. */
int rp_run_read(const char *folder, struct rp_run **run, struct hn_error *error);
void rp_run_destroy(struct rp_run *run); /* NULL is a no-op */

/* Reads several runs in parallel, on as many threads as there are processors. If one run cannot be
 * read, every entry is NULL. The error is the error of the first such run in `folders`. */
int rp_runs_read(const char *const *folders, size_t count, struct rp_run **runs,
                 struct hn_error *error);

/* The verdict of a check on a clause that it covers. */
enum hn_verdict rp_clause_verdict(const struct rp_check *check, const char *clause);

int rp_stage_is_reached(const struct rp_stage *stage);
/* The last stage that the backend reached together with all earlier stages, or "none". NULL: the
 * run did not even test the first stage. */
const char *rp_run_stage(const struct rp_run *run);

/* NULL if the run has no such check. */
const struct rp_check *rp_run_check(const struct rp_run *run, const char *id);
/* Writes the indices of the checks whose verdict is bad and neither blocked nor skipped. Returns
 * their number. Sorts by number of blocked checks, then by level, by rank, and by place in the
 * plan. `indices` has room for every check. */
size_t rp_run_troubles(const struct rp_run *run, size_t *indices);

#endif
