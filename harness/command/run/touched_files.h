/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts changed files of PyTorch to terms of a selection: files in which clauses are anchored,
 * in every spelling and in old and new locations. A source file stands for its header.
 */
#ifndef HN_TOUCHED_FILES_H
#define HN_TOUCHED_FILES_H

#include "buffer.h"
#include "catalogue.h"

/* Adds terms for the comma-separated `files` and prints the choice on stderr. *unknown is 1 if some
 * file is unknown, so that checks about it may be missing. Returns 0, or an exit status after a
 * message on stderr. */
int hn_touched_files(const struct hn_catalogue *catalogue, const char *files,
                     struct hn_buffer *expression, int *unknown);

#endif
