/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts a record to a line of JSON and back, by the table of its kind. Called by
 * journal_write.c and journal_read.c.
 */
#include "record_line.h"

#include <stdlib.h>
#include <string.h>

#include "record_fields.h"

int hn_record_write(const struct hn_record *record, struct hn_buffer *line)
{
    const struct hn_event_row *row = &hn_event_table[record->event];
    struct hn_json_writer writer;
    hn_write_begin(&writer, line, 0);
    hn_write_object(&writer, NULL);
    hn_write_text(&writer, "event", row->name);
    hn_fields_write(&writer, row->fields, record);
    hn_write_object_end(&writer);
    return hn_write_end(&writer);
}

static void *take_list(void *context, size_t size)
{
    struct hn_record_read *read = context;
    void *list = read->list_count < HN_RECORD_LISTS ? calloc(1, size) : NULL;
    if (list)
        read->lists[read->list_count++] = list;
    return list;
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
    const struct hn_field_memory memory = {.take = take_list, .context = read};
    memset(read, 0, sizeof *read);
    read->document = document;
    hn_json_root(document, &root);
    record->file = root.name;
    record->line = root.line;
    int status = find_event(&root, &record->event, error);
    if (status == HN_OK)
        status =
            hn_fields_read(&root, hn_event_table[record->event].fields, record, &memory, error);
    return status;
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
