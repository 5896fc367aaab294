/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay run --changed: from the files of a pull request to the checks that are about them.
 */
#ifndef HN_CHANGED_SELECT_H
#define HN_CHANGED_SELECT_H

#include "buffer.h"

/* `files`: names with commas between. `expression` becomes the selection of all checks that are
 * anchored in one of them, "" when there is none; says on stderr how many are left for later.
 * Returns 0 or an exit status, with the reason on stderr. */
int hn_changed_select(const char *files, struct hn_buffer *expression);

#endif
