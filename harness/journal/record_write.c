/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A record as a line of JSON: a walk over its table of fields. Called by journal_write.c.
 */
#include <string.h>

#include "record_fields.h"
#include "record_line.h"

static void write_value(struct hn_json_writer *writer, const struct hn_field *field,
                        const char *base);
static void write_fields(struct hn_json_writer *writer, const struct hn_field *fields,
                         const char *base);

static const void *list_items(const struct hn_field *field, const char *base, size_t *count)
{
    const void *items;
    memcpy(&items, base + field->offset, sizeof items);
    memcpy(count, base + field->count, sizeof *count);
    return items;
}

static int is_empty(const struct hn_field *field, const char *base)
{
    static const char zeros[sizeof(double)];
    const char *text;
    size_t count;
    switch (field->kind) {
    case HN_FIELD_TEXT:
        memcpy(&text, base + field->offset, sizeof text);
        return !text || !*text;
    case HN_FIELD_BYTES:
    case HN_FIELD_NUMBER:
        return memcmp(base + field->offset, zeros, sizeof(int64_t)) == 0;
    case HN_FIELD_LIST:
        list_items(field, base, &count);
        return count == 0;
    case HN_FIELD_OBJECT:
        for (const struct hn_field *inner = field->fields; inner->key; inner++)
            if (!is_empty(inner, base))
                return 0;
        return 1;
    default:
        return memcmp(base + field->offset, zeros, sizeof(int)) == 0;
    }
}

static void write_text(struct hn_json_writer *writer, const struct hn_field *field,
                       const char *base)
{
    const char *text;
    memcpy(&text, base + field->offset, sizeof text);
    hn_write_text(writer, field->key, text ? text : "");
}

static void write_number(struct hn_json_writer *writer, const struct hn_field *field,
                         const char *base)
{
    double value;
    memcpy(&value, base + field->offset, sizeof value);
    hn_write_number(writer, field->key, value);
}

static void write_bytes(struct hn_json_writer *writer, const struct hn_field *field,
                        const char *base)
{
    int64_t value;
    memcpy(&value, base + field->offset, sizeof value);
    hn_write_integer(writer, field->key, value);
}

static int int_at(const struct hn_field *field, const char *base)
{
    int value;
    memcpy(&value, base + field->offset, sizeof value);
    return value;
}

static void write_flag(struct hn_json_writer *writer, const struct hn_field *field,
                       const char *base)
{
    hn_write_boolean(writer, field->key, int_at(field, base));
}

static void write_count(struct hn_json_writer *writer, const struct hn_field *field,
                        const char *base)
{
    hn_write_integer(writer, field->key, int_at(field, base));
}

static void write_word(struct hn_json_writer *writer, const struct hn_field *field,
                       const char *base)
{
    hn_write_text(writer, field->key, field->words[int_at(field, base)]);
}

static void write_verdict(struct hn_json_writer *writer, const struct hn_field *field,
                          const char *base)
{
    hn_write_text(writer, field->key, hn_verdict_table[int_at(field, base)].name);
}

static void write_schema(struct hn_json_writer *writer, const struct hn_field *field,
                         const char *base)
{
    (void)base;
    hn_write_text(writer, field->key, field->words[0]);
}

static void write_totals(struct hn_json_writer *writer, const struct hn_field *field,
                         const char *base)
{
    size_t totals[HN_VERDICTS];
    memcpy(totals, base + field->offset, sizeof totals);
    hn_write_object(writer, field->key);
    for (int i = 0; i < HN_VERDICTS; i++)
        if (totals[i])
            hn_write_integer(writer, hn_verdict_table[i].name, (int64_t)totals[i]);
    hn_write_object_end(writer);
}

static void write_note(struct hn_json_writer *writer, const struct hn_field *field,
                       const char *base)
{
    struct hn_note note;
    memcpy(&note, base + field->offset, sizeof note);
    hn_write_object(writer, field->key);
    hn_write_text(writer, note.key, note.text);
    hn_write_object_end(writer);
}

static void write_object(struct hn_json_writer *writer, const struct hn_field *field,
                         const char *base)
{
    hn_write_object(writer, field->key);
    write_fields(writer, field->fields, base);
    hn_write_object_end(writer);
}

static void write_list(struct hn_json_writer *writer, const struct hn_field *field,
                       const char *base)
{
    size_t count;
    const char *items = list_items(field, base, &count);
    hn_write_array(writer, field->key);
    for (size_t i = 0; i < count; i++) {
        const char *item = items + i * field->size;
        if (hn_field_is_bare(field->fields)) {
            write_value(writer, field->fields, item);
            continue;
        }
        hn_write_object(writer, NULL);
        write_fields(writer, field->fields, item);
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
}

static void write_value(struct hn_json_writer *writer, const struct hn_field *field,
                        const char *base)
{
    static void (*const writers[])(struct hn_json_writer *writer, const struct hn_field *field,
                                   const char *base) = {
        [HN_FIELD_TEXT] = write_text,       [HN_FIELD_FLAG] = write_flag,
        [HN_FIELD_COUNT] = write_count,     [HN_FIELD_BYTES] = write_bytes,
        [HN_FIELD_NUMBER] = write_number,   [HN_FIELD_WORD] = write_word,
        [HN_FIELD_VERDICT] = write_verdict, [HN_FIELD_SCHEMA] = write_schema,
        [HN_FIELD_TOTALS] = write_totals,   [HN_FIELD_NOTE] = write_note,
        [HN_FIELD_OBJECT] = write_object,   [HN_FIELD_LIST] = write_list,
    };
    writers[field->kind](writer, field, base);
}

static void write_fields(struct hn_json_writer *writer, const struct hn_field *fields,
                         const char *base)
{
    for (const struct hn_field *field = fields; field->key; field++)
        if (field->always || !is_empty(field, base))
            write_value(writer, field, base);
}

int hn_record_write(const struct hn_record *record, struct hn_buffer *line)
{
    const struct hn_event_row *row = &hn_event_table[record->event];
    struct hn_json_writer writer;
    hn_write_begin(&writer, line, 0);
    hn_write_object(&writer, NULL);
    hn_write_text(&writer, "event", row->name);
    write_fields(&writer, row->fields, (const char *)record);
    hn_write_object_end(&writer);
    return hn_write_end(&writer);
}
