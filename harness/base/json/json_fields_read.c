/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads an object of JSON into a struct, by its table of fields.
 */
#include <limits.h>
#include <string.h>

#include "json_fields.h"
#include "level.h"
#include "verdict.h"

struct place {
    const struct hn_field_memory *memory;
    const struct hn_json *object; /* the object whose members are read */
    char *base;                   /* the struct that receives their values */
    struct hn_error *error;
};

static int read_fields(const struct place *place, const struct hn_field *fields);

static int complain_word(const struct place *place, const char *key, const char *word)
{
    return hn_json_complain(place->object, place->error, "has an unknown %s \"%.40s\"", key, word);
}

/* Returns the index of a word in the words of the field; -1 if the field does not have the word. */
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
    const struct place inside = {place->memory, &object, place->base, place->error};
    const int status = hn_json_object(place->object, field->key, &object, place->error);
    if (status != HN_OK)
        return status;
    if (field->kind == HN_FIELD_TOTALS)
        return read_totals(&inside, (void *)(place->base + field->offset));
    return read_fields(&inside, field->fields);
}

/* ---- lists */

static int keep_text(const struct place *place, int status, const char **text)
{
    if (status != HN_OK || !place->memory->copies_texts)
        return status;
    const size_t size = strlen(*text) + 1;
    char *copy = size > 1 ? place->memory->take(place->memory->context, size) : NULL;
    if (size > 1 && !copy)
        return hn_error_nomem(place->error);
    *text = copy ? memcpy(copy, *text, size) : "";
    return HN_OK;
}

static int read_note(const struct place *place)
{
    struct hn_json member;
    struct hn_note note;
    void *at = NULL;
    int status = hn_json_must_be_object(place->object, place->error);
    if (status == HN_OK && !hn_json_member(place->object, &at, &member))
        status = hn_json_complain(place->object, place->error, "is an empty note");
    if (status == HN_OK)
        status = hn_json_as_text(&member, &note.text, place->error);
    status = keep_text(place, status, &note.text);
    if (status != HN_OK)
        return status;
    note.key = member.key;
    status = keep_text(place, status, &note.key);
    memcpy(place->base, &note, sizeof note);
    return status;
}

static int read_bare(const struct place *place, enum hn_field_kind kind)
{
    int64_t number = 0;
    if (kind == HN_FIELD_NOTE)
        return read_note(place);
    if (kind == HN_FIELD_TEXT)
        return keep_text(place, hn_json_as_text(place->object, (void *)place->base, place->error),
                         (void *)place->base);
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
        const struct place inside = {place->memory, &item, items + i * field->size, place->error};
        hn_json_item(array, i, &item);
        status = !field->fields->key ? read_bare(&inside, field->fields->kind)
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
    void *items = place->memory->take(place->memory->context, (count + 1) * field->size);
    if (!items)
        return hn_error_nomem(place->error);
    memcpy(place->base + field->offset, &items, sizeof items);
    memcpy(place->base + field->count, &count, sizeof count);
    return read_items(place, field, &array, items);
}

/* ---- values */

static int read_value(const struct place *place, const struct hn_field *field)
{
    void *at = place->base + field->offset;
    switch (field->kind) {
    case HN_FIELD_TEXT:
        return keep_text(place, hn_json_text(place->object, field->key, at, place->error), at);
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

/* Sets missing texts to "". */
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

int hn_fields_read(const struct hn_json *object, const struct hn_field *fields, void *base,
                   const struct hn_field_memory *memory, struct hn_error *error)
{
    return read_fields(&(struct place){memory, object, base, error}, fields);
}

static void *take_from_arena(void *arena, size_t size)
{
    return hn_arena_alloc(arena, size);
}

int hn_fields_read_file(const char *path, const struct hn_json_limits *limits,
                        const struct hn_field *fields, void *base, struct hn_arena *arena,
                        struct hn_error *error)
{
    const struct hn_field_memory memory = {take_from_arena, arena, 1};
    struct hn_json_document *document = NULL;
    struct hn_json root;
    int status = hn_json_read(path, limits, &document, error);
    if (status == HN_OK) {
        hn_json_root(document, &root);
        status = hn_fields_read(&root, fields, base, &memory, error);
    }
    hn_json_destroy(document);
    return status;
}
