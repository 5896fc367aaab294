/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared objects: open, find a symbol, and give the loader's error as text. shared_library.c is
 * the only file of the harness that includes dlfcn.h. Libraries are never closed, because
 * foreign code leaves threads and thread-local data behind, and the process ends soon.
 */
#ifndef HN_SHARED_LIBRARY_H
#define HN_SHARED_LIBRARY_H

#include <stddef.h>

#define HN_LIBRARY_GLOBAL 1u /* its symbols are visible to libraries opened later */
#define HN_LIBRARY_LAZY 2u   /* functions are bound at their first call */

/* Opens `path` (with a slash: a file; else searched as the loader does). Returns the handle, or
 * NULL with the loader's sentence in `text`. */
void *hn_library_open(const char *path, unsigned flags, char *text, size_t size);
/* Address of `symbol`, or NULL if the library has none. */
void *hn_library_symbol(void *library, const char *symbol);
/* Returns 1 if a library of the process already defines `symbol` globally. */
int hn_library_is_global(const char *symbol);

#endif
