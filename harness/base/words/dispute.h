/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A dispute of a clause, open while its contract has it: who says that the clause or its check is wrong, and both
 * views. It changes no verdict; whoever shows one shows the dispute beside it.
 */
#ifndef HN_DISPUTE_H
#define HN_DISPUTE_H

#include "buffer.h"
#include "json_write.h"

struct hn_dispute {
    const char *by;            /* NULL or "": there is no dispute */
    const char *since, *issue; /* YYYY-MM-DD; the issue with the plain program, https:// */
    const char
        *check; /* this check alone asks for something else; "": the clause itself is disputed */
    const char *against, *kept; /* the views: of who disputes, of who holds the clause */
};

int hn_dispute_is_open(const struct hn_dispute *dispute);
/* Whether what a check says of the clause is disputed. */
int hn_dispute_meets(const struct hn_dispute *dispute, const char *check);
/* An object under `key`; nothing without a dispute. */
void hn_dispute_write(const struct hn_dispute *dispute, const char *key,
                      struct hn_json_writer *writer);
/* "disputed by ACME since 2026-11-26: ... The clause's side: ... https://...". Texts as they are. */
void hn_dispute_words(const struct hn_dispute *dispute, struct hn_buffer *out);

#endif
