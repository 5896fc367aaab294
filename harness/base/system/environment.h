/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The environment of a process that is to be started: ours, with settings on top.
 */
#ifndef HN_ENVIRONMENT_H
#define HN_ENVIRONMENT_H

#include <stddef.h>

struct hn_settings {
    const char *const *items; /* "NAME=value" */
    size_t count;
};

/* Later settings go before earlier ones, all before our environment. A list to free, NULL-terminated,
 * of borrowed texts; NULL: out of memory. */
char **hn_environment_make(const struct hn_settings *lists, size_t count);

#endif
