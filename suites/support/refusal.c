/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See refusal.h.
 */
#include "refusal.h"

#include "bridge_raised.h"
#include "refused_words.h"

/* Of the check that asks one: a process may run several, one after the other. */
static const char *special;

void assay_ask_special_case(const struct assay_check *check)
{
    special = check->id;
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
