/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Selection expressions: which checks a run takes.
 *
 *   EXPR = term { ("," | " ") term }   taken is what a term takes and no "-term" does; an expression
 *                                     that begins with "-term" begins with all checks
 *   term = ["-"] word { "&" word }    all words must fit
 *
 *   word: "all"
 *         "guard"                     a module
 *         "guard.exchange_*"          a check's id; * and ? as in file names
 *         "DEV-004", "DEV-*"          what covers a requirement
 *         "must" "should" "may" "advisory"   a level
 *         "native" "python"           a kind
 *         "smoke" "core" "full"       a profile of conformance.yaml
 *         "INC-019"                   what covers a requirement whose `why` tells of this incident
 *         "capability:streams"        what needs a capability
 *         "fault:guard.x"             what claims to catch a fault
 *         "file:c10/core/Allocator.h" what covers a requirement that is anchored there;
 *                                     or FILE:Class::member
 *         "failed:runs/a"             what failed in a run, or could not be decided
 *   "module:", "level:", "check:", "requirement:", "profile:", "kind:", "incident:" before a word say
 *   which of these is meant.
 */
#ifndef HN_SELECT_H
#define HN_SELECT_H

#include "catalogue.h"
#include "hn_error.h"

/* Sets selected[i] to 1 or 0 for each check of the catalogue. A word that names nothing is an error
 * (HN_EUSAGE) with the nearest right name; a selection of no check at all too. On failure
 * `selected` holds nothing useful. */
int hn_select(const struct hn_catalogue *catalogue, const char *expression, unsigned char *selected,
              struct hn_error *error);

#endif
