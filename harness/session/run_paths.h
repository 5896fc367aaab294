/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a run finds its programs: the folder of this installation, the hosts, the interpreter of
 * the target, the profile. Called by the commands that load a target.
 */
#ifndef HN_RUN_PATHS_H
#define HN_RUN_PATHS_H

#include "hn_error.h"

/* The same in the folder of our libraries: <prefix>/lib/assay, in a build folder <prefix>/lib. */
int hn_run_libraries(char *path, const char *name, struct hn_error *error);
/* The profile that a name or a path means: "mine" is ci/targets/mine.yaml of the data. */
int hn_run_profile_path(char *path, const char *target, struct hn_error *error);
/* The interpreter: the profile's word (relative to `folder`), else $ASSAY_PYTHON, else the one of the
 * environment this program is installed in, else the one it was built with, else python3. */
int hn_run_python(char *path, const char *folder, const char *wanted, struct hn_error *error);

/* `last` beside the folder leads to it then. It is a help, no evidence: where it cannot be made, or is
 * somebody's folder, there is none. */
void hn_run_point_at_last(const char *folder);

#endif
