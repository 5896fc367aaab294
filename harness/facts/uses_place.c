/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See uses_place.h. If a file is inside roots of both sides, the longer root decides, because a
 * virtual environment may be inside the backend's tree.
 */
#include "uses_place.h"

#include <string.h>

int uses_roots_add(struct uses_roots *roots, const char *path)
{
    if (roots->count == USES_ROOTS_MAX)
        return 0;
    roots->paths[roots->count++] = path;
    return 1;
}

/* Returns the length of the longest root that contains the path, 0 if there is none. */
static size_t root_of(const struct uses_roots *roots, const char *path)
{
    size_t longest = 0;
    for (int i = 0; i < roots->count; i++) {
        const size_t length = strlen(roots->paths[i]);
        if (length > longest && strncmp(path, roots->paths[i], length) == 0 &&
            (path[length] == '/' || !path[length]))
            longest = length;
    }
    return longest;
}

static enum uses_owner owner_of_path(const struct uses_places *places, const char *path)
{
    const size_t upstream = root_of(&places->upstream, path), own = root_of(&places->own, path);
    if (!upstream && !own)
        return USES_FOREIGN;
    return upstream >= own ? USES_UPSTREAM : USES_OWN;
}

enum uses_owner uses_owner_of_file(struct uses_places *places, CXFile file)
{
    if (!file)
        return USES_FOREIGN;
    if (places->last && clang_File_isEqual(file, places->last))
        return places->last_owner;
    CXString real = clang_File_tryGetRealPathName(file), given = clang_getFileName(file);
    const char *path = clang_getCString(real);
    if (!path || !*path)
        path = clang_getCString(given);
    places->last = file;
    places->last_owner = path ? owner_of_path(places, path) : USES_FOREIGN;
    clang_disposeString(real);
    clang_disposeString(given);
    return places->last_owner;
}

enum uses_owner uses_owner_of(struct uses_places *places, CXCursor cursor)
{
    CXFile file = NULL;
    clang_getFileLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    return uses_owner_of_file(places, file);
}

const char *uses_header_name(const struct uses_places *places, const char *path)
{
    const size_t root = root_of(&places->upstream, path);
    return root ? path + root + 1 : NULL;
}
