/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Paths of the programs of a run: the folder of this installation, the hosts, the interpreter of
 * the target, the profile. Called by the commands that load a target.
 */
#ifndef HN_RUN_PATHS_H
#define HN_RUN_PATHS_H

#include "hn_error.h"

/* The same for the folder of our libraries: <prefix>/lib/assay, or <prefix>/lib in a build
 * folder. */
int hn_run_libraries(char *path, const char *name, struct hn_error *error);
/* The path of the profile for a name or a path: "mine" is ci/targets/mine.yaml of the data. */
int hn_run_profile_path(char *path, const char *target, struct hn_error *error);
/* The interpreter: the one of the profile (relative to `folder`), else $ASSAY_PYTHON, else the
 * one of the environment this program is installed in, else the one it was built with, else
 * python3. */
int hn_run_python(char *path, const char *folder, const char *wanted, struct hn_error *error);

/* Makes the link `last` beside the folder point to it. The link is only a convenience: if it
 * cannot be made, or a folder has that name, there is none. */
void hn_run_point_at_last(const char *folder);

#endif
