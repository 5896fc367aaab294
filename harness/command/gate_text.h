/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A decision in the words of a log.
 */
#ifndef HN_GATE_TEXT_H
#define HN_GATE_TEXT_H

#include "gate_decide.h"

/* The decision first, then its causes, then the remarks. All texts are clean. */
void hn_gate_print(const struct ci_result *result);

#endif
