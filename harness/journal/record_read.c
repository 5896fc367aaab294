/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A line of JSON as a record: a walk over the table of fields of its kind. The file may come from
 * anywhere: types, words and sizes are checked here, once for all readers. Called by journal_read.c.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "record_fields.h"
#include "record_line.h"

struct place {
    struct hn_record_read *read;
    const struct hn_json *object; /* with the members that are read */
    char *base;                   /* of the struct that they go to */
    struct hn_error *error;
};

static int read_fields(const struct place *place, const struct hn_field *fields);

static int complain_word(const struct place *place, const char *key, const char *word)
{
    return hn_json_complain(place->object, place->error, "has an unknown %s \"%.40s\"", key, word);
}

/* A word of a table; -1 for one that is not in it. */
static int index_of(const struct hn_field *field, const char *word)
{
    enum hn_verdict verdict;
    if (field->kind == HN_FIELD_WORD)
        return hn_word_index(field->words, field->word_count, word);
    return hn_verdict_from_name(word, &verdict) == HN_OK ? (int)verdict : -1;
}

static int read_word(const struct place *place, const struct hn_field *field, int *index)
{
    const char *word;
    const int status = hn_json_text(place->object, field->key, &word, place->error);
    if (status != HN_OK)
        return status;
    *index = index_of(field, word);
    return *index < 0 ? complain_word(place, field->key, word) : HN_OK;
}

static int read_schema(const struct place *place, const struct hn_field *field)
{
    const char *schema;
    const int status = hn_json_text(place->object, field->key, &schema, place->error);
    if (status == HN_OK && strcmp(schema, field->words[0]) != 0)
        return hn_json_complain(place->object, place->error,
                                "is of schema \"%.40s\"; this program reads %s", schema,
                                field->words[0]);
    return status;
}

static int read_count(const struct place *place, const char *key, int *count)
{
    int64_t value = 0;
    const int status = hn_json_integer(place->object, key, 0, INT_MAX, &value, place->error);
    *count = (int)value;
    return status;
}

static int read_totals(const struct place *place, size_t *totals)
{
    int status = HN_OK;
    for (int i = 0, count = 0; status == HN_OK && i < HN_VERDICTS; i++, count = 0) {
        if (hn_json_has(place->object, hn_verdict_table[i].name))
            status = read_count(place, hn_verdict_table[i].name, &count);
        totals[i] = (size_t)count;
    }
    return status;
}

static int read_object(const struct place *place, const struct hn_field *field)
{
    struct hn_json object;
    const struct place inside = {place->read, &object, place->base, place->error};
    const int status = hn_json_object(place->object, field->key, &object, place->error);
    if (status != HN_OK)
        return status;
    if (field->kind == HN_FIELD_TOTALS)
        return read_totals(&inside, (void *)(place->base + field->offset));
    return read_fields(&inside, field->fields);
}

/* ---- lists */

static int read_note(const struct place *place)
{
    struct hn_json member;
    struct hn_note note;
    void *at = NULL;
    int status = hn_json_must_be_object(place->object, place->error);
    if (status == HN_OK && !hn_json_member(place->object, &at, &member))
        status = hn_json_complain(place->object, place->error, "is a note of nothing");
    if (status == HN_OK)
        status = hn_json_as_text(&member, &note.text, place->error);
    if (status != HN_OK)
        return status;
    note.key = member.key;
    memcpy(place->base, &note, sizeof note);
    return HN_OK;
}

static int read_bare(const struct place *place, enum hn_field_kind kind)
{
    int64_t number = 0;
    if (kind == HN_FIELD_NOTE)
        return read_note(place);
    if (kind == HN_FIELD_TEXT)
        return hn_json_as_text(place->object, (void *)place->base, place->error);
    const int status = hn_json_as_integer(place->object, 0, INT_MAX, &number, place->error);
    *(int *)(void *)place->base = (int)number;
    return status;
}

static int read_items(const struct place *place, const struct hn_field *field,
                      const struct hn_json *array, char *items)
{
    int status = HN_OK;
    for (size_t i = 0; status == HN_OK && i < hn_json_count(array); i++) {
        struct hn_json item;
        const struct place inside = {place->read, &item, items + i * field->size, place->error};
        hn_json_item(array, i, &item);
        status = hn_field_is_bare(field->fields) ? read_bare(&inside, field->fields->kind)
                                                 : read_fields(&inside, field->fields);
    }
    return status;
}

static int read_list(const struct place *place, const struct hn_field *field)
{
    struct hn_json array;
    const int status = hn_json_array(place->object, field->key, &array, place->error);
    if (status != HN_OK)
        return status;
    const size_t count = hn_json_count(&array);
    void *items = calloc(count + 1, field->size);
    if (!items)
        return hn_error_nomem(place->error);
    place->read->lists[place->read->list_count++] = items;
    memcpy(place->base + field->offset, &items, sizeof items);
    memcpy(place->base + field->count, &count, sizeof count);
    return read_items(place, field, &array, items);
}

/* ---- all of it */

static int read_value(const struct place *place, const struct hn_field *field)
{
    void *at = place->base + field->offset;
    switch (field->kind) {
    case HN_FIELD_TEXT:
        return hn_json_text(place->object, field->key, at, place->error);
    case HN_FIELD_FLAG:
        return hn_json_boolean(place->object, field->key, at, place->error);
    case HN_FIELD_COUNT:
        return read_count(place, field->key, at);
    case HN_FIELD_BYTES:
        return hn_json_integer(place->object, field->key, 0, INT64_MAX, at, place->error);
    case HN_FIELD_NUMBER:
        return hn_json_number(place->object, field->key, at, place->error);
    case HN_FIELD_WORD:
    case HN_FIELD_VERDICT:
        return read_word(place, field, at);
    case HN_FIELD_SCHEMA:
        return read_schema(place, field);
    case HN_FIELD_LIST:
        return read_list(place, field);
    default:
        return read_object(place, field);
    }
}

/* Texts of what is not there. */
static void clear_texts(const struct hn_field *fields, char *base)
{
    static const char *const nothing = "";
    for (const struct hn_field *field = fields; field->key; field++)
        if (field->kind == HN_FIELD_TEXT)
            memcpy(base + field->offset, &nothing, sizeof nothing);
        else if (field->kind == HN_FIELD_OBJECT)
            clear_texts(field->fields, base);
}

static int read_fields(const struct place *place, const struct hn_field *fields)
{
    int status = hn_json_must_be_object(place->object, place->error);
    clear_texts(fields, place->base);
    for (const struct hn_field *field = fields; status == HN_OK && field->key; field++)
        if (field->always || hn_json_has(place->object, field->key))
            status = read_value(place, field);
    return status;
}

static int find_event(const struct hn_json *root, enum hn_event *event, struct hn_error *error)
{
    const char *name;
    int status = hn_json_must_be_object(root, error);
    if (status == HN_OK)
        status = hn_json_text(root, "event", &name, error);
    if (status != HN_OK)
        return status;
    for (int i = 0; i < HN_EVENTS; i++)
        if (strcmp(hn_event_table[i].name, name) == 0) {
            *event = (enum hn_event)i;
            return HN_OK;
        }
    return HN_ENOTFOUND;
}

int hn_record_read(struct hn_record_read *read, struct hn_json_document *document,
                   struct hn_error *error)
{
    struct hn_json root;
    struct hn_record *record = &read->record;
    const struct place place = {read, &root, (char *)record, error};
    memset(read, 0, sizeof *read);
    read->document = document;
    hn_json_root(document, &root);
    record->file = root.name;
    record->line = root.line;
    int status = find_event(&root, &record->event, error);
    return status == HN_OK ? read_fields(&place, hn_event_table[record->event].fields) : status;
}

void hn_record_read_finish(struct hn_record_read *read)
{
    for (size_t i = 0; i < read->list_count; i++)
        free(read->lists[i]);
    hn_json_destroy(read->document);
    memset(read, 0, sizeof *read);
}

int hn_record_complain(const struct hn_record *record, struct hn_error *error, const char *format,
                       ...)
{
    va_list arguments;
    va_start(arguments, format);
    hn_error_vat(error, HN_EINPUT, record->file, record->line, 0, format, arguments);
    va_end(arguments);
    return HN_EINPUT;
}
