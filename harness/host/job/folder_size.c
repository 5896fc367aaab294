/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums the blocks of the files of a folder, not their sizes, because the size of a sparse file
 * includes holes, which use no disk.
 */
#include "folder_size.h"

#include <fts.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define ENTRIES 10000

int64_t hn_folder_size(const char *path)
{
    char *const roots[] = {(char *)(uintptr_t)path, NULL};
    int64_t bytes = 0;
    FTS *walk = fts_open(roots, FTS_PHYSICAL, NULL);
    if (!walk)
        return 0;
    /* Changes the working directory while it walks, and restores it: a path may be longer than
     * PATH_MAX. */
    int left = ENTRIES;
    for (FTSENT *entry; left > 0 && (entry = fts_read(walk)); left--)
        if (entry->fts_info == FTS_F)
            bytes += (int64_t)entry->fts_statp->st_blocks * 512;
    fts_close(walk);
    return bytes;
}
