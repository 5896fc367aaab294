/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Notes of a check, in a bounded place that can be copied as a whole.
 */
#ifndef HN_NOTES_H
#define HN_NOTES_H

#include <stddef.h>

#include "texts.h"

#define HN_NOTES_MOST 256
#define HN_NOTES_TEXT 8192

struct hn_notes { /* zeroed: none */
    size_t count, used;
    char text[HN_NOTES_TEXT]; /* key and text in turn, each with its NUL */
};

/* A note for which there is no room is left out whole. */
void hn_notes_add(struct hn_notes *notes, const char *key, const char *text);
/* All of them, in order, as long as `notes` lives; returns how many. */
size_t hn_notes_list(const struct hn_notes *notes, struct hn_note *list);
/* 1 if one has this key. */
unsigned hn_notes_have(const struct hn_notes *notes, const char *key);

#endif
