/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The members of a struct as a table, used by one writer and one reader of JSON. To add a member,
 * add it to its struct and to the table. Used by the journal and by the readers of plans.
 */
#ifndef HN_JSON_FIELDS_H
#define HN_JSON_FIELDS_H

#include "arena.h"
#include "json_read.h"
#include "json_write.h"
#include "texts.h"

enum hn_field_kind {
    HN_FIELD_TEXT,   /* const char * */
    HN_FIELD_FLAG,   /* int: true or false */
    HN_FIELD_COUNT,  /* int, not negative */
    HN_FIELD_BYTES,  /* int64_t, not negative */
    HN_FIELD_NUMBER, /* double */
    HN_FIELD_WORD,   /* an enum, written as a word of `words` */
    HN_FIELD_VERDICT,
    HN_FIELD_SCHEMA, /* no member of the struct: the text must equal the word in `words` */
    HN_FIELD_TOTALS, /* size_t[HN_VERDICTS] */
    HN_FIELD_NOTE,   /* struct hn_note, written as an object with one member */
    HN_FIELD_OBJECT, /* `fields` of the same struct, in a nested object */
    /* a pointer to items, each of `size` bytes with `fields`. The number of items is a size_t at
     * `count`. If the only field has no key, an item is written as a plain value, not as an
     * object. */
    HN_FIELD_LIST,
};

struct hn_field {
    const char *key; /* NULL ends a table, except the table of a list of plain values */
    enum hn_field_kind kind;
    size_t offset;
    int always; /* written even if it is empty or zero */
    const struct hn_field *fields;
    size_t count, size;
    const char *const *words;
    int word_count;
};

/* HN_ALWAYS writes a member even if it is empty, and HN_MAYBE omits an empty member. HN_LIST has
 * items of type `item`. HN_END_OF_TABLE must be the last row of a table. */
/* clang-format off */
#define HN_ALWAYS(name, type, at) {.key = (name), .kind = (type), .offset = (at), .always = 1}
#define HN_MAYBE(name, type, at) {.key = (name), .kind = (type), .offset = (at)}
#define HN_WORD(name, at, list, needed)                                                            \
    {.key = (name), .kind = HN_FIELD_WORD, .offset = (at), .always = (needed), .words = (list),    \
     .word_count = sizeof(list) / sizeof *(list)}
#define HN_OBJECT(name, inner) {.key = (name), .kind = HN_FIELD_OBJECT, .fields = (inner)}
#define HN_LIST(name, list, number, inner, item, needed)                                           \
    {.key = (name), .kind = HN_FIELD_LIST, .offset = (list), .always = (needed), .fields = (inner),\
     .count = (number), .size = sizeof(item)}
#define HN_TEXTS(name, owner, member)                                                              \
    HN_LIST(name, offsetof(owner, member.items), offsetof(owner, member.count), hn_text_item,      \
            const char *, 0)
#define HN_END_OF_TABLE {.key = NULL}
/* clang-format on */
extern const struct hn_field hn_text_item[];

/* Writes the members of the struct at `base` into an open object. */
void hn_fields_write(struct hn_json_writer *writer, const struct hn_field *fields,
                     const void *base);

/* Memory for lists, and for texts that must outlive the document. `take` returns zeroed bytes or
 * NULL. */
struct hn_field_memory {
    void *(*take)(void *context, size_t size);
    void *context;
    int copies_texts;
};
/* Reads into a zeroed struct. The object may be untrusted: types, words and sizes are verified.
 * Missing texts become "". */
int hn_fields_read(const struct hn_json *object, const struct hn_field *fields, void *base,
                   const struct hn_field_memory *memory, struct hn_error *error);
/* Reads a whole file; lists and texts live in the arena. */
int hn_fields_read_file(const char *path, const struct hn_json_limits *limits,
                        const struct hn_field *fields, void *base, struct hn_arena *arena,
                        struct hn_error *error);

#endif
