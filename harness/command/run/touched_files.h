/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of PyTorch that changed, as terms of a selection: those that clauses are anchored in, in
 * each spelling and in old and new homes; sources stand for their headers.
 */
#ifndef HN_TOUCHED_FILES_H
#define HN_TOUCHED_FILES_H

#include "buffer.h"
#include "catalogue.h"

/* Adds terms for the comma-separated `files` and says on stderr what is chosen. *unknown is 1 when
 * nobody can say whether some file is met by a check. 0, or an exit status with the reason on stderr.
 */
int hn_touched_files(const struct hn_catalogue *catalogue, const char *files,
                     struct hn_buffer *expression, int *unknown);

#endif
