/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Updates an expectations file to the results of runs, as text: every comment and every entry
 * that still holds stays unchanged.
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

/* `text` is the file from which `old` was read (valid, without findings); both NULL: the file
 * does not exist yet. All runs have the same target. A check that fails in every run gets an
 * entry with its verdict and signature, and a check that fails in some or is flaky gets one as
 * flaky. Otherwise its entry is removed. HN_EUSAGE if there are new entries and texts for them
 * are missing. */
int ci_expectations_update(const char *text, const struct ci_expectations *old,
                           const struct rp_run *const *runs, size_t count,
                           const struct ci_entry_words *words, struct hn_buffer *out,
                           struct ci_update *update, struct hn_error *error);

#endif
