/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A host for tests of the support library: keeps what a check reported. abandon leaves the check by
 * ending its thread, since it must not return.
 */
#ifndef FAKE_HOST_H
#define FAKE_HOST_H

#include "assay/check.h"

struct fake_host {
    struct assay_check check;
    int32_t findings, kind, line, abandoned;
    char clause[32];  /* that the check is about */
    const char *owed; /* what the check is told of it; NULL: nothing */
    char what[256], seen[1024], subject[64];
    int64_t milliseconds; /* answer of milliseconds_left */
};

/* Runs `body` as a check with two devices, 0 and 1. */
void fake_host_run(struct fake_host *host, void (*body)(struct assay_check *check));

#endif
