/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the findings of a probe, and writes them as a profile. Reads the document assay/probe/1;
 * gives no verdicts.
 */
#ifndef HN_PROBE_TEXT_H
#define HN_PROBE_TEXT_H

#include <stdio.h>

#include "hn_error.h"
#include "json_read.h"
#include "profile.h"

int hn_probe_print(const struct hn_json *answer, FILE *out, struct hn_error *error);
/* Writes a copy of the profile that also has the usable devices, and the answers as comments. */
int hn_probe_write_profile(const struct hn_profile *profile, const struct hn_json *answer,
                           const char *path, struct hn_error *error);

#endif
