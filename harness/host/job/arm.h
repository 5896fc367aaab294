/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The switchboard of an instrumented target: one deliberate misbehaviour is switched on in this
 * process, and it is written down which of them a check comes by. Called by job.c when the target is
 * loaded, before the first check and behind each.
 */
#ifndef HN_ARM_H
#define HN_ARM_H

#include "host_callbacks.h"

#define HN_ASKED_FILE "asked.txt"

/* 0, or -1 with one sentence in `problem`. */
int hn_arm(const struct hn_host_callbacks *callbacks, const char *name, char *problem, size_t size);

/* From now on the target keeps which of its switches it is asked for. */
void hn_arm_watch(const struct hn_host_callbacks *callbacks);
/* HN_ASKED_FILE in this folder: a line for each switch that the target was asked for, or cannot tell
 * of. No file without a switchboard. */
void hn_arm_write_asked(const struct hn_host_callbacks *callbacks, const char *folder);

#endif
