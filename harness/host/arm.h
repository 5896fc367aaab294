/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Switches on one deliberate misbehaviour of an instrumented target in this process. Called by job.c
 * when the target is loaded, before the first check.
 */
#ifndef HN_ARM_H
#define HN_ARM_H

#include "host_callbacks.h"

/* 0, or -1 with one sentence in `problem`. */
int hn_arm(const struct hn_host_callbacks *callbacks, const char *name, char *problem, size_t size);

#endif
