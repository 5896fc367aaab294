/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One record as one line of JSON, both ways. Used by journal_write.c and journal_read.c alone.
 */
#ifndef HN_RECORD_LINE_H
#define HN_RECORD_LINE_H

#include "json_read.h"
#include "json_write.h"
#include "record.h"

/* Into a buffer that is empty, without a newline. */
int hn_record_write(const struct hn_record *record, struct hn_buffer *line);

#define HN_RECORD_LISTS 8

/* A record that was read, and what its texts and lists live in. */
struct hn_record_read {
    struct hn_record record; /* first, so that one address is both */
    struct hn_json_document *document;
    void *lists[HN_RECORD_LISTS];
    size_t list_count;
};

/* Takes `document`, also when it fails. HN_ENOTFOUND: of a kind that this program does not know. */
int hn_record_read(struct hn_record_read *read, struct hn_json_document *document,
                   struct hn_error *error);
void hn_record_read_finish(struct hn_record_read *read);

#endif
