/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A target profile is a short YAML file that describes a backend under test. Paths are stored
 * unchanged; relative paths begin at `folder`. All texts live as long as the profile.
 */
#ifndef HN_PROFILE_H
#define HN_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "findings.h"
#include "level.h"

enum hn_step_kind {
    HN_STEP_DLOPEN,      /* what = path of a shared object */
    HN_STEP_IMPORT,      /* what = Python module */
    HN_STEP_CALL,        /* what = "module:function" */
    HN_STEP_ENTRY_POINT, /* what = name, group = its group */
    HN_STEP_EXEC,        /* what = Python source */
    HN_STEPS
};
extern const char *const hn_step_names[HN_STEPS];

struct hn_profile_step {
    enum hn_step_kind kind;
    const char *what, *group; /* group: "" unless entry_point */
    int global, now;          /* dlopen flags; default local and lazy */
    int line;                 /* line in the profile, for messages */
};

struct hn_profile_build {
    const char *const *run; /* argv, NULL-terminated */
    size_t count;           /* number of words, without the NULL */
    int line;
};

struct hn_setting { /* a variable of the environment */
    const char *name, *value;
};

struct hn_profile_claim { /* a claim about a capability */
    const char *name;
    enum hn_claim claim;
    int line, column;
};

struct hn_profile {
    const char *path, *folder;
    const char *name, *text;
    const char *python; /* "": see hn_run_python */
    const struct hn_setting *env;
    size_t env_count;
    const struct hn_profile_build *build;
    size_t build_count;
    const struct hn_profile_step *load;
    size_t load_count;
    const int32_t *devices; /* none: devices are probed */
    size_t device_count;
    const struct hn_profile_claim *capabilities;
    size_t capability_count;
    const char *isolation; /* a name of hn_isolations; "": chosen by calibration */
    struct {
        int build, load, warm_up, check, run; /* in seconds, 0: the default */
    } timeouts;
    int jobs;            /* largest number of parallel processes, 0: no limit */
    int job_per_device;  /* a device serves one process at a time */
    const char *adapter; /* path of a shared object, "": none */
    /* a Python call that sets metadata of the backend (marks) on `tensor`; "": none */
    const char *marks;
};

/* Returns HN_OK if there are no findings. Otherwise *profile is NULL. */
int hn_profile_read(const char *path, struct hn_profile **profile, struct hn_findings *findings);
void hn_profile_destroy(struct hn_profile *profile); /* NULL is a no-op */

#endif
