/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Searches the list of files that a pull request changes, one per line, with globs.
 */
#ifndef CI_CHANGED_FILES_H
#define CI_CHANGED_FILES_H

#include <stddef.h>

/* Returns 1 if the glob matches. "*" matches text without "/", "**" any text, "?" one byte except
 * "/". */
int ci_glob_fits(const char *glob, const char *path);
/* Returns the start of the first line of `text` that matches a glob, or NULL if no line does. */
const char *ci_changed_file(const char *text, const char *const *globs, size_t count,
                            size_t *length);
/* Returns 1 if a line of `text` equals `word`. */
int ci_has_line(const char *text, const char *word);

#endif
