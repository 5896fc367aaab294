/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Native checks that misbehave in every way a backend can. torture_cases.txt says what each must
 * come out as. Part of no suite.
 */
#ifndef TORTURE_CHECKS_H
#define TORTURE_CHECKS_H

#include "assay/check.h"

extern const struct assay_check_row torture_rows[];
extern const uint32_t torture_row_count;

#endif
