/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts one record to one line of JSON and back. Only journal_write.c and journal_read.c may
 * use it.
 */
#ifndef HN_RECORD_LINE_H
#define HN_RECORD_LINE_H

#include "json_read.h"
#include "json_write.h"
#include "record.h"

/* Writes to an empty buffer, without a newline. */
int hn_record_write(const struct hn_record *record, struct hn_buffer *line);

#define HN_RECORD_LISTS 8

/* A record that was read, and the memory of its texts and lists. */
struct hn_record_read {
    struct hn_record record; /* must be the first member, because the pointer to it is cast back */
    struct hn_json_document *document;
    void *lists[HN_RECORD_LISTS];
    size_t list_count;
};

/* Takes ownership of `document`, also on failure. Returns HN_ENOTFOUND for an unknown kind of
 * record. */
int hn_record_read(struct hn_record_read *read, struct hn_json_document *document,
                   struct hn_error *error);
void hn_record_read_finish(struct hn_record_read *read);

#endif
