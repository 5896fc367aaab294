/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a run finds its programs: the folder of this installation, the hosts, the interpreter of
 * the target and its torch, the profile. Called by cmd_run.c and run_input.c.
 */
#ifndef HN_RUN_PATHS_H
#define HN_RUN_PATHS_H

#include "hn_error.h"

/* "<prefix>/<name>"; prefix is the folder above the one this program is in. HN_PATH_SIZE bytes. */
int hn_run_installed(char *path, const char *name, struct hn_error *error);
/* The profile that a name or a path means: "fakedev" is ci/targets/fakedev.yaml of the data. */
int hn_run_profile_path(char *path, const char *target, struct hn_error *error);
/* The interpreter: the profile's word (relative to `folder`), else $ASSAY_PYTHON, else the one the
 * bridge was built for. */
int hn_run_python(char *path, const char *folder, const char *wanted, struct hn_error *error);

#define HN_TORCH_TEXT 128
struct hn_torch_version {
    char version[HN_TORCH_TEXT], git[HN_TORCH_TEXT], path[HN_TORCH_TEXT * 4];
};
/* Asks the interpreter which torch it would import, without importing it. Empty texts when it has
 * none. */
int hn_run_torch(const char *python, struct hn_torch_version *torch, struct hn_error *error);

#endif
