/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the dynamic loader would find a library: the folders a file names itself, LD_LIBRARY_PATH,
 * those of /etc/ld.so.conf and the usual ones. An imitation: what it finds exists; what it does not
 * find may still be found by a loader with another configuration.
 */
#ifndef HN_LIBRARY_SEARCH_H
#define HN_LIBRARY_SEARCH_H

#include <stddef.h>

#define HN_SEARCH_PATH 4096
#define HN_SEARCH_FOLDERS 128

struct hn_search {
    char *folders[HN_SEARCH_FOLDERS]; /* more are left out */
    size_t count;
};

/* The machine's own folders and LD_LIBRARY_PATH. */
void hn_search_init(struct hn_search *search);
void hn_search_finish(struct hn_search *search);
void hn_search_add(struct hn_search *search, const char *folder);
/* A list with colons; $ORIGIN is the folder of `origin`. */
void hn_search_add_list(struct hn_search *search, const char *list, const char *origin);
int hn_search_finds(const struct hn_search *search, const char *name);
/* 1 and the file's path, or 0. */
int hn_search_resolve(const struct hn_search *search, const char *name, char *path, size_t size);

#endif
