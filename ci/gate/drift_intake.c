/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See drift_intake.h. Called by gate_input.c of the command.
 */
#include "drift_intake.h"

#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "file.h"
#include "json_read.h"

#define FILE_LIMIT ((size_t)64 << 20)
#define DEPTH 8
#define TITLE_SIZE 200
#define ADVICE_SIZE 300
#define NAMES_SIZE 200

struct reader {
    struct hn_json root, groups, entries, backends;
    struct hn_arena *arena;
    struct ci_drift *drift;
    struct hn_error *error;
};

static int is_breaking(const char *rank)
{
    return strcmp(rank, "break") == 0;
}

/* Members of this group that break the backend. */
static int backend_is_hit(struct reader *reader, const struct hn_json *backend, const char *group,
                          int *hit)
{
    struct hn_json entries, entry;
    const char *of = "", *verdict = "";
    int status = hn_json_array(backend, "entries", &entries, reader->error);

    *hit = 0;
    for (size_t i = 0; !status && !*hit && i < hn_json_count(&entries); i++) {
        hn_json_item(&entries, i, &entry);
        status = hn_json_text(&entry, "group", &of, reader->error);
        if (!status)
            status = hn_json_text(&entry, "verdict", &verdict, reader->error);
        *hit = !status && strcmp(of, group) == 0 && strcmp(verdict, "breaks") == 0;
    }
    return status;
}

/* "openreg, fakedev": the backends that the group breaks; empty when there is none. */
static int name_backends(struct reader *reader, const char *group, struct hn_buffer *names)
{
    struct hn_json backend;
    const char *name = "";
    int status = HN_OK, hit = 0;

    for (size_t i = 0; !status && i < hn_json_count(&reader->backends); i++) {
        hn_json_item(&reader->backends, i, &backend);
        status = hn_json_text(&backend, "name", &name, reader->error);
        if (!status)
            status = backend_is_hit(reader, &backend, group, &hit);
        if (status || !hit)
            continue;
        hn_buffer_puts(names, names->length ? ", " : "");
        ci_clean(names, name, 60);
    }
    return status;
}

/* The advice of the group's first member: entries stand in the order of what matters. */
static int find_advice(struct reader *reader, const char *group, const char **advice)
{
    struct hn_json entry;
    const char *of = "";
    int status = HN_OK;

    *advice = "";
    for (size_t i = 0; !status && i < hn_json_count(&reader->entries); i++) {
        hn_json_item(&reader->entries, i, &entry);
        status = hn_json_text(&entry, "group", &of, reader->error);
        if (!status && strcmp(of, group) == 0)
            return hn_json_text(&entry, "advice", advice, reader->error);
    }
    return status;
}

static int add_item(struct reader *reader, const char *id, const char *title, const char *names)
{
    const char *advice = "";
    const int status = find_advice(reader, id, &advice);

    if (status || reader->drift->count++ >= CI_DRIFT_SHOWN)
        return status;
    struct ci_drift_item *item = &reader->drift->items[reader->drift->count - 1];
    item->title = ci_clean_copy(reader->arena, title, TITLE_SIZE);
    item->advice = ci_clean_copy(reader->arena, advice, ADVICE_SIZE);
    item->backends = ci_clean_copy(reader->arena, names, NAMES_SIZE);
    return item->title && item->advice && item->backends ? HN_OK : hn_error_nomem(reader->error);
}

static int read_group(struct reader *reader, const struct hn_json *group)
{
    const char *id = "", *title = "", *rank = "";
    int internal = 0;
    struct hn_buffer names;
    int status = hn_json_text(group, "id", &id, reader->error);

    if (!status)
        status = hn_json_text(group, "title", &title, reader->error);
    if (!status)
        status = hn_json_text(group, "rank", &rank, reader->error);
    if (!status)
        status = hn_json_boolean(group, "internal", &internal, reader->error);
    if (status)
        return status;
    hn_buffer_init(&names, 4 * NAMES_SIZE);
    const int crossed = hn_json_count(&reader->backends) > 0;
    if (crossed)
        status = name_backends(reader, id, &names);
    if (!status && (crossed ? names.length > 0 : !internal && is_breaking(rank)))
        status = add_item(reader, id, title, names.text);
    hn_buffer_finish(&names);
    return status;
}

static int read_document(struct reader *reader)
{
    const char *schema = "";
    struct hn_json group;
    int status = hn_json_text(&reader->root, "schema", &schema, reader->error);

    if (!status && strcmp(schema, "assay/drift/1") != 0)
        return hn_json_complain(&reader->root, reader->error,
                                "is not a comparison of two versions of PyTorch, as assay drift "
                                "--format json writes it");
    if (!status)
        status = hn_json_array(&reader->root, "groups", &reader->groups, reader->error);
    if (!status)
        status = hn_json_array(&reader->root, "entries", &reader->entries, reader->error);
    if (!status)
        status = hn_json_array(&reader->root, "backends", &reader->backends, reader->error);
    for (size_t i = 0; !status && i < hn_json_count(&reader->groups); i++) {
        hn_json_item(&reader->groups, i, &group);
        status = read_group(reader, &group);
    }
    return status;
}

int ci_drift_read(const char *path, struct hn_arena *arena, struct ci_drift *drift,
                  struct hn_error *error)
{
    static const struct hn_json_limits limits = {FILE_LIMIT, DEPTH};
    struct reader reader = {.arena = arena, .drift = drift, .error = error};
    struct hn_json_document *document = NULL;
    char *text = NULL;
    size_t length = 0;
    int status = hn_file_read(path, FILE_LIMIT, &text, &length, error);

    if (status)
        return status;
    *drift = (struct ci_drift){.given = 1};
    status = hn_json_parse(text, length, &limits, path, 0, &document, error);
    if (!status) {
        hn_json_root(document, &reader.root);
        status = read_document(&reader);
    }
    hn_json_destroy(document);
    free(text);
    return status;
}
