/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Updates the text of an expectations file to the results of runs. Comments stay unchanged, and so
 * do entries that still match.
 */
#ifndef CI_EXPECTATIONS_UPDATE_H
#define CI_EXPECTATIONS_UPDATE_H

#include "buffer.h"
#include "expectations.h"

struct ci_entry_words { /* texts for new entries; NULL: not given */
    const char *reason, *issue, *expires;
};

struct ci_update {
    size_t kept, added, removed, changed; /* numbers of entries */
    const char *first_added;              /* id of the first new entry; NULL: none */
};

/* `text` is the valid file from which `old` was read. Both are NULL if the file does not exist yet.
 * All runs have the same target. A check that fails in every run gets an entry with its verdict and
 * signature. A check that fails in some runs or is flaky gets an entry with the verdict flaky.
 * Entries of other checks are removed. Returns HN_EUSAGE if texts for new entries are missing. */
int ci_expectations_update(const char *text, const struct ci_expectations *old,
                           const struct rp_run *const *runs, size_t count,
                           const struct ci_entry_words *words, struct hn_buffer *out,
                           struct ci_update *update, struct hn_error *error);

#endif
