/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads faults.tsv, the faults that checks may claim: name, layer, summary, violated requirements,
 * origin. The supervisor thus knows the names without loading a target.
 */
#include <stdlib.h>
#include <string.h>

#include "catalogue_internal.h"
#include "file.h"

#define COLUMNS 5

static int split(char *line, const char *columns[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++)
        if (!(columns[i] = strsep(&line, "\t")))
            return 0;
    return !line;
}

void hn_load_faults(struct hn_loader *loader, const char *file)
{
    struct hn_error error;
    const char *columns[COLUMNS];
    char *text, *line;
    size_t lines, count = 0;
    int number = 1;
    if (!file || !hn_path_exists(file))
        return;
    int status = hn_file_list(file, (size_t)4 << 20, loader->arena, &text, &lines, &error);
    struct hn_fault *faults = status ? NULL : hn_arena_array(loader->arena, lines, sizeof *faults);
    if (!status && !faults)
        status = hn_error_nomem(&error);
    if (status) {
        hn_findings_add_error(loader->findings, &error);
        return;
    }
    for (; (line = strsep(&text, "\n")); number++) {
        if (!*line)
            continue;
        if (split(line, columns))
            faults[count++] =
                (struct hn_fault){columns[0], columns[1], columns[2], columns[3], columns[4]};
        else
            hn_findings_add(loader->findings, file, number, 0,
                            "a fault has %d columns; build again", COLUMNS);
    }
    loader->catalogue->faults = faults;
    loader->catalogue->fault_count = count;
}
