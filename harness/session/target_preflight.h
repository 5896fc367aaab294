/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a target's libraries and its wheel's metadata before anything is loaded. The target's
 * interpreter finds these files without importing the target, and preflight/ reads them. Called by
 * run, repro and probe. An error of the preflight stops no run, because only the loader can decide.
 * The error explains a later error of the loader.
 */
#ifndef HN_TARGET_PREFLIGHT_H
#define HN_TARGET_PREFLIGHT_H

#include <stdio.h>

#include "arena.h"
#include "input.h"
#include "interpreter.h"
#include "json_write.h"

#define HN_TOLD_MOST 64 /* further findings are left out */

struct hn_target_files {
    struct hn_doubt told[HN_TOLD_MOST];
    size_t count;
    const char *stamp; /* value that changes with the target's files; "": unknown */
};

/* Makes two temporary files in `folder`; the texts live in `arena`. */
int hn_target_preflight(const struct hn_run_target *target, const struct hn_places *places,
                        const char *folder, struct hn_arena *arena, struct hn_target_files *files,
                        struct hn_error *error);

/* Returns the first error, or NULL. If there is an error, loading is expected to fail. */
const char *hn_target_files_doubt(const struct hn_target_files *files);
/* Writes an array of {severity, message}. */
void hn_target_files_write(const struct hn_target_files *files, const char *key,
                           struct hn_json_writer *writer);
/* Prints a line for each finding, "preflight warning: ...", with untrusted text filtered. */
void hn_target_files_print(const struct hn_target_files *files, FILE *out);

/* Writes the load steps in the format of the probing process: "steps": [[kind, argument, extra],
 * ...]. */
void hn_write_load_steps(const struct hn_run_target *target, struct hn_json_writer *writer);

#endif
