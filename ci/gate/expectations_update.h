/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Brings an expectations file up to what runs show, as text: every comment and every entry that
 * still holds stays byte for byte.
 */
#ifndef CI_EXPECTATIONS_UPDATE_H
#define CI_EXPECTATIONS_UPDATE_H

#include "buffer.h"
#include "expectations.h"

struct ci_entry_words { /* of new entries; NULL: not given */
    const char *reason, *issue, *expires;
};

struct ci_update {
    size_t kept, added, removed, changed; /* entries */
    const char *first_added;              /* id of the first new entry; NULL: none */
};

/* `text` is the file that `old` was read from (in order, without findings); both NULL: there is no
 * file yet. All runs are of one target. A check that fails in every run is listed with its verdict
 * and signature, one that fails in some or is flaky as flaky; one that does neither loses its
 * entry. HN_EUSAGE when there are new entries and words for them are missing. */
int ci_expectations_update(const char *text, const struct ci_expectations *old,
                           const struct rp_run *const *runs, size_t count,
                           const struct ci_entry_words *words, struct hn_buffer *out,
                           struct ci_update *update, struct hn_error *error);

#endif
