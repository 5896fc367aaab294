/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See listed_options.h.
 */
#include "listed_options.h"

#include <limits.h>
#include <stdio.h>
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

/* Uses the absolute path, because a check may change the current folder of its job. If the path
 * does not exist, the program that lists the tests reports it. */
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
    const char *libraries = hn_option_value(invocation, "library");
    if (libraries)
        return list(listing, HN_LIBRARIES, libraries, NULL);
    return dtypes ? list(listing, OPERATORS, dtypes, NULL)
                  : list_tests(invocation, hn_option_value(invocation, "select"), listing);
}

const char *hn_listed_selection(const struct hn_invocation *invocation)
{
    const char *select = hn_option_value(invocation, "select");
    if (select)
        return select;
    if (hn_option_value(invocation, "library"))
        return HN_LIBRARIES;
    return hn_option_value(invocation, "upstream") ? UPSTREAM : NULL;
}

/* The part of the id after the module; NULL if the id is of another module. */
static const char *within(const char *id, const char *module)
{
    const size_t length = strlen(module);
    return strncmp(id, module, length) == 0 && id[length] == '.' ? id + length + 1 : NULL;
}

static const struct hn_listing *list_library(const char *model, struct hn_listing *listing)
{
    static char library[128];
    snprintf(library, sizeof library, "%.*s", (int)strcspn(model, "."), model);
    return list(listing, HN_LIBRARIES, library, NULL);
}

/* Ids: opinfo.<operator>.<dtype>, libraries.<library>.<model>, upstream.<file>.<class>.<test>. */
const struct hn_listing *hn_listed_by_id(const struct hn_invocation *invocation, const char *id,
                                         struct hn_listing *listing)
{
    const char *operator= within(id, OPERATORS), *model = within(id, HN_LIBRARIES);
    if (within(id, UPSTREAM))
        return list_tests(invocation, id, listing);
    if (model)
        return list_library(model, listing);
    const char *dtype = operator? strrchr(operator, '.') : NULL;
    return dtype ? list(listing, OPERATORS, dtype + 1, NULL) : NULL;
}
