/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts that the JSON of one run and of several share. render_json_several.c is the format, and
 * calls render_json.c for a single run.
 */
#ifndef RP_RENDER_JSON_H
#define RP_RENDER_JSON_H

#include "buffer.h"
#include "json_write.h"
#include "run_set.h"

/* Writes the identity of a run as an object. */
void rp_json_run(struct hn_json_writer *writer, const char *key, const struct rp_run *run);
/* The identity of a requirement or check: the first members of an open object. */
void rp_json_identity(struct hn_json_writer *writer, const char *id, const char *module,
                      enum hn_level level, enum hn_subject subject);
/* The state of a capability (claimed, probed, proven): members of an open object. */
void rp_json_standing(struct hn_json_writer *writer, const struct rp_capability *capability);
/* The member "capabilities": the state in each run, null if a run lacks the capability. */
void rp_json_capabilities(struct hn_json_writer *writer, const struct rp_set *set);
/* One run, schema assay/report/1. */
int rp_json_report(const struct rp_run *run, struct hn_buffer *out);

#endif
