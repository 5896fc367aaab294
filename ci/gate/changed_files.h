/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files a pull request changes, one per line, and the globs of the reference backend.
 */
#ifndef CI_CHANGED_FILES_H
#define CI_CHANGED_FILES_H

#include <stddef.h>

/* "*" stands for anything but "/", "**" for anything, "?" for one byte that is no "/". */
int ci_glob_fits(const char *glob, const char *path);
/* The first line of `text` that fits a glob: its start, and its length; NULL if none does. */
const char *ci_changed_file(const char *text, const char *const *globs, size_t count,
                            size_t *length);
/* 1 if a line of `text` is `word`. */
int ci_has_line(const char *text, const char *word);

#endif
