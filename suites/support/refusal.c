/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See refusal.h.
 */
#include "refusal.h"

#include "bridge_raised.h"
#include "refused_words.h"

#include <string.h>

/* State of the current check. A process may run several checks, one after the other. */
static const char *special, *sampled;
static struct {
    const char *check, *clause;
} under_way;

void assay_ask_special_case(const struct assay_check *check)
{
    special = check->id;
}

const char *assay_only_kind(const struct assay_check *check)
{
    return ASSAY_HAS(check, struct assay_check, takes) ? check->takes : NULL;
}

void assay_use_sample(const struct assay_check *check)
{
    sampled = check->id;
}

const char *assay_unused_kind(const struct assay_check *check)
{
    return sampled == check->id ? NULL : assay_only_kind(check);
}

int assay_is_refused(const struct assay_check *check, int32_t status)
{
    char means[256];
    if (status == ASSAY_OK)
        return 0;
    if (assay_refused_means(bridge_error_text(), means, sizeof means) ||
        status == ASSAY_EUNSUPPORTED)
        return 1;
    return special != check->id && bridge_raised() == BRIDGE_RAISED_SAID;
}

void assay_owes_for(const struct assay_check *check, const char *clause)
{
    under_way.check = check->id;
    under_way.clause = clause;
}

/* Returns whether the entry of `length` bytes is "CLAUSE:MEANS". If `clause` is NULL, any clause
 * matches. */
static int is_this(const char *entry, size_t length, const char *clause, const char *means)
{
    const char *const colon = memchr(entry, ':', length);
    const size_t own = colon ? (size_t)(colon - entry) : length;
    if (!colon || strlen(means) != length - own - 1 ||
        strncmp(colon + 1, means, strlen(means)) != 0)
        return 0;
    return !clause || (strlen(clause) == own && strncmp(entry, clause, own) == 0);
}

int assay_is_owed(const struct assay_check *check, const char *means)
{
    const char *const clause = under_way.check == check->id ? under_way.clause : NULL;
    const char *entry = ASSAY_HAS(check, struct assay_check, owed) ? check->owed : "";
    while (*entry) {
        const size_t length = strcspn(entry, " ");
        if (is_this(entry, length, clause, means))
            return 1;
        entry += length + (entry[length] == ' ');
    }
    return 0;
}
