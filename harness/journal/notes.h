/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stores the notes of a check in a struct of fixed size, which can be copied.
 */
#ifndef HN_NOTES_H
#define HN_NOTES_H

#include <stddef.h>

#include "texts.h"

#define HN_NOTES_MOST 256
#define HN_NOTES_TEXT 8192

struct hn_notes { /* an all-zero struct has no notes */
    size_t count, used;
    char text[HN_NOTES_TEXT]; /* key and text alternate, each with its NUL */
};

/* Adds a note, or nothing if the whole note does not fit. */
void hn_notes_add(struct hn_notes *notes, const char *key, const char *text);
/* Lists all notes in order; the items live as long as `notes`. Returns their number. */
size_t hn_notes_list(const struct hn_notes *notes, struct hn_note *list);
/* Returns 1 if a note has this key. */
unsigned hn_notes_have(const struct hn_notes *notes, const char *key);

#endif
