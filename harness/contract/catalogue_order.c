/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds checks that build on themselves, directly or in a cycle. Fifth step of loading the
 * catalogue.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue_internal.h"

enum colour { UNSEEN, OPEN, DONE };

struct walk {
    struct hn_loader *loader;
    unsigned char *colours;
    const struct hn_check **path;
    size_t depth;
};

static void complain_circle(struct walk *walk, const struct hn_check *start)
{
    char circle[512] = "";
    size_t first = walk->depth, used = 0;
    while (first > 0 && walk->path[first - 1] != start)
        first--;
    for (size_t i = first - 1; i < walk->depth && used < sizeof circle; i++)
        used += (size_t)snprintf(circle + used, sizeof circle - used, "%s -> ", walk->path[i]->id);
    hn_yaml_complain(hn_yaml_find(start->source, "builds_on"), walk->loader->findings,
                     "checks build on each other in a cycle: %s%s", circle, start->id);
}

/* Visits checks depth first. The number of checks limits the depth, and thus the size of `path`. */
static void visit(struct walk *walk, const struct hn_check *check)
{
    unsigned char *colour = &walk->colours[check - walk->loader->checks];
    if (*colour == OPEN)
        complain_circle(walk, check);
    if (*colour != UNSEEN)
        return;
    *colour = OPEN;
    walk->path[walk->depth++] = check;
    for (size_t i = 0; i < check->builds_on_count; i++)
        visit(walk, check->builds_on[i]);
    for (size_t i = 0; i < check->fails_with_count; i++)
        visit(walk, check->fails_with[i]);
    walk->depth--;
    *colour = DONE;
}

void hn_link_order(struct hn_loader *loader)
{
    const size_t count = loader->catalogue->check_count;
    struct walk walk = {.loader = loader};
    walk.colours = hn_arena_alloc(loader->arena, count + 1);
    walk.path = hn_arena_array(loader->arena, count + 1, sizeof *walk.path);
    if (!walk.colours || !walk.path) {
        hn_findings_add(loader->findings, "", 0, 0, "out of memory");
        return;
    }
    for (size_t i = 0; i < count; i++)
        visit(&walk, &loader->checks[i]);
}
