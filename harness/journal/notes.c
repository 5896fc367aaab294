/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See notes.h. Called by the code that reads the evidence of a job.
 */
#include "notes.h"

#include <string.h>

void hn_notes_add(struct hn_notes *notes, const char *key, const char *text)
{
    const size_t key_size = strlen(key) + 1, text_size = strlen(text) + 1;
    char *place = notes->text + notes->used;
    if (notes->count == HN_NOTES_MOST || key_size > sizeof notes->text - notes->used ||
        text_size > sizeof notes->text - notes->used - key_size)
        return;
    memcpy(place, key, key_size);
    memcpy(place + key_size, text, text_size);
    notes->used += key_size + text_size;
    notes->count++;
}

size_t hn_notes_list(const struct hn_notes *notes, struct hn_note *list)
{
    const char *at = notes->text;
    for (size_t i = 0; i < notes->count; i++) {
        list[i].key = at;
        list[i].text = at + strlen(at) + 1;
        at = list[i].text + strlen(list[i].text) + 1;
    }
    return notes->count;
}

unsigned hn_notes_have(const struct hn_notes *notes, const char *key)
{
    struct hn_note list[HN_NOTES_MOST];
    const size_t count = hn_notes_list(notes, list);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].key, key) == 0)
            return 1;
    return 0;
}
