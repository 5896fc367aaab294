/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See anchor.h.
 */
#include "anchor.h"

#include <string.h>

static const char derived[] = "derived";

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " \n");
}

/* Returns 1 if the word has the extension of a file, or names a folder. */
static int is_file(const char *word, size_t length)
{
    static const char *const endings[] = {".h", ".hpp", ".py", ".pyi", ".yaml", ".so", "/"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t size = strlen(endings[i]);
        if (length > size && strncmp(word + length - size, endings[i], size) == 0)
            return 1;
    }
    return 0;
}

/* Parses FILE, FILE:NAME or NAME. */
static void take_word(const char *word, size_t length, struct hn_anchor_place *place)
{
    const char *colon = memchr(word, ':', length);
    const size_t file = colon ? (size_t)(colon - word) : length;
    *place = (struct hn_anchor_place){.file = word, .name = word};
    if (!is_file(word, file)) {
        place->name_length = length;
        return;
    }
    place->file_length = file;
    if (colon) {
        place->name = colon + 1;
        place->name_length = length - file - 1;
    }
}

const char *hn_anchor_next(const char *anchor, struct hn_anchor_place *place, int *right)
{
    const char *at = skip_spaces(anchor);
    size_t length = strcspn(at, " ;\n");
    if (length == strlen(derived) && strncmp(at, derived, length) == 0 &&
        !strchr(";", *skip_spaces(at + length))) { /* otherwise the word "derived" is alone */
        at = skip_spaces(at + length);
        length = strcspn(at, " ;\n");
    }
    if (length == strlen(derived) && strncmp(at, derived, length) == 0)
        *place = (struct hn_anchor_place){.file = at, .name = at};
    else
        take_word(at, length, place);
    at = skip_spaces(at + length);
    const char *const closed = *at == '(' ? strchr(at, ')') : NULL;
    at = skip_spaces(closed ? closed + 1 : at);
    *right = length > 0 && (!*at || *at == ';');
    at += strcspn(at, ";");
    return *at ? at + 1 : NULL;
}

int hn_anchor_is_right(const char *anchor)
{
    struct hn_anchor_place place;
    int right = 1;
    for (const char *rest = anchor; rest && right;)
        rest = hn_anchor_next(rest, &place, &right);
    return right;
}

/* Removes the folders before the usual name of a header. */
static void strip(const char **path, size_t *length)
{
    static const char *const folders[] = {"aten/src/", "torch/include/", "include/", "torch/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const size_t size = strlen(folders[i]);
        if (*length > size && strncmp(*path, folders[i], size) == 0) {
            *path += size;
            *length -= size;
        }
    }
}

static int is_same_file(const struct hn_anchor_place *a, const struct hn_anchor_place *b)
{
    const char *one = a->file, *other = b->file;
    size_t length = a->file_length, size = b->file_length;
    strip(&one, &length);
    strip(&other, &size);
    return length && length == size && strncmp(one, other, size) == 0;
}

/* The names are equal, or one contains the other. */
static int is_related(const struct hn_anchor_place *a, const struct hn_anchor_place *b)
{
    const struct hn_anchor_place *outer = a->name_length < b->name_length ? a : b;
    const struct hn_anchor_place *inner = outer == a ? b : a;
    const size_t length = outer->name_length;
    return strncmp(outer->name, inner->name, length) == 0 &&
           (!length || inner->name_length == length || strchr(":.", inner->name[length]));
}

int hn_anchor_names(const char *anchor, const char *what)
{
    struct hn_anchor_place wanted, place;
    int right;
    take_word(what, strlen(what), &wanted);
    for (const char *rest = anchor; rest;) {
        rest = hn_anchor_next(rest, &place, &right);
        if (is_same_file(&place, &wanted) && is_related(&place, &wanted))
            return 1;
    }
    return 0;
}
