/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists the state that passed checks left changed, and the resources they left behind: facts
 * beside the verdicts. Called by render_text.c and render_json.c.
 */
#ifndef RP_TEXT_LEFT_H
#define RP_TEXT_LEFT_H

#include "json_write.h"
#include "render.h"

/* Prints nothing if every check restored all state. */
void rp_print_left(struct hn_buffer *out, const struct rp_run *run);
/* Writes the same facts as members "left_changed" and "left_memory", if there are any. */
void rp_json_left(struct hn_json_writer *writer, const struct rp_check *check);

#endif
