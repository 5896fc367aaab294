/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A host for tests of the support library, which stores the reports of a check. abandon must not
 * return, so it ends the thread of the check.
 */
#ifndef FAKE_HOST_H
#define FAKE_HOST_H

#include "assay/check.h"

struct fake_host {
    struct assay_check check;
    int32_t findings, kind, line, abandoned;
    char clause[32];  /* the clause that the check is about */
    const char *owed; /* the means that the backend must not refuse, or NULL */
    char what[256], seen[1024], subject[64];
    int64_t milliseconds; /* the result of milliseconds_left */
};

/* Runs `body` as a check with the devices 0 and 1. */
void fake_host_run(struct fake_host *host, void (*body)(struct assay_check *check));

#endif
