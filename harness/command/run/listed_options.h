/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds which checks a program must list before the plan is made: from the options of `assay run`,
 * or from the id of a single check.
 */
#ifndef HN_LISTED_OPTIONS_H
#define HN_LISTED_OPTIONS_H

#include "command.h"
#include "listing.h"

#define HN_LISTED_OPTIONS                                                                          \
    {                                                                                              \
        "ops", "DTYPES", "also test every operator of torch in these dtypes, see assay ops"        \
    }
#define HN_UPSTREAM "upstream" /* modules; selected if --select is not given */
#define HN_LIBRARIES "libraries"
#define HN_LIBRARY_OPTION                                                                          \
    {                                                                                              \
        "library", "NAMES", "also test small models of installed libraries, see assay programs"    \
    }
#define HN_UPSTREAM_OPTION                                                                         \
    {                                                                                              \
        "upstream", "DIR",                                                                         \
            "also run PyTorch's own device-generic tests from a checkout or a folder"              \
    }

/* Both functions fill `listing` and return `listing`, or return NULL if no checks must be listed.
 * Texts are borrowed from the invocation or from `id`. */
const struct hn_listing *hn_listed_by_options(const struct hn_invocation *invocation,
                                              struct hn_listing *listing);
const struct hn_listing *hn_listed_by_id(const struct hn_invocation *invocation, const char *id,
                                         struct hn_listing *listing);

/* The selection of a run: --select, or the module of the option that lists checks. NULL: all. */
const char *hn_listed_selection(const struct hn_invocation *invocation);

#endif
