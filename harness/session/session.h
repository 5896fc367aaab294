/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From what a user asked for to a run, in steps that are taken in this order: read the contract and
 * the profile, find the places, plan, take a folder, build, read the target's files, learn what the
 * target is, run. Used by the commands that load a target; each takes the steps it needs. Says
 * nothing: words are the commands' business.
 */
#ifndef HN_SESSION_H
#define HN_SESSION_H

#include "build_steps.h"
#include "calibrate.h"
#include "description.h"
#include "findings.h"
#include "listing.h"
#include "plan_make.h"
#include "profile.h"
#include "run_input.h"
#include "supervisor.h"
#include "target_preflight.h"

/* Replaces the planned jobs by independent pairs of a check and a switch. Capabilities are claimed
 * as far as they are known; none is probed. */
struct hn_pairs {
    const struct hn_task *tasks;
    size_t count;
    const struct hn_capability *capabilities;
    size_t capability_count;
};

/* Wishes of the user. Texts live as long as the session. */
struct hn_asked {
    const char *target; /* a name in ci/targets, or the path of a profile; NULL: ASSAY_TARGET */
    const char *suite;  /* folder of a private suite; NULL: none */
    const struct hn_listing *listing; /* checks that a program lists; NULL: none */
    const char *select;               /* NULL: all */
    const char *isolation;            /* NULL: the profile's, else calibrated */
    uint32_t shard, shards;
    const char *folder;       /* of the run; NULL: <runs>/<target>-<date> */
    const char *kind;         /* then the name is <kind>-<target>-<date>; NULL */
    const char *runs;         /* where such a folder is made; NULL: runs */
    const char *arm;          /* a switch of the target, on in every job; NULL */
    const char *failed_first; /* a run; NULL */
    int alone;                /* nothing of what the selected checks build on */
    int resume;               /* the folder holds a run that goes on */
    /* Of a part of a proof; else NULL. */
    struct hn_catalogue *catalogue;     /* lent: the contract is not read again */
    const struct hn_description *known; /* what an earlier session learned of the target */
    const char *setting;                /* "NAME=value", for the environment of its hosts */
    const struct hn_pairs *pairs;
    char *const *command; /* the words that --resume must say again */
    size_t command_count;
    struct hn_run_options options; /* the rest; session.c fills folder, header and what it learns */
};

struct hn_session {
    struct hn_asked asked;
    struct hn_findings findings; /* everything that is wrong, once a step has failed */
    struct hn_arena *arena;
    struct hn_catalogue *catalogue;
    struct hn_profile *profile;
    struct hn_plan *plan; /* NULL: a target without checks */
    struct hn_places places;
    struct hn_run_input input;
    struct hn_target_files files; /* what they say */
    struct hn_calibration calibration;
    char kept[HN_PATH_SIZE]; /* where what was learnt of the target is kept; "": nowhere */
    int recalled;            /* it was there before */
    struct hn_description description;
    struct hn_preflight_record preflight;
    char folder[HN_PATH_SIZE]; /* absolute: jobs run wherever a check takes them */
    int begun;                 /* it holds the beginning of this run */
    char build_failed[HN_BUILD_FAILED];
    struct hn_error error;
};

/* Every step returns HN_OK, or a code with what is wrong in `findings`. */

/* Always to be finished, also when it failed. */
int hn_session_begin(struct hn_session *session, const struct hn_asked *asked);
void hn_session_finish(struct hn_session *session);

/* Profile, interpreter, programs, environment; builds at first use what the target needs. */
int hn_session_find_target(struct hn_session *session);
/* With what a program lists, if it is asked: then after the steps above, else at any time. */
int hn_session_read_contract(struct hn_session *session);
/* For the target's torch: what is newer than that is left out. */
int hn_session_plan(struct hn_session *session);
/* Makes the folder of the run; an existing one is success. Without `asked.folder` it is a new one, and
 * <runs>/last then leads to it. */
int hn_session_make_folder(struct hn_session *session);
/* The plan is written into the folder of the run. */
int hn_session_take_folder(struct hn_session *session);
/* The profile's build steps. One that fails makes a run that says so; nothing else is then tried. */
int hn_session_build(struct hn_session *session);
/* Reads the target's files, before anything is loaded. */
int hn_session_read_files(struct hn_session *session);
/* Loads the target in processes that are thrown away, to learn its isolation and the claims of its
 * adapter, with which the plan is made once more. */
int hn_session_learn(struct hn_session *session);
int hn_session_run(struct hn_session *session, struct hn_run_summary *summary);

#endif
