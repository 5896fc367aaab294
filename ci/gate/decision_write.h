/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a decision as decision.json (reports/schema/decision.schema.json) for programs, and as
 * Markdown for the summary of a check and for comments.
 */
#ifndef CI_DECISION_WRITE_H
#define CI_DECISION_WRITE_H

#include "buffer.h"
#include "gate_decide.h"

/* A comment on GitHub is limited to 64 KiB. If text is left out, the comment says so. */
#define CI_MARKDOWN_LIMIT ((size_t)60000)

int ci_decision_json(const struct ci_policy *policy, const struct ci_result *result,
                     struct hn_buffer *out);
int ci_decision_markdown(const struct ci_policy *policy, const struct ci_result *result,
                         struct hn_buffer *out);

#endif
