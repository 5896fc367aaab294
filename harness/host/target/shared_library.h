/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens shared objects, finds symbols, and returns the loader's error as text. shared_library.c
 * is the only file of the harness that includes dlfcn.h. Libraries are never closed, because a
 * library may leave threads and thread-local data behind, and the process ends soon.
 */
#ifndef HN_SHARED_LIBRARY_H
#define HN_SHARED_LIBRARY_H

#include <stddef.h>

#define HN_LIBRARY_GLOBAL 1u /* its symbols are visible to libraries opened later */
#define HN_LIBRARY_LAZY 2u   /* functions are bound at their first call */

/* Opens `path`; without a slash, the loader searches for it. Returns the handle, or NULL with the
 * loader's error message in `text`. */
void *hn_library_open(const char *path, unsigned flags, char *text, size_t size);
/* Returns the address of `symbol`, or NULL if the library does not define it. */
void *hn_library_symbol(void *library, const char *symbol);
/* Returns 1 if a library of the process already defines `symbol` globally. */
int hn_library_is_global(const char *symbol);

#endif
