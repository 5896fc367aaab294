/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared objects: open, look up, say in words why not. shared_library.c is the only file of the
 * harness that includes dlfcn.h. Libraries are never closed: foreign code leaves threads and thread
 * locals behind, and the process ends soon anyway.
 */
#ifndef HN_SHARED_LIBRARY_H
#define HN_SHARED_LIBRARY_H

#include <stddef.h>

#define HN_LIBRARY_GLOBAL 1u /* symbols serve libraries opened later */
#define HN_LIBRARY_LAZY 2u   /* functions are bound at first call */

/* Opens `path` (with a slash: a file; else searched as the loader does). Returns the handle, or
 * NULL with the loader's sentence in `text`. */
void *hn_library_open(const char *path, unsigned flags, char *text, size_t size);
/* Address of `symbol`, NULL if the library has none. */
void *hn_library_symbol(void *library, const char *symbol);
/* 1 if some library of the process already defines `symbol` for everyone. */
int hn_library_is_global(const char *symbol);

#endif
