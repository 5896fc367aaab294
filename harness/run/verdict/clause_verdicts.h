/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides the verdict of each clause, for a check that covers several clauses. Pure functions;
 * called by judge.c when the verdict of the check is known.
 */
#ifndef HN_CLAUSE_VERDICTS_H
#define HN_CLAUSE_VERDICTS_H

#include "outcome.h"
#include "record.h"

/* Fills in verdicts in the order of check->clauses, with room for HN_CLAUSES_MOST. Returns their
 * number; 0: the verdict of the check applies to each. `verdict` is the final verdict of the check.
 * If `advises`, a violated advisory clause is only noted. */
size_t hn_clauses_decide(const struct hn_check *check, int advises, const struct hn_found *found,
                         enum hn_verdict verdict, struct hn_clause_verdict *clauses);

/* If a check failed only because of advisory clauses, changes its verdict to noted, because
 * ignoring advice is no violation. */
void hn_clauses_advise(const struct hn_check *check, const struct hn_found *found,
                       struct hn_outcome *outcome);

#endif
