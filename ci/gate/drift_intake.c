/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See drift_intake.h. Called by gate_input.c of the command.
 */
#include "drift_intake.h"

#include <string.h>

#include "clean_text.h"
#include "json_fields.h"

#define FILE_LIMIT ((size_t)64 << 20)
#define DEPTH 8
#define TITLE_SIZE 200
#define ADVICE_SIZE 300
#define NAMES_SIZE 200

struct entry { /* for a backend: whether it breaks; for the comparison: the advice */
    const char *group, *verdict, *advice;
};
struct backend {
    const char *name;
    const struct entry *entries;
    size_t entry_count;
};
struct group {
    const char *id, *title, *rank;
    int internal;
};
struct comparison {
    const char *schema;
    const struct group *groups;
    const struct entry *entries;
    const struct backend *backends;
    size_t group_count, entry_count, backend_count;
};

#define ENTRY(member) offsetof(struct entry, member)
static const struct hn_field hit_fields[] = {
    HN_ALWAYS("group", HN_FIELD_TEXT, ENTRY(group)),
    HN_ALWAYS("verdict", HN_FIELD_TEXT, ENTRY(verdict)),
    HN_END_OF_TABLE,
};
static const struct hn_field entry_fields[] = {
    HN_ALWAYS("group", HN_FIELD_TEXT, ENTRY(group)),
    HN_ALWAYS("advice", HN_FIELD_TEXT, ENTRY(advice)),
    HN_END_OF_TABLE,
};
static const struct hn_field backend_fields[] = {
    HN_ALWAYS("name", HN_FIELD_TEXT, offsetof(struct backend, name)),
    HN_LIST("entries", offsetof(struct backend, entries), offsetof(struct backend, entry_count),
            hit_fields, struct entry, 1),
    HN_END_OF_TABLE,
};
static const struct hn_field group_fields[] = {
    HN_ALWAYS("id", HN_FIELD_TEXT, offsetof(struct group, id)),
    HN_ALWAYS("title", HN_FIELD_TEXT, offsetof(struct group, title)),
    HN_ALWAYS("rank", HN_FIELD_TEXT, offsetof(struct group, rank)),
    HN_ALWAYS("internal", HN_FIELD_FLAG, offsetof(struct group, internal)),
    HN_END_OF_TABLE,
};
#define AT(member) offsetof(struct comparison, member)
static const char *const schema[] = {"assay/drift/1"};
static const struct hn_field fields[] = {
    {"schema", HN_FIELD_SCHEMA, .always = 1, .words = schema},
    HN_LIST("groups", AT(groups), AT(group_count), group_fields, struct group, 1),
    HN_LIST("entries", AT(entries), AT(entry_count), entry_fields, struct entry, 1),
    HN_LIST("backends", AT(backends), AT(backend_count), backend_fields, struct backend, 1),
    HN_END_OF_TABLE,
};

static int breaks(const struct backend *backend, const char *group)
{
    for (size_t i = 0; i < backend->entry_count; i++)
        if (strcmp(backend->entries[i].group, group) == 0 &&
            strcmp(backend->entries[i].verdict, "breaks") == 0)
            return 1;
    return 0;
}

/* Lists the backends that the group breaks: "openreg, fakedev". */
static void name_backends(const struct comparison *all, const char *group, struct hn_buffer *names)
{
    for (size_t i = 0; i < all->backend_count; i++) {
        if (!breaks(&all->backends[i], group))
            continue;
        hn_buffer_puts(names, names->length ? ", " : "");
        ci_clean(names, all->backends[i].name, 60);
    }
}

/* Returns the advice of the group's first member, because entries are sorted by importance. */
static const char *advice_of(const struct comparison *all, const char *group)
{
    for (size_t i = 0; i < all->entry_count; i++)
        if (strcmp(all->entries[i].group, group) == 0)
            return all->entries[i].advice;
    return "";
}

static int add_item(const struct comparison *all, const struct group *group, const char *names,
                    struct hn_arena *arena, struct ci_drift *drift)
{
    if (drift->count++ >= CI_DRIFT_SHOWN)
        return HN_OK;
    struct ci_drift_item *item = &drift->items[drift->count - 1];
    item->title = ci_clean_copy(arena, group->title, TITLE_SIZE);
    item->advice = ci_clean_copy(arena, advice_of(all, group->id), ADVICE_SIZE);
    item->backends = ci_clean_copy(arena, names, NAMES_SIZE);
    return item->title && item->advice && item->backends ? HN_OK : HN_ENOMEM;
}

static int take_group(const struct comparison *all, const struct group *group,
                      struct hn_arena *arena, struct ci_drift *drift)
{
    struct hn_buffer names;
    int status = HN_OK;
    hn_buffer_init(&names, 4 * NAMES_SIZE);
    name_backends(all, group->id, &names);
    if (all->backend_count ? names.length > 0
                           : !group->internal && strcmp(group->rank, "break") == 0)
        status = add_item(all, group, names.length ? names.text : "", arena, drift);
    hn_buffer_finish(&names);
    return status;
}

int ci_drift_read(const char *path, struct hn_arena *arena, struct ci_drift *drift,
                  struct hn_error *error)
{
    static const struct hn_json_limits limits = {FILE_LIMIT, DEPTH};
    struct comparison all = {0};
    struct hn_arena *scratch = hn_arena_create(4 * FILE_LIMIT);
    int status = scratch ? hn_fields_read_file(path, &limits, fields, &all, scratch, error)
                         : hn_error_nomem(error);
    *drift = (struct ci_drift){.given = status == HN_OK};
    for (size_t i = 0; !status && i < all.group_count; i++)
        if (take_group(&all, &all.groups[i], arena, drift))
            status = hn_error_nomem(error);
    hn_arena_destroy(scratch);
    return status;
}
