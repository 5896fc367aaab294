/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Selection expressions: select the checks of a run. Called by plan_make.c, list and prove.
 *
 *   EXPR = term { ("," | " ") term }  selects checks that a term matches and no "-term" matches;
 *                                     if the first term is a "-term", starts with all checks
 *   term = ["-"] word { "&" word }    all words must match
 *
 *   word: "all"
 *         "guard"                     a module
 *         "guard.exchange_*"          a check's id; * and ? as in file names
 *         "DEV-004", "DEV-*"          checks that cover a requirement
 *         "must" "should" "may" "advisory"   a level
 *         "native" "python"           a kind
 *         "heavy"                     checks that take more than about two seconds
 *         "smoke" "core" "full"       a profile of conformance.yaml
 *         "INC-019"                   checks of a requirement whose `why` names this incident
 *         "capability:streams"        checks that need a capability
 *         "fault:guard.x"             checks that claim to detect a fault
 *         "file:c10/core/Allocator.h" checks of a requirement with this anchor;
 *                                     or FILE:Class::member
 *         "failed:runs/a"             checks that failed in a run, or were undecided
 *   The prefixes "module:", "level:", "check:", "requirement:", "profile:", "kind:", "incident:", "cost:"
 *   before a word select its kind.
 */
#ifndef HN_SELECT_H
#define HN_SELECT_H

#include "catalogue.h"
#include "hn_error.h"

/* Sets selected[i] to 1 or 0 for each check of the catalogue. Returns HN_EUSAGE if no check is
 * selected, or if a word matches nothing; the error names the most similar word. On failure the
 * content of `selected` is undefined. */
int hn_select(const struct hn_catalogue *catalogue, const char *expression, unsigned char *selected,
              struct hn_error *error);

#endif
