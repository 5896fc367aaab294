/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See homes.h.
 */
#include "homes.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "anchor.h"
#include "file.h"

#define LARGEST (1u << 16)

struct hn_homes {
    char *text;
    struct hn_home *rows;
    size_t count;
};

static size_t count_lines(const char *text)
{
    size_t lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* The rows behind the line of titles. */
static int split(struct hn_homes *homes, const char *path, struct hn_error *error)
{
    char *rest = homes->text;

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
    size_t length;
    int status = hn_file_read(path, LARGEST, &homes->text, &length, error);

    if (status)
        return status;
    homes->rows = calloc(count_lines(homes->text) + 1, sizeof *homes->rows);
    return homes->rows ? split(homes, path, error)
                       : hn_error_set(error, HN_ESYSTEM, "out of memory");
}

int hn_homes_read(const char *folder, struct hn_homes **homes, struct hn_error *error)
{
    char path[HN_PATH_SIZE];
    int status = hn_path_join(path, sizeof path, folder, "suites/homes.tsv", error);

    *homes = NULL;
    if (status)
        return status;
    struct hn_homes *made = calloc(1, sizeof *made);
    if (!made)
        return hn_error_set(error, HN_ESYSTEM, "out of memory");
    if (hn_path_exists(path))
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
    if (!homes)
        return;
    free(homes->rows);
    free(homes->text);
    free(homes);
}
