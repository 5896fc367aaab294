/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See torch_range.h. Only major and minor are compared: "2.13" covers 2.13.0 and
 * 2.13.0.dev20260101.
 */
#include "torch_range.h"

#include <stdio.h>

#define RELEASE(major, minor) ((major)*1000 + (minor))

/* The last release that `text` names, or -1. */
static int release_of(const char *text)
{
    int major, minor, later, later_minor;
    const int found = sscanf(text, "%3d.%3d-%3d.%3d", &major, &minor, &later, &later_minor);
    if (found == 4)
        return RELEASE(later, later_minor);
    return found >= 2 ? RELEASE(major, minor) : -1;
}

int hn_torch_range_has(struct hn_torch_range range, const char *torch)
{
    const int since = release_of(range.since), until = release_of(range.until);
    const int now = release_of(torch);
    return now < 0 || (now >= since && (until < 0 || now <= until));
}

int hn_torch_range_reads(const char *torch)
{
    return release_of(torch) >= 0;
}

struct hn_torch_range hn_torch_range_join(struct hn_torch_range a, struct hn_torch_range b)
{
    const int open = release_of(a.until) < 0 || release_of(b.until) < 0;
    return (struct hn_torch_range){
        .since = release_of(a.since) <= release_of(b.since) ? a.since : b.since,
        .until = open                                         ? ""
                 : release_of(a.until) >= release_of(b.until) ? a.until
                                                              : b.until,
    };
}
