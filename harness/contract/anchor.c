/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See anchor.h. An anchor is prose with paths in it: "include/c10/core/Allocator.h:allocate;
 * accelerator/memory.py empty_cache".
 */
#include "anchor.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static int is_path_byte(char byte)
{
    return isalnum((unsigned char)byte) || strchr("_./+-", byte) != NULL;
}

/* What stands in front of the name that everybody means. */
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

static int is_same(const char *word, size_t length, const char *file)
{
    size_t size = strlen(file);

    strip(&word, &length);
    strip(&file, &size);
    return length == size && strncmp(word, file, size) == 0;
}

int hn_anchor_names(const char *anchor, const char *file)
{
    while (*anchor) {
        size_t length = 0;
        while (anchor[length] && is_path_byte(anchor[length]))
            length++;
        if (length && *file && memchr(anchor, '.', length) && is_same(anchor, length, file))
            return 1;
        anchor += length ? length : 1;
    }
    return 0;
}
