/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that the text of one run and the text of several share.
 */
#ifndef RP_RENDER_TEXT_H
#define RP_RENDER_TEXT_H

#include "buffer.h"
#include "colour.h"
#include "run_model.h"

int rp_render_text_one(const struct rp_run *run, int colour, struct hn_buffer *out);

#endif
