/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts the registrations for PrivateUse1, and describes those that a load step added. Native
 * target loading and assay.host call these functions before and after each step. The difference
 * does not include the registrations of torch itself. No function here runs an operator or
 * initialises a device. [main]
 */
#ifndef HN_REGISTRATION_H
#define HN_REGISTRATION_H

#include "assay/status.h"

#define HN_REGISTRATION_KEYS 7

struct hn_registration {
    int32_t named, guard, hooks, allocator, host_allocator, fallback;
    int32_t kernels[HN_REGISTRATION_KEYS]; /* per dispatch key, see hn_registration_key */
};

/* Returns "PrivateUse1", "AutogradPrivateUse1", ... for an index below HN_REGISTRATION_KEYS. */
ASSAY_EXPORT const char *hn_registration_key(size_t index);
ASSAY_EXPORT void hn_registration_take(struct hn_registration *now);
/* Writes "name, guard, 212 kernels for PrivateUse1, fallback", or "nothing". */
ASSAY_EXPORT void hn_registration_describe(const struct hn_registration *before,
                                           const struct hn_registration *after, char *text,
                                           size_t size);

#endif
