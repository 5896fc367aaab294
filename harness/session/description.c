/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See description.h. The notes come from a process with foreign code in it: what is not understood
 * is left out.
 */
#include "description.h"

#include <stdlib.h>
#include <string.h>

#include "json_read.h"
#include "json_write.h"

#define MEMBERS_LIMIT ((size_t)64 << 10)

static const struct hn_json_limits limits = {.bytes = MEMBERS_LIMIT, .depth = 4};

struct reader {
    struct hn_arena *arena;
    struct hn_description *description;
    struct hn_json_writer writer;
};

/* Calls `take` with each word of the text. */
static void each_word(struct reader *reader, const char *text,
                      void (*take)(struct reader *reader, const char *word))
{
    while (*text) {
        const size_t length = strcspn(text, " ");
        const char *word = hn_arena_text(reader->arena, "%.*s", (int)length, text);
        if (word && *word)
            take(reader, word);
        text += length + (text[length] == ' ');
    }
}

static void write_number(struct reader *reader, const char *word)
{
    hn_write_integer(&reader->writer, NULL, strtol(word, NULL, 10));
}

static void write_word(struct reader *reader, const char *word)
{
    hn_write_text(&reader->writer, NULL, word);
}

static void add_claim(struct reader *reader, const char *word, enum hn_claim claim)
{
    struct hn_description *description = reader->description;
    description->claims[description->claim_count++] =
        (struct hn_plan_claim){word, claim, "adapter"};
}

static void take_yes(struct reader *reader, const char *word)
{
    write_word(reader, word);
    add_claim(reader, word, HN_CLAIM_YES);
}

static void take_no(struct reader *reader, const char *word)
{
    write_word(reader, word);
    add_claim(reader, word, HN_CLAIM_NO);
}

/* Notes of host/describe.h, and the member of the journal's record that each becomes. */
static const struct {
    const char *key, *member;
    void (*take)(struct reader *reader, const char *word); /* NULL: one text */
} rows[] = {
    {"device", "device", NULL},
    {"devices", "devices", write_number},
    {"adapter offers", "adapter_offers", write_word},
    {"adapter claims yes", "adapter_claims_yes", take_yes},
    {"adapter claims no", "adapter_claims_no", take_no},
};
#define ROWS (sizeof rows / sizeof *rows)

static void take_note(struct reader *reader, const struct hn_json *note, size_t row)
{
    const char *text = NULL;
    if (!hn_json_has(note, rows[row].key) ||
        hn_json_text(note, rows[row].key, &text, NULL) != HN_OK)
        return;
    if (!rows[row].take) {
        hn_write_text(&reader->writer, rows[row].member, text);
        return;
    }
    hn_write_array(&reader->writer, rows[row].member);
    each_word(reader, text, rows[row].take);
    hn_write_array_end(&reader->writer);
}

/* The first note of a kind counts: a check of the same process may note whatever it likes. */
static void take_notes(struct reader *reader, const struct hn_json *notes)
{
    struct hn_json note;
    for (size_t row = 0; row < ROWS; row++)
        for (size_t i = 0; i < hn_json_count(notes); i++) {
            hn_json_item(notes, i, &note);
            if (!hn_json_has(&note, rows[row].key))
                continue;
            take_note(reader, &note, row);
            break;
        }
}

int hn_description_read(const char *notes, struct hn_arena *arena,
                        struct hn_description *description, struct hn_error *error)
{
    struct hn_json_document *document = NULL;
    struct hn_json root;
    struct hn_buffer buffer;
    struct reader reader = {.arena = arena, .description = description};
    const char *text = hn_arena_text(arena, "[%s]", notes);
    *description = (struct hn_description){0};
    if (!text)
        return hn_error_nomem(error);
    /* No more words than characters. */
    description->claims = hn_arena_array(arena, strlen(text), sizeof *description->claims);
    if (!description->claims)
        return hn_error_nomem(error);
    int status = hn_json_parse(text, strlen(text), &limits, "notes", 0, &document, error);
    if (status != HN_OK)
        return status;
    hn_json_root(document, &root);
    hn_buffer_init(&buffer, MEMBERS_LIMIT);
    hn_write_begin(&reader.writer, &buffer, 0);
    hn_write_object(&reader.writer, NULL);
    take_notes(&reader, &root);
    hn_write_object_end(&reader.writer);
    status = hn_write_end(&reader.writer);
    if (status == HN_OK && buffer.length > 2) /* "{...}" becomes ",..." */
        description->members =
            hn_arena_text(arena, ",%.*s", (int)buffer.length - 2, buffer.text + 1);
    hn_buffer_finish(&buffer);
    hn_json_destroy(document);
    return status;
}
