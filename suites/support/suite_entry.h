/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The entry point of every suite: symbols that the generated suite_<module>.c defines and calls.
 */
#ifndef SUITE_ENTRY_H
#define SUITE_ENTRY_H

#include "assay/check.h"
#include "assay/plugin.h"

/* Defined by the generated file. The list of tables ends with NULL, each table with {0}. */
extern const char assay_suite_name[];
extern const struct assay_check_row *const assay_suite_topics[];

const struct assay_plugin *assay_suite_entry(const struct assay_plugin_offer *offer);

#endif
