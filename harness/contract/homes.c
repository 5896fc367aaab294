/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See homes.h.
 */
#include "homes.h"

#include <fnmatch.h>
#include <string.h>

#include "anchor.h"
#include "file.h"

#define LARGEST (1u << 16)
#define MEMORY ((size_t)4 << 20)

struct hn_homes {
    struct hn_arena *arena;
    struct hn_home *rows;
    size_t count;
};

/* Splits the rows after the line of titles. */
static int split(struct hn_homes *homes, char *rest, const char *path, struct hn_error *error)
{
    for (char *line = strsep(&rest, "\n"); rest && *rest;) {
        struct hn_home *row = &homes->rows[homes->count];
        line = strsep(&rest, "\n");
        row->file = strsep(&line, "\t");
        row->about = strsep(&line, "\t");
        row->why = strsep(&line, "\t");
        if (!row->why || line)
            return hn_error_set(error, HN_EINPUT, "%s:%zu: not three columns", path,
                                homes->count + 2);
        homes->count++;
    }
    return HN_OK;
}

static int read_rows(struct hn_homes *homes, const char *path, struct hn_error *error)
{
    char *text;
    size_t lines;
    const int status = hn_file_list(path, LARGEST, homes->arena, &text, &lines, error);
    if (status)
        return status;
    homes->rows = hn_arena_array(homes->arena, lines, sizeof *homes->rows);
    return homes->rows ? split(homes, text, path, error) : hn_error_nomem(error);
}

int hn_homes_read(const char *folder, struct hn_homes **homes, struct hn_error *error)
{
    char path[HN_PATH_SIZE];
    struct hn_arena *arena;
    struct hn_homes *made = hn_arena_owner(sizeof *made, MEMORY, &arena);
    *homes = NULL;
    if (!made)
        return hn_error_nomem(error);
    made->arena = arena;
    int status = hn_path_join(path, sizeof path, folder, "suites/homes.tsv", error);
    if (!status && hn_path_exists(path))
        status = read_rows(made, path, error);
    if (status)
        hn_homes_destroy(made);
    else
        *homes = made;
    return status;
}

const struct hn_home *hn_homes_find(const struct hn_homes *homes, const char *file)
{
    for (size_t i = 0; i < homes->count; i++)
        if (hn_anchor_names(homes->rows[i].file, file) || !fnmatch(homes->rows[i].file, file, 0))
            return &homes->rows[i];
    return NULL;
}

void hn_homes_destroy(struct hn_homes *homes)
{
    hn_arena_destroy(homes ? homes->arena : NULL);
}
