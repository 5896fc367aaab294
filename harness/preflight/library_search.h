/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds a library like the dynamic loader: in the folders that a file names, in LD_LIBRARY_PATH, in
 * the folders of /etc/ld.so.conf and in the default folders. This is an approximation, because a
 * loader with another configuration may find more libraries.
 */
#ifndef HN_LIBRARY_SEARCH_H
#define HN_LIBRARY_SEARCH_H

#include <stddef.h>

#define HN_SEARCH_PATH 4096
#define HN_SEARCH_FOLDERS 128

struct hn_search {
    char *folders[HN_SEARCH_FOLDERS]; /* further folders are left out */
    size_t count;
};

/* Adds the machine's own folders and LD_LIBRARY_PATH. */
void hn_search_init(struct hn_search *search);
void hn_search_finish(struct hn_search *search);
void hn_search_add(struct hn_search *search, const char *folder);
/* Adds the folders of a list separated by colons; $ORIGIN is the folder of `origin`. */
void hn_search_add_list(struct hn_search *search, const char *list, const char *origin);
int hn_search_finds(const struct hn_search *search, const char *name);
/* Returns 1 and the file's path, or 0. */
int hn_search_resolve(const struct hn_search *search, const char *name, char *path, size_t size);

#endif
