/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A dispute about a clause: a party says that the clause or its check is wrong. The struct has both
 * views. The dispute is open as long as the contract contains it. A dispute changes no verdict, but
 * a report that shows the verdict must show the dispute beside it.
 */
#ifndef HN_DISPUTE_H
#define HN_DISPUTE_H

#include "buffer.h"
#include "json_write.h"

struct hn_dispute {
    const char *by; /* the party; NULL or "": there is no dispute */
    /* YYYY-MM-DD; the URL of the issue with the example program, https:// */
    const char *since, *issue;
    const char *check; /* if only the demand of one check is disputed: the check; else "" */
    const char *against, *kept; /* the two views: against the clause, and for the clause */
};

int hn_dispute_is_open(const struct hn_dispute *dispute);
/* Returns 1 if the result of `check` on the clause is disputed. */
int hn_dispute_meets(const struct hn_dispute *dispute, const char *check);
/* Writes an object under `key`; a no-op without a dispute. */
void hn_dispute_write(const struct hn_dispute *dispute, const char *key,
                      struct hn_json_writer *writer);
/* "disputed by ACME since 2026-11-26: ... The clause's side: ... https://...". The texts are not
 * escaped. */
void hn_dispute_words(const struct hn_dispute *dispute, struct hn_buffer *out);

#endif
