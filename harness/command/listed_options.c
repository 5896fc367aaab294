/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See listed_options.h.
 */
#include "listed_options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define OPERATORS "opinfo"
#define UPSTREAM HN_UPSTREAM

static const struct hn_listing *list(struct hn_listing *listing, const char *module,
                                     const char *argument, const char *more)
{
    listing->module = module;
    listing->room[0] = argument;
    listing->room[1] = more;
    listing->arguments = (struct hn_texts){listing->room, more ? 2 : 1};
    return listing;
}

/* The whole path: jobs run wherever a check takes them. What is not there is refused by the program. */
static const struct hn_listing *list_tests(const struct hn_invocation *invocation,
                                           const char *select, struct hn_listing *listing)
{
    static char path[PATH_MAX];
    const char *folder = hn_option_value(invocation, "upstream");
    if (!folder)
        return NULL;
    return list(listing, UPSTREAM, realpath(folder, path) ? path : folder, select ? select : "");
}

const struct hn_listing *hn_listed_by_options(const struct hn_invocation *invocation,
                                              struct hn_listing *listing)
{
    const char *dtypes = hn_option_value(invocation, "ops");
    return dtypes ? list(listing, OPERATORS, dtypes, NULL)
                  : list_tests(invocation, hn_option_value(invocation, "select"), listing);
}

/* opinfo.<operator>.<dtype>; upstream.<file>.<class>.<test> with --upstream */
const struct hn_listing *hn_listed_by_id(const struct hn_invocation *invocation, const char *id,
                                         struct hn_listing *listing)
{
    if (strncmp(id, UPSTREAM ".", strlen(UPSTREAM ".")) == 0)
        return list_tests(invocation, id, listing);
    const char *operator= strncmp(id, OPERATORS ".", strlen(OPERATORS ".")) == 0
        ? strchr(id, '.') + 1
        : NULL;
    const char *dtype = operator? strrchr(operator, '.') : NULL;
    return dtype ? list(listing, OPERATORS, dtype + 1, NULL) : NULL;
}
