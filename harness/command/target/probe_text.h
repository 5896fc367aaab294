/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Findings of a probe, for a person, and as a profile. Reads the document assay/probe/1; judges
 * nothing.
 */
#ifndef HN_PROBE_TEXT_H
#define HN_PROBE_TEXT_H

#include <stdio.h>

#include "hn_error.h"
#include "json_read.h"
#include "profile.h"

int hn_probe_print(const struct hn_json *answer, FILE *out, struct hn_error *error);
/* The profile again, with the devices that were found usable and the answers as comments. */
int hn_probe_write_profile(const struct hn_profile *profile, const struct hn_json *answer,
                           const char *path, struct hn_error *error);

#endif
