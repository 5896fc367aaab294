/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Choosing from a closed list of names: "a,b" -> a and b are chosen; a wrong one is answered with
 * the nearest right one. Used for faults and variants.
 */
#ifndef FD_NAMES_H
#define FD_NAMES_H

#include <stddef.h>

#define FD_NAME_SIZE 96 /* a longer name cannot be in any table */

struct fd_names {
    const char *kind;                     /* "fault": for the message */
    const char *(*name_at)(size_t index); /* NULL past the end */
};

/* Index of `name`, or -1. */
int fd_names_find(const struct fd_names *names, const char *name);
/* Index of a `name` that our own code has written; ends the process if there is none: a fault that
 * is misspelt where it acts must not look like one that is off. */
int fd_names_demand(const struct fd_names *names, const char *name);
/* The name with the smallest edit distance; NULL only for an empty list. */
const char *fd_names_nearest(const struct fd_names *names, const char *name);
/* Calls choose(index) for each name of a comma separated list. An empty list or an empty item is
 * no choice. Returns 0, or -1 with one sentence in `message`. */
int fd_names_choose(const struct fd_names *names, const char *list, void (*choose)(size_t index),
                    char *message, size_t message_size);

#endif
