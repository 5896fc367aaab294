/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The interface between the host library, which isolates jobs, and a host program, which knows how
 * to fork, to load a target and to run a check. Two programs fill in the table: the native host
 * (host_native_main.c) and, through ctypes, `python -m assay.host`.
 *
 * Every int callback returns HN_HOST_DONE when it succeeded. If an exception leaves a ctypes
 * callback, the result is 0. Therefore 0 means failure, like every number except HN_HOST_DONE.
 */
#ifndef HN_HOST_CALLBACKS_H
#define HN_HOST_CALLBACKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "assay/check.h"

#define HN_HOST_DONE 0x600d
#define HN_HOST_DEVICES 64
#define HN_HOST_NAME 64

/* One step of the profile's `load:` list. */
struct hn_host_step {
    const char *kind;     /* dlopen, import, call, entry_point, exec */
    const char *argument; /* path, module, module:function, entry point name, code */
    const char *extra;    /* dlopen: "global" or ""; entry_point: its group; else "" */
};

/* Settings of the supervisor for this host, received before the first job. Constant, with the
 * lifetime of the host. */
struct hn_host_setup {
    const char *mode;     /* see hn_isolations */
    int32_t loads_target; /* from the mode: load in the host, before the jobs are forked */
    const struct hn_host_step *steps;
    size_t step_count;
    const char *const *modules; /* shared objects and folders of test_*.py that contain checks */
    size_t module_count;
    const char *adapter;     /* shared object, or NULL */
    const char *device_name; /* from the profile; NULL: queried after loading */
    const int32_t *devices;  /* from the profile; none: probe the target */
    size_t device_count;
};

/* Results of load_target, which the caller sets to zero before the call. */
struct hn_host_target {
    char device_name[HN_HOST_NAME];
    int32_t devices[HN_HOST_DEVICES];
    uint32_t device_count;
};

/* Moments of a check at which its host observes the state of the process. */
enum hn_moment { HN_BEFORE_CHECK, HN_AFTER_CHECK };

struct hn_host_callbacks {
    void *context; /* passed to every callback */
    /* Loads torch, the bridge and the modules. This callback must run no operator and start no
     * thread. Called once in a process: in the host before it forks, or in the job if the mode is
     * exec. */
    int (*prepare)(void *context, const struct hn_host_setup *setup);
    /* Like fork(2). */
    pid_t (*fork)(void *context);
    /* Runs the load steps and opens the adapter, in the host (fork-loaded) or in the job. */
    int (*load_target)(void *context, const struct hn_host_setup *setup,
                       struct hn_host_target *target);
    /* Uses the device for the first time, so that kernels are compiled and caches are filled. Runs
     * in a throw-away job that has another deadline. */
    int (*warm_up)(void *context);
    /* Runs the check `check->id`. `entry` is the place of the check in the catalogue ("" for a
     * native check). The check reports findings through check->host. */
    int (*run_check)(void *context, const char *entry, struct assay_check *check);
    /* Returns a table of the target's adapter, or NULL. May be NULL if there is no adapter. */
    const void *(*extension)(void *context, const char *id, void **target);
    /* Called before the job ends: writes out the buffers of the program (sys.stdout, the records of
     * means.h). May be NULL. */
    void (*flush)(void *context);
    /* Called after the environment of the process has changed: drops cached copies of the
     * environment. May be NULL. */
    void (*renew)(void *context);
    /* Returns the claim of the target's adapter for a capability: ASSAY_YES, ASSAY_NO or
     * ASSAY_UNKNOWN; any other value is UNKNOWN. May be NULL. */
    int32_t (*claim)(void *context, const char *capability);
    /* Before the check, stores the state that a check must not change. After the check, reports
     * changed state as facts (HN_NOTE_LEFT). `may` lists the queries that the backend supports:
     * HN_MAY_... of process_state.h. May be NULL. */
    void (*observe)(void *context, enum hn_moment moment, int may);
    /* Starts the target, as its first use by a program would, before a C check whose subject is
     * something else. May be NULL. */
    void (*start)(void *context);
};

#define HN_NOTE_LEFT "left changed" /* "the current device is 1; before the check it was 0" */

/* A callback calls this before it returns an error. The sentence becomes the reason of the verdict;
 * the last call counts. [main] */
ASSAY_EXPORT void hn_host_problem(const char *text);

/* Records a fact that is not a finding ("registered": "guard, hooks") as an event of the job.
 * Outside a job it is a no-op. [main] */
ASSAY_EXPORT void hn_host_fact(const char *key, const char *text);

/* Serves the supervisor at the other end of `control` until it closes the connection. Returns
 * the exit status that the program must end with, also in a job that must leave by exit(). */
ASSAY_EXPORT int hn_host_serve(int control, const struct hn_host_callbacks *callbacks);

/* Reads the job of an exec'ed program from `control` and runs it. Returns the same values as
 * hn_host_serve. */
ASSAY_EXPORT int hn_host_serve_one(int control, const struct hn_host_callbacks *callbacks);

/* Sets the command line of the program itself, NULL-terminated and without the control argument.
 * Exec mode starts the program again with "--job=FD" appended. Call it before hn_host_serve; the
 * texts are not copied. */
ASSAY_EXPORT void hn_host_set_program(const char *const *arguments);

/* Returns the running check, or NULL, for a program that cannot pass the check as an argument. */
ASSAY_EXPORT struct assay_check *hn_host_check(void);
/* Returns the text of the last call of hn_host_problem. */
ASSAY_EXPORT const char *hn_host_last_problem(void);

#endif
