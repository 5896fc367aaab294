/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads `disputed:` of a requirement: the disputing party, both views, the issue with the example
 * program. Part of reading a contract. If the dispute names a check, the name is resolved later.
 */
#include <string.h>

#include "catalogue_internal.h"
#include "clock.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

void hn_read_dispute(struct hn_loader *loader, const struct hn_yaml *map, struct hn_dispute *out)
{
    static const char *const keys[] = {"by", "since", "issue", "check", "against", "for"};
    const struct hn_yaml *node = hn_yaml_find(map, "disputed");
    *out = (struct hn_dispute){
        .by = "", .since = "", .issue = "", .check = "", .against = "", .kept = ""};
    if (!node || hn_yaml_only_keys(node, keys, COUNT(keys), loader->findings))
        return;
    hn_yaml_need_text(node, "by", &out->by, loader->findings);
    hn_yaml_need_text(node, "since", &out->since, loader->findings);
    hn_yaml_need_text(node, "issue", &out->issue, loader->findings);
    hn_yaml_need_text(node, "against", &out->against, loader->findings);
    hn_yaml_need_text(node, "for", &out->kept, loader->findings);
    hn_yaml_text(node, "check", &out->check, loader->findings);
    if (out->since[0] && !hn_is_date(out->since))
        hn_yaml_complain(hn_yaml_find(node, "since"), loader->findings,
                         "\"%.40s\" is not a date, such as 2026-11-26", out->since);
    if (out->issue[0] && strncmp(out->issue, "https://", 8) != 0)
        hn_yaml_complain(hn_yaml_find(node, "issue"), loader->findings,
                         "\"%.80s\" is not a link, which begins with https://", out->issue);
}

void hn_link_dispute(struct hn_loader *loader, const struct hn_requirement *requirement)
{
    const char *id = requirement->dispute.check;
    const struct hn_check *check = id[0] ? hn_catalogue_check(loader->catalogue, id) : NULL;
    if (id[0] && !(check && hn_check_covers(check, requirement)))
        hn_yaml_complain(hn_yaml_find(hn_yaml_find(requirement->source, "disputed"), "check"),
                         loader->findings, "no check \"%.80s\" covers %s", id, requirement->id);
}
