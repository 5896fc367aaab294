/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay.yaml: what somebody would say again with each command. Looked for in the current folder and above it, up to
 * the root of the repository; outside of one in the current folder alone. Called by assay_main.c for commands that
 * measure. The gate never hears of it: a change must not bring its own judge.
 */
#ifndef HN_SETTINGS_FILE_H
#define HN_SETTINGS_FILE_H

struct hn_invocation;

/* Gives the options that the command has and that were not given: target, jobs, expectations; and `runs`, the
 * folder that new runs are made in. 0, or an exit status with a sentence on stderr. */
int hn_settings_apply(struct hn_invocation *invocation);

#endif
