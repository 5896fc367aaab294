/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See text_left.h. Jobs report changed state as notes, with the keys in
 * harness/host/host_callbacks.h; the supervisor reports memory (harness/run/judge.c).
 */
#include "text_left.h"

#include <string.h>

#include "terminal.h"

static const struct {
    const char *key, *member, *title;
} kinds[] = {
    {"left changed: ", "left_changed", "left changed by a check that passed"},
    {"left memory: ", "left_memory", "shared memory that outlived the last process of a check"},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* The text of the note after its key; NULL if it has another key. */
static const char *said(const char *note, const char *key)
{
    const size_t length = strlen(key);
    return strncmp(note, key, length) == 0 ? note + length : NULL;
}

static void print_note(struct hn_buffer *out, const char *check, const char *text)
{
    hn_terminal_put(out, "  ", check, "\n      ");
    hn_terminal_put(out, "", text, "\n");
}

static void print_kind(struct hn_buffer *out, const struct rp_run *run, size_t kind)
{
    size_t count = 0;
    for (size_t i = 0; i < run->check_count; i++) {
        const struct rp_check *check = &run->checks[i];
        for (size_t k = 0; k < check->notes.count; k++) {
            const char *text = said(check->notes.items[k], kinds[kind].key);
            if (text && !count++)
                hn_buffer_printf(out, "\n%s\n", kinds[kind].title);
            if (text)
                print_note(out, check->id, text);
        }
    }
}

void rp_print_left(struct hn_buffer *out, const struct rp_run *run)
{
    for (size_t kind = 0; kind < KINDS; kind++)
        print_kind(out, run, kind);
}

static void write_kind(struct hn_json_writer *writer, const struct rp_check *check, size_t kind)
{
    size_t count = 0;
    for (size_t i = 0; i < check->notes.count; i++) {
        const char *text = said(check->notes.items[i], kinds[kind].key);
        if (text && !count++)
            hn_write_array(writer, kinds[kind].member);
        if (text)
            hn_write_text(writer, NULL, text);
    }
    if (count)
        hn_write_array_end(writer);
}

void rp_json_left(struct hn_json_writer *writer, const struct rp_check *check)
{
    for (size_t kind = 0; kind < KINDS; kind++)
        write_kind(writer, check, kind);
}
