/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The environment of a process that will be started: our environment, with settings that
 * override it.
 */
#ifndef HN_ENVIRONMENT_H
#define HN_ENVIRONMENT_H

#include <stddef.h>

struct hn_settings {
    const char *const *items; /* "NAME=value" */
    size_t count;
};

/* Later settings override earlier ones, and all override our environment. Returns a
 * NULL-terminated list that the caller frees, with borrowed texts; NULL: out of memory. */
char **hn_environment_make(const struct hn_settings *lists, size_t count);

#endif
