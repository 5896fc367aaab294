/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The members of every kind of record, as a table that the writer and the reader both walk: a member
 * is added to its struct in record.h and here, and nowhere else.
 */
#ifndef HN_RECORD_FIELDS_H
#define HN_RECORD_FIELDS_H

#include "journal.h"

enum hn_field_kind {
    HN_FIELD_TEXT,   /* const char * */
    HN_FIELD_FLAG,   /* int: true or false */
    HN_FIELD_COUNT,  /* int, not negative */
    HN_FIELD_BYTES,  /* int64_t, not negative */
    HN_FIELD_NUMBER, /* double */
    HN_FIELD_WORD,   /* an enum, as a word of `words` */
    HN_FIELD_VERDICT,
    HN_FIELD_SCHEMA, /* no member: `words` is the only text there may be */
    HN_FIELD_TOTALS, /* size_t[HN_VERDICTS] */
    HN_FIELD_NOTE,   /* struct hn_note, as an object of one member */
    HN_FIELD_OBJECT, /* `fields` of the same struct, in an object of their own */
    HN_FIELD_LIST, /* a pointer, and a size_t at `count`: items of `size` bytes with `fields`. When
                        the only one has no key, an item is its value, and no object. */
};

struct hn_field {
    const char *key; /* NULL ends a table, but for that of a list of values */
    enum hn_field_kind kind;
    size_t offset;
    int always; /* there whatever its value; else it is left out when empty or zero */
    const struct hn_field *fields;
    size_t count, size;
    const char *const *words;
    int word_count;
};

struct hn_event_row {
    const char *name;
    const struct hn_field *fields;
};
extern const struct hn_event_row hn_event_table[HN_EVENTS];

/* 1 for the one field of a list of values. */
static inline int hn_field_is_bare(const struct hn_field *fields)
{
    return fields->key == NULL;
}

#endif
