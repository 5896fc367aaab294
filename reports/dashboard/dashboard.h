/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dashboard: who is compatible with what, since when, and what broke it. Called by
 * cli/cmd_history.c.
 */
#ifndef RP_DASHBOARD_H
#define RP_DASHBOARD_H

#include "buffer.h"
#include "history.h"

/* One HTML page without a script. */
int rp_dashboard_html(const struct rp_past *past, struct hn_buffer *out);
/* Schema assay/history/1 (reports/schema/history.schema.json). */
int rp_dashboard_json(const struct rp_past *past, struct hn_buffer *out);

#endif
