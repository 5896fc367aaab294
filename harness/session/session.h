/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns the options of a user into a run. The steps are called in this order: read the contract and
 * the profile, find the paths, plan, make a folder, build, read the target's files, learn about the
 * target, run. Called by the commands that load a target; each command calls the steps that it
 * needs. This folder must not print; only the commands print.
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

/* Replaces the planned jobs by independent pairs of a check and a switch. Known capabilities are
 * claimed, and none is probed. */
struct hn_pairs {
    const struct hn_task *tasks;
    size_t count;
    const struct hn_capability *capabilities;
    size_t capability_count;
};

/* Options of the user. Texts live as long as the session. */
struct hn_asked {
    const char *target; /* a name in ci/targets, or the path of a profile; NULL: $ASSAY_TARGET */
    const char *suite;  /* folder of a private suite; NULL: none */
    const struct hn_listing *listing; /* source of listed checks; NULL: none */
    const char *select;               /* NULL: all checks */
    const char *isolation;            /* NULL: from the profile, else chosen by calibration */
    uint32_t shard, shards;
    const char *folder;       /* folder of the run; NULL: <runs>/<target>-<date> */
    const char *kind;         /* prefix of the name: <kind>-<target>-<date>; or NULL */
    const char *runs;         /* parent of that folder; NULL: runs */
    const char *arm;          /* a switch of the target that is on in every job; or NULL */
    const char *failed_first; /* folder of a run whose failed checks come first; or NULL */
    int alone;                /* do not add the checks that the selected checks build on */
    int resume;               /* the folder holds a run that is resumed */
    /* Used for a part of a proof; else NULL. */
    struct hn_catalogue *catalogue;     /* borrowed: the contract is not read again */
    const struct hn_description *known; /* description of the target from an earlier session */
    const char *setting;                /* "NAME=value", an environment variable for its hosts */
    const struct hn_pairs *pairs;
    char *const *command; /* the words that --resume must repeat */
    size_t command_count;
    /* other options; session.c fills in the folder, the header and results of its steps */
    struct hn_run_options options;
};

struct hn_session {
    struct hn_asked asked;
    struct hn_findings findings; /* the errors of a file, after its step has failed */
    struct hn_arena *arena;
    struct hn_catalogue *catalogue;
    struct hn_profile *profile;
    struct hn_plan *plan; /* NULL: a target without checks */
    struct hn_places places;
    struct hn_run_input input;
    struct hn_target_files files; /* results of the preflight */
    struct hn_calibration calibration;
    char kept[HN_PATH_SIZE]; /* cache file of the description; "": none */
    int recalled;            /* the description was read from the cache */
    struct hn_description description;
    struct hn_preflight_record preflight;
    char folder[HN_PATH_SIZE]; /* absolute, because jobs change their working directory */
    int begun;                 /* the folder has a part of this run */
    char build_failed[HN_BUILD_FAILED];
    struct hn_error error;
};

/* Every step returns HN_OK or an error code. The reason is in `findings` or, if that is empty, in
 * `error`. */

/* Call hn_session_finish even if hn_session_begin fails. */
int hn_session_begin(struct hn_session *session, const struct hn_asked *asked);
void hn_session_finish(struct hn_session *session);

/* Verifies the selection. Finds profile, interpreter, programs and environment, and builds at first
 * use the products that the target needs. */
int hn_session_find_target(struct hn_session *session);
/* Reads the contract, with the listed checks if there are any. If there are listed checks, call
 * this function after the steps above, otherwise at any time. */
int hn_session_read_contract(struct hn_session *session);
/* Plans for the target's torch: checks for newer releases are left out. */
int hn_session_plan(struct hn_session *session);
/* Makes the folder of the run, if it does not exist. Without `asked.folder`, makes a new folder,
 * and <runs>/last points to it. */
int hn_session_make_folder(struct hn_session *session);
/* Writes the plan into the folder of the run. */
int hn_session_take_folder(struct hn_session *session);
/* Runs the profile's build steps. If a step fails, the run only reports this. */
int hn_session_build(struct hn_session *session);
/* Reads the target's files, before anything is loaded. */
int hn_session_read_files(struct hn_session *session);
/* Loads the target in throw-away processes, to find out its isolation mode and the claims of its
 * adapter. The plan is then made again with these claims. */
int hn_session_learn(struct hn_session *session);
int hn_session_run(struct hn_session *session, struct hn_run_summary *summary);

#endif
