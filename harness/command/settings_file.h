/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay.yaml: options that a user would repeat with each command. The file is searched for in the
 * current folder and its parents up to the root of the repository; outside a repository only in the
 * current folder. Called by assay_main.c for commands that measure. The gate must not read this
 * file: otherwise a pull request could change how it is judged.
 */
#ifndef HN_SETTINGS_FILE_H
#define HN_SETTINGS_FILE_H

struct hn_invocation;

/* Sets options that the command has and the user did not give (target, jobs, expectations), and
 * `runs`, the folder for new runs. Returns 0, or an exit status after a message on stderr. */
int hn_settings_apply(struct hn_invocation *invocation);

#endif
