/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The past in memory, built run by run in the order of rp_past, and what follows from it: since
 * when, and what is new. Called by history.c alone.
 */
#ifndef RP_PAST_H
#define RP_PAST_H

#include "history.h"

struct rp_past_builder;

struct rp_past_builder *rp_past_begin(void); /* NULL when out of memory */
/* Texts are copied. HN_OK or HN_ENOMEM. */
int rp_past_add_run(struct rp_past_builder *builder, const struct rp_past_run *run);
/* Of the run added last. */
int rp_past_add_mark(struct rp_past_builder *builder, const char *check, const char *seen,
                     enum hn_level level, enum hn_verdict verdict);
/* The past, which owns the builder from then on; NULL when out of memory. */
struct rp_past *rp_past_end(struct rp_past_builder *builder);
void rp_past_give_up(struct rp_past_builder *builder); /* takes NULL */

#endif
