/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a target's files before the target is loaded, and reports each error in one sentence with
 * its remedy. Called by `assay probe`, `run` and `doctor` in the supervisor, so it must not load
 * the target's code.
 */
#ifndef HN_PREFLIGHT_H
#define HN_PREFLIGHT_H

#include <stddef.h>

struct hn_preflight {
    const char *torch_libraries; /* folder of libc10.so; NULL: torch's symbols are not compared */
    const char *torch_version;   /* "2.13.0+cpu" */
    const char *library_path;    /* LD_LIBRARY_PATH of the profile; NULL: the profile has none */
    /* All libraries of the target. A library finds another library by name if that is already
     * loaded. */
    const char *const *companions;
    size_t companion_count;
    /* severity is "error" or "warning"; the callback copies the sentence. */
    void (*tell)(void *context, const char *severity, const char *sentence);
    void *context;
};

/* Inspects one shared object. Returns the number of reported errors. */
int hn_preflight_library(const struct hn_preflight *preflight, const char *path);
/* Reads METADATA of the wheel of a backend, and tests whether the wheel accepts this torch. */
int hn_preflight_metadata(const struct hn_preflight *preflight, const char *path);

/* Returns 1 if `version` satisfies a list such as ">=2.12,<2.14", else 0; -1: invalid list. */
int hn_preflight_accepts(const char *specifiers, const char *version);

#endif
