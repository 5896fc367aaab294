/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts that a failed check noted under a key.
 */
#include "check_notes.h"

#include <string.h>

const char *rp_check_noted(const struct rp_check *check, const char *key)
{
    const size_t length = strlen(key);
    for (size_t i = 0; check->verdict == HN_FAIL && i < check->notes.count; i++)
        if (strncmp(check->notes.items[i], key, length) == 0)
            return check->notes.items[i] + length;
    return "";
}

const char *rp_check_watched(const struct rp_check *check)
{
    return rp_check_noted(check, "under watch: "); /* written by programs/judge.py */
}

const char *rp_check_failed(const struct rp_check *check)
{
    const char *const by_kind =
        rp_check_noted(check, "failed by kind: "); /* written by checks/asking.py */
    return by_kind[0] ? by_kind : rp_check_noted(check, "failed: ");
}
