/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The border between the host library, which isolates, and what a host program brings along: how to
 * fork, how to load a target, how to run a check. Two programs fill the table: the native host
 * (host_native_main.c) and `python -m assay.host` through ctypes.
 *
 * Every int callback returns HN_HOST_DONE when it did its work. An exception that leaves a ctypes
 * callback arrives here as 0, so 0, like any other number, means that it did not.
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

/* Orders of the supervisor to this host, before the first job. Constant, live as long as it. */
struct hn_host_setup {
    const char *mode;     /* see hn_isolations */
    int32_t loads_target; /* the mode: here, before the jobs are forked */
    const struct hn_host_step *steps;
    size_t step_count;
    const char *const *modules; /* where checks are: shared objects, and folders of test_*.py */
    size_t module_count;
    const char *adapter;     /* shared object, or NULL */
    const char *device_name; /* the profile's word on it, or NULL: ask after loading */
    const int32_t *devices;  /* the profile's word on them; none: probe */
    size_t device_count;
};

/* Findings of load_target. Zeroed before the call. */
struct hn_host_target {
    char device_name[HN_HOST_NAME];
    int32_t devices[HN_HOST_DEVICES];
    uint32_t device_count;
};

/* Moments of a check at which its host is asked how things are. */
enum hn_moment { HN_BEFORE_CHECK, HN_AFTER_CHECK };

struct hn_host_callbacks {
    void *context; /* handed to every callback */
    /* Loads torch, the bridge and the modules; runs no operator, starts no thread. Called once in a
     * process: in the host before it forks, in the job when the mode is exec. */
    int (*prepare)(void *context, const struct hn_host_setup *setup);
    /* As fork(2). */
    pid_t (*fork)(void *context);
    /* Runs the load steps, opens the adapter. In the host (fork-loaded) or in the job. */
    int (*load_target)(void *context, const struct hn_host_setup *setup,
                       struct hn_host_target *target);
    /* First use of the device, so that kernels are compiled and caches filled. Its own deadline, in
     * a throw-away job. */
    int (*warm_up)(void *context);
    /* Runs the check `check->id`. `entry` is what the catalogue knows of where it is ("" for a
     * native check). Findings go through check->host. */
    int (*run_check)(void *context, const char *entry, struct assay_check *check);
    /* A table of the target's adapter, or NULL. May itself be NULL: no adapter. */
    const void *(*extension)(void *context, const char *id, void **target);
    /* The job is about to end: pushes out what the program's own buffers hold (sys.stdout, what
     * means.h has seen). May be NULL. */
    void (*flush)(void *context);
    /* The environment of the process is another one now: forget copies of it. May be NULL. */
    void (*renew)(void *context);
    /* Claim of the target's adapter for a capability: ASSAY_YES, ASSAY_NO or ASSAY_UNKNOWN; anything
     * else is UNKNOWN. May be NULL. */
    int32_t (*claim)(void *context, const char *capability);
    /* Takes down what a check must leave as it was, or says as facts (HN_NOTE_LEFT) what is another now.
     * `may`: what the backend can be asked, HN_MAY_... of process_state.h. May be NULL. */
    void (*observe)(void *context, enum hn_moment moment, int may);
    /* Starts the target as the first use by a program would, before a check in C whose subject that is
     * not. May be NULL. */
    void (*start)(void *context);
};

#define HN_NOTE_LEFT "left changed" /* "the current device is 1; before the check it was 0" */

/* Words for what went wrong in prepare, load_target or run_check, before it returns. They become
 * the reason of the verdict. The last call counts. [main] */
ASSAY_EXPORT void hn_host_problem(const char *text);

/* A fact worth keeping that is no finding ("registered": "guard, hooks"): an event of the job when
 * there is one, else forgotten. [main] */
ASSAY_EXPORT void hn_host_fact(const char *key, const char *text);

/* Serves the supervisor at the other end of `control` until it hangs up. Returns the exit status
 * that the program must leave with: also in a job that is meant to leave by exit(). */
ASSAY_EXPORT int hn_host_serve(int control, const struct hn_host_callbacks *callbacks);

/* The job of an exec'ed program: reads it from `control`, runs it, as hn_host_serve. */
ASSAY_EXPORT int hn_host_serve_one(int control, const struct hn_host_callbacks *callbacks);

/* Command line of the program itself, ending in NULL, without the control argument: exec mode
 * starts it again with "--job=FD" behind. Must be called before hn_host_serve; not copied. */
ASSAY_EXPORT void hn_host_set_program(const char *const *arguments);

/* The check under way, or NULL: for a program that cannot carry it along. */
ASSAY_EXPORT struct assay_check *hn_host_check(void);
/* The text that hn_host_problem was told last. */
ASSAY_EXPORT const char *hn_host_last_problem(void);

#endif
