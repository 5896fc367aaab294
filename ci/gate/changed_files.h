/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files a pull request changes, one per line, and the globs of the reference backend.
 */
#ifndef CI_CHANGED_FILES_H
#define CI_CHANGED_FILES_H

#include <stddef.h>

/* "*" matches anything except "/", "**" anything, "?" one byte except "/". */
int ci_glob_fits(const char *glob, const char *path);
/* The first line of `text` that matches a glob: its start and length; NULL if there is none. */
const char *ci_changed_file(const char *text, const char *const *globs, size_t count,
                            size_t *length);
/* 1 if a line of `text` equals `word`. */
int ci_has_line(const char *text, const char *word);

#endif
