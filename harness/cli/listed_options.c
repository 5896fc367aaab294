/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See listed_options.h.
 */
#include "listed_options.h"

#include <string.h>

#define OPERATORS "opinfo"

static const struct hn_listing *list(struct hn_listing *listing, const char *module,
                                     const char *argument)
{
    listing->module = module;
    listing->argument = argument;
    listing->arguments = (struct hn_texts){&listing->argument, 1};
    return listing;
}

const struct hn_listing *hn_listed_by_options(const struct hn_invocation *invocation,
                                              struct hn_listing *listing)
{
    const char *dtypes = hn_option_value(invocation, "ops");
    return dtypes ? list(listing, OPERATORS, dtypes) : NULL;
}

/* opinfo.<operator>.<dtype> */
const struct hn_listing *hn_listed_by_id(const char *id, struct hn_listing *listing)
{
    const char *operator= strncmp(id, OPERATORS ".", strlen(OPERATORS ".")) == 0
        ? strchr(id, '.') + 1
        : NULL;
    const char *dtype = operator? strrchr(operator, '.') : NULL;
    return dtype ? list(listing, OPERATORS, dtype + 1) : NULL;
}
