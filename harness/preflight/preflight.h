/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a target's files before anything is loaded and says in one sentence each what will not work
 * and what to do. Called by `assay probe`, `run` and `doctor` in the supervisor, which loads
 * nothing foreign.
 */
#ifndef HN_PREFLIGHT_H
#define HN_PREFLIGHT_H

#include <stddef.h>

struct hn_preflight {
    const char *torch_libraries; /* folder of libc10.so; NULL: torch's symbols are not compared */
    const char *torch_version;   /* "2.13.0+cpu" */
    const char *library_path;    /* LD_LIBRARY_PATH of the profile; NULL: it has none */
    /* All libraries of the target: one may be loaded before another, which then finds it by name. */
    const char *const *companions;
    size_t companion_count;
    /* severity is "error" or "warning"; the sentence is copied by the receiver. */
    void (*tell)(void *context, const char *severity, const char *sentence);
    void *context;
};

/* One shared object. Returns the number of errors told. */
int hn_preflight_library(const struct hn_preflight *preflight, const char *path);
/* METADATA of the wheel a backend was installed from: does it want this torch? */
int hn_preflight_metadata(const struct hn_preflight *preflight, const char *path);

/* 1 if `version` satisfies a specifier list such as ">=2.12,<2.14"; -1 if it cannot be read. */
int hn_preflight_accepts(const char *specifiers, const char *version);

#endif
