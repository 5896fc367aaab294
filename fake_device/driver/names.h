/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Selection from a fixed list of names: "a,b" selects a and b. If a name is unknown, the message
 * suggests the nearest known name. Used for faults and variants.
 */
#ifndef FD_NAMES_H
#define FD_NAMES_H

#include <stddef.h>

#define FD_NAME_SIZE 96 /* no table contains a longer name */

struct fd_names {
    const char *kind;                     /* used in messages, for example "fault" */
    const char *(*name_at)(size_t index); /* NULL past the end */
};

/* Returns the index of `name`, or -1. */
int fd_names_find(const struct fd_names *names, const char *name);
/* Returns the index of a `name` that is a literal in this code. If the list does not contain the
 * name, the process ends: otherwise a misspelt fault would look like a fault that is off. */
int fd_names_demand(const struct fd_names *names, const char *name);
/* Returns the name with the smallest edit distance. NULL only if the list is empty. */
const char *fd_names_nearest(const struct fd_names *names, const char *name);
/* Calls choose(index) for each name of a comma-separated list. An empty list or an empty item
 * selects nothing. Returns 0, or -1 with one sentence in `message`. */
int fd_names_choose(const struct fd_names *names, const char *list, void (*choose)(size_t index),
                    char *message, size_t message_size);

#endif
