/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verdicts of a check that covers several clauses on each. Pure; called by judge.c when the
 * verdict of the check is known.
 */
#ifndef HN_CLAUSE_VERDICTS_H
#define HN_CLAUSE_VERDICTS_H

#include "outcome.h"
#include "record.h"

/* In the order of check->clauses, into room for HN_CLAUSES_MOST. Returns how many; 0: the verdict of the
 * check is that of each. `verdict`: what became of the check in the end. `advises`: what breaks an
 * advisory clause is only noted. */
size_t hn_clauses_decide(const struct hn_check *check, int advises, const struct hn_found *found,
                         enum hn_verdict verdict, struct hn_clause_verdict *clauses);

/* Advice that is not followed is no violation: what was seen is recorded. Of a check that failed because of advisory
 * clauses alone. */
void hn_clauses_advise(const struct hn_check *check, const struct hn_found *found,
                       struct hn_outcome *outcome);

#endif
