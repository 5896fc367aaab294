/* SPDX-License-Identifier: BSD-3-Clause
 *
 * JSON lines become runs of a history: all of a file or nothing. The lines may be anybody's. See
 * history.h.
 */
#include <stdlib.h>
#include <string.h>

#include "history_file.h"
#include "json_read.h"

#define DATE_MOST 64
#define SERIES_MOST 2048

struct importing {
    struct rp_history *history;
    struct rp_state_map says;
    char series[SERIES_MOST], date[DATE_MOST]; /* of the line before */
    int *added, *known;
};

/* Texts live as long as the line. */
static const struct hn_field_memory of_line = {0};

/* Kinds are ours; verdicts are words, also such as a later assay may have. */
static int expect_kind(const struct hn_json *change, const char *kind, struct hn_error *error)
{
    static const char *const kinds[] = {"check", "clause", "capability", "stage"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return HN_OK;
    return hn_json_complain(
        change, error, "has kind \"%.40s\": it must be check, clause, capability or stage", kind);
}

static int read_changes(struct importing *importing, const struct hn_json *root,
                        struct hn_error *error)
{
    struct hn_json changes, change;
    struct rp_fact fact;
    int status = hn_json_array(root, "changes", &changes, error);

    for (size_t i = 0; !status && i < hn_json_count(&changes); i++) {
        hn_json_item(&changes, i, &change);
        status = hn_fields_read(&change, rp_fact_fields, &fact, &of_line, error);
        if (!status)
            status = expect_kind(&change, fact.kind, error);
        if (!status)
            status = rp_record_say(importing->history, &fact, &importing->says, error);
    }
    return status;
}

/* A line holds what differs from the one that it stands behind: that one must be here. */
static int stand_behind(struct importing *importing, const struct hn_json *root,
                        const struct rp_night *night, struct hn_error *error)
{
    char series[SERIES_MOST];
    const char *after = NULL;
    int status = HN_OK;

    if (hn_json_has(root, "after"))
        status = hn_json_text(root, "after", &after, error);
    if (status)
        return status;
    if (strlen(night->date) >= DATE_MOST ||
        strlen(night->target) + strlen(night->release) + strlen(night->asked) + 4 > SERIES_MOST)
        return hn_json_complain(root, error, "has a name or a date that is too long");
    sqlite3_snprintf(SERIES_MOST, series, "%s\n%s\n%s", night->target, night->release,
                     night->asked);
    if (after && (strcmp(series, importing->series) != 0 || strcmp(after, importing->date) != 0))
        return hn_json_complain(root, error,
                                "stands behind the run of %.40s, which is not the line before: "
                                "export again",
                                after);
    if (!after)
        rp_map_finish(&importing->says);
    memcpy(importing->series, series, sizeof series);
    sqlite3_snprintf(DATE_MOST, importing->date, "%s", night->date);
    return HN_OK;
}

static int take_root(struct importing *importing, const struct hn_json *root,
                     struct hn_error *error)
{
    struct rp_night night = {0};
    const char *schema;
    int added = 0, status = hn_json_text(root, "schema", &schema, error);

    if (!status && strcmp(schema, RP_LINE_SCHEMA) != 0)
        return hn_json_complain(
            root, error, "is of schema \"%.60s\", and this assay reads " RP_LINE_SCHEMA, schema);
    if (!status)
        status = hn_fields_read(root, rp_night_fields, &night, &of_line, error);
    if (!status)
        status = stand_behind(importing, root, &night, error);
    if (!status)
        status = read_changes(importing, root, error);
    if (!status)
        status = rp_record_put(importing->history, &night, &importing->says, &added, error);
    *importing->added += added;
    *importing->known += !status && !added;
    return status;
}

static int take_line(struct importing *importing, const char *text, size_t length, const char *path,
                     int line, struct hn_error *error)
{
    static const struct hn_json_limits limits = {(size_t)64 << 20, 8};
    struct hn_json_document *document;
    struct hn_json root;
    int status = hn_json_parse(text, length, &limits, path, line, &document, error);

    if (status)
        return status;
    hn_json_root(document, &root);
    status = hn_json_must_be_object(&root, error);
    if (!status)
        status = take_root(importing, &root, error);
    hn_json_destroy(document);
    if (status && !error->file[0]) {
        const struct hn_error said = *error;
        return hn_error_at(error, said.code, path, line, 0, "%s", said.text);
    }
    return status;
}

static int take_lines(struct importing *importing, FILE *file, const char *path,
                      struct hn_error *error)
{
    char *text = NULL;
    size_t room = 0;
    int status = HN_OK, line = 0;

    for (ssize_t length; !status && (length = getline(&text, &room, file)) > 0;)
        status = take_line(importing, text, (size_t)length, path, ++line, error);
    if (!status && ferror(file))
        status = hn_error_errno(error, "cannot read %s", path);
    free(text);
    return status;
}

int rp_history_import(struct rp_history *history, const char *path, int *added, int *known,
                      struct hn_error *error)
{
    struct importing importing = {.history = history, .added = added, .known = known};
    FILE *file = fopen(path, "re");

    *added = *known = 0;
    if (!file)
        return hn_error_errno(error, "cannot read %s", path);
    int status = rp_record_run(history, RP_SQL_BEGIN, error);
    if (!status)
        status = rp_record_end(history, take_lines(&importing, file, path, error), error);
    if (status)
        *added = *known = 0;
    rp_map_finish(&importing.says);
    fclose(file);
    return status;
}
