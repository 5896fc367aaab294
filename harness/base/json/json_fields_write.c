/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a struct as an object of JSON, by its table of fields.
 */
#include "json_fields.h"
#include "verdict.h"

const struct hn_field hn_text_item[] = {HN_ALWAYS(NULL, HN_FIELD_TEXT, 0)};

static const void *list_items(const struct hn_field *field, const char *base, size_t *count)
{
    *count = *(const size_t *)(const void *)(base + field->count);
    return *(const void *const *)(const void *)(base + field->offset);
}

static int is_empty(const struct hn_field *field, const char *base)
{
    const void *at = base + field->offset;
    size_t count = 0;
    switch (field->kind) {
    case HN_FIELD_TEXT:
        return !*(const char *const *)at || !**(const char *const *)at;
    case HN_FIELD_BYTES:
        return *(const int64_t *)at == 0;
    case HN_FIELD_NUMBER:
        return !(*(const double *)at > 0);
    case HN_FIELD_LIST:
        list_items(field, base, &count);
        return count == 0;
    case HN_FIELD_OBJECT:
        for (const struct hn_field *inner = field->fields; inner->key; inner++)
            count += !is_empty(inner, base);
        return count == 0;
    default:
        return *(const int *)at == 0;
    }
}

static void write_totals(struct hn_json_writer *writer, const size_t *totals)
{
    for (int i = 0; i < HN_VERDICTS; i++)
        if (totals[i])
            hn_write_integer(writer, hn_verdict_table[i].name, (int64_t)totals[i]);
}

static void write_value(struct hn_json_writer *writer, const struct hn_field *field,
                        const char *base);

void hn_fields_write(struct hn_json_writer *writer, const struct hn_field *fields, const void *base)
{
    for (const struct hn_field *field = fields; field->key; field++)
        if (field->always || !is_empty(field, base))
            write_value(writer, field, base);
}

/* Writes the members of an object: of a note, of totals, or of fields. */
static void write_inside(struct hn_json_writer *writer, const struct hn_field *field,
                         const char *base)
{
    const void *at = base + field->offset;
    if (field->kind == HN_FIELD_NOTE)
        hn_write_text(writer, ((const struct hn_note *)at)->key,
                      ((const struct hn_note *)at)->text);
    else if (field->kind == HN_FIELD_TOTALS)
        write_totals(writer, at);
    else
        hn_fields_write(writer, field->fields, base);
}

static void write_list(struct hn_json_writer *writer, const struct hn_field *field,
                       const char *base)
{
    const struct hn_field item = {.kind = HN_FIELD_OBJECT, .fields = field->fields};
    size_t count;
    const char *items = list_items(field, base, &count);
    hn_write_array(writer, field->key);
    for (size_t i = 0; i < count; i++)
        write_value(writer, !field->fields->key ? field->fields : &item, items + i * field->size);
    hn_write_array_end(writer);
}

static void write_value(struct hn_json_writer *writer, const struct hn_field *field,
                        const char *base)
{
    const void *at = base + field->offset;
    const char *text;
    switch (field->kind) {
    case HN_FIELD_TEXT:
        text = *(const char *const *)at;
        hn_write_text(writer, field->key, text ? text : "");
        break;
    case HN_FIELD_FLAG:
        hn_write_boolean(writer, field->key, *(const int *)at);
        break;
    case HN_FIELD_COUNT:
        hn_write_integer(writer, field->key, *(const int *)at);
        break;
    case HN_FIELD_BYTES:
        hn_write_integer(writer, field->key, *(const int64_t *)at);
        break;
    case HN_FIELD_NUMBER:
        hn_write_number(writer, field->key, *(const double *)at);
        break;
    case HN_FIELD_WORD:
        hn_write_text(writer, field->key, field->words[*(const int *)at]);
        break;
    case HN_FIELD_VERDICT:
        hn_write_text(writer, field->key, hn_verdict_table[*(const int *)at].name);
        break;
    case HN_FIELD_SCHEMA:
        hn_write_text(writer, field->key, field->words[0]);
        break;
    case HN_FIELD_LIST:
        write_list(writer, field, base);
        break;
    default:
        hn_write_object(writer, field->key);
        write_inside(writer, field, base);
        hn_write_object_end(writer);
    }
}
