/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See uses_macro.h. libclang places text from a macro's body at the macro's name, and text from
 * an argument where the argument was written, at any depth of nested macros.
 */
#include "uses_macro.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static struct uses_spot spot_of(CXCursor cursor)
{
    struct uses_spot spot = {0};
    CXFile file = NULL;
    CXFileUniqueID id;
    clang_getFileLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, &spot.offset);
    if (file && clang_getFileUniqueID(file, &id) == 0)
        spot.file = id.data[1];
    return spot;
}

/* Makes room for one more item at the end of an array; NULL if out of memory. */
static void *grow(void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    const size_t wanted = *capacity ? *capacity * 2 : 256;
    void *more = realloc(items, wanted * size);
    if (more)
        *capacity = wanted;
    return more;
}

void uses_spots_add(struct uses_spots *spots, CXCursor expansion)
{
    struct uses_spot *more =
        grow(spots->found, spots->count, &spots->capacity, sizeof *spots->found);
    if (!more)
        return;
    spots->found = more;
    spots->found[spots->count++] = spot_of(expansion);
    spots->sorted = 0;
}

void uses_spots_add_own(struct uses_spots *spots, const char *name)
{
    char **more =
        grow(spots->names, spots->name_count, &spots->name_capacity, sizeof *spots->names);
    if (!more)
        return;
    spots->names = more;
    spots->names[spots->name_count] = strdup(name);
    spots->name_count += spots->names[spots->name_count] != NULL;
    spots->sorted = 0;
}

static int compare(const void *one, const void *other)
{
    const struct uses_spot *a = one, *b = other;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static void sort(struct uses_spots *spots)
{
    if (!spots->sorted && spots->count)
        qsort(spots->found, spots->count, sizeof *spots->found, compare);
    if (!spots->sorted && spots->name_count)
        qsort(spots->names, spots->name_count, sizeof *spots->names, compare_names);
    spots->sorted = 1;
}

int uses_spots_has(struct uses_spots *spots, CXCursor cursor)
{
    const struct uses_spot spot = spot_of(cursor);
    sort(spots);
    return spots->count &&
           bsearch(&spot, spots->found, spots->count, sizeof *spots->found, compare) != NULL;
}

/* Gets the word in the file at the cursor. */
static size_t word_at(CXCursor cursor, char *word, size_t size)
{
    CXFile file = NULL;
    unsigned offset = 0;
    size_t length = 0, end = 0;
    clang_getFileLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, &offset);
    const char *text =
        file ? clang_getFileContents(clang_Cursor_getTranslationUnit(cursor), file, &end) : NULL;
    while (text && offset + length < end && length + 1 < size &&
           (isalnum((unsigned char)text[offset + length]) || text[offset + length] == '_')) {
        word[length] = text[offset + length];
        length++;
    }
    word[length] = '\0';
    return length;
}

int uses_spots_is_own(struct uses_spots *spots, CXCursor cursor)
{
    char word[128], *key = word;
    sort(spots);
    return spots->name_count && word_at(cursor, word, sizeof word) &&
           bsearch(&key, spots->names, spots->name_count, sizeof *spots->names, compare_names);
}

void uses_spots_finish(struct uses_spots *spots)
{
    for (size_t i = 0; i < spots->name_count; i++)
        free(spots->names[i]);
    free(spots->names);
    free(spots->found);
    *spots = (struct uses_spots){0};
}
