/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns on one switch of an instrumented target in this process, and records which switches the
 * code of a check reaches. Called by job.c after the target is loaded, before the first check, and
 * after each check.
 */
#ifndef HN_ARM_H
#define HN_ARM_H

#include "host_callbacks.h"

#define HN_ASKED_FILE "asked.txt"

/* Returns 0, or -1 with one sentence in `problem`. */
int hn_arm(const struct hn_host_callbacks *callbacks, const char *name, char *problem, size_t size);

/* From now on the target records which of its switches are queried. */
void hn_arm_watch(const struct hn_host_callbacks *callbacks);
/* Writes HN_ASKED_FILE in this folder: one line for each switch that the target queried, or whose
 * queries the target cannot record. If there is no switchboard, no file is written. */
void hn_arm_write_asked(const struct hn_host_callbacks *callbacks, const char *folder);

#endif
