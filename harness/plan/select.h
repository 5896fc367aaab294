/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Selection expressions: which checks a run takes.
 *
 *   EXPR    = term { ("," | " ") term }      a check is taken if a term takes it and no "-term"
 * does; an expression of "-terms" only begins with all checks term    = ["-"] word { "&" word } all
 * words must fit word    = "all" | "guard"                        a module | "guard.exchange_*" a
 * check's id; * and ? as in file names | "DEV-004" | "DEV-*"            what covers a requirement
 *           | "must" "should" "may" "advisory"   a level
 *           | "native" "python"              a kind
 *           | "smoke" "core" "full"          a profile of conformance.yaml
 *           | "capability:streams"           what needs a capability
 *           | "fault:guard.x"                what claims to catch a fault
 *           | "file:c10/core/Allocator.h"    what covers a requirement that is anchored there
 *           | "module:", "level:", "check:", "requirement:", "profile:", "kind:" before a word
 *             say which of these is meant
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
