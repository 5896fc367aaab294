/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the missing parts of a backend as a to-do list: operators that checks use, and
 * capabilities.
 * Called by render_text.c.
 */
#ifndef RP_TEXT_MISSING_H
#define RP_TEXT_MISSING_H

#include "render.h"

/* Prints nothing if no part is missing. HN_OK or HN_ENOMEM. */
int rp_print_missing(struct hn_buffer *out, const struct rp_run *run);

#endif
