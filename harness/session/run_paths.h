/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the paths for a run: the folder of this installation, the hosts, the interpreter of the
 * target, the profile. Called by the commands that load a target.
 */
#ifndef HN_RUN_PATHS_H
#define HN_RUN_PATHS_H

#include "hn_error.h"

/* Writes the path of a file in the folder of our libraries: <prefix>/lib/assay, or <prefix>/lib in
 * a build folder. */
int hn_run_libraries(char *path, const char *name, struct hn_error *error);
/* Finds the profile for a name or a path: "mine" means ci/targets/mine.yaml of the data. */
int hn_run_profile_path(char *path, const char *target, struct hn_error *error);
/* Finds the interpreter. In this order: the interpreter of the profile (relative to `folder`),
 * $ASSAY_PYTHON, the interpreter of the environment in which this program is installed, the
 * interpreter of the build, python3. */
int hn_run_python(char *path, const char *folder, const char *wanted, struct hn_error *error);

/* Makes a link `last` to the folder, beside it. If this fails, or a folder has that name, there is
 * no link, because it is only a convenience. */
void hn_run_point_at_last(const char *folder);

#endif
