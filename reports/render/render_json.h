/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts that JSON of one run and JSON of several share. render_json_several.c is
 * the format, and leaves one run to render_json.c.
 */
#ifndef RP_RENDER_JSON_H
#define RP_RENDER_JSON_H

#include "buffer.h"
#include "json_write.h"
#include "run_set.h"

/* Writes the identity of a run as an object. */
void rp_json_run(struct hn_json_writer *writer, const char *key, const struct rp_run *run);
/* Which requirement or check this is: the first members of an object that is open. */
void rp_json_identity(struct hn_json_writer *writer, const char *id, const char *module,
                      enum hn_level level, enum hn_subject subject);
/* Claimed, probed, proven: the members of an object that is open. */
void rp_json_standing(struct hn_json_writer *writer, const struct rp_capability *capability);
/* The member "capabilities": the same of each run of a set, null where a run has none of it. */
void rp_json_capabilities(struct hn_json_writer *writer, const struct rp_set *set);
/* One run, schema assay/report/1. */
int rp_json_report(const struct rp_run *run, struct hn_buffer *out);

#endif
