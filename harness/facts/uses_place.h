/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the owner of a file: PyTorch, the backend, or a third party.
 */
#ifndef DRIFT_USES_PLACE_H
#define DRIFT_USES_PLACE_H

#include <clang-c/Index.h>

#define USES_ROOTS_MAX 32

enum uses_owner { USES_FOREIGN, USES_UPSTREAM, USES_OWN };

struct uses_roots {
    const char *paths[USES_ROOTS_MAX]; /* real paths without a slash at the end */
    int count;
};

struct uses_places {
    struct uses_roots upstream, own;
    CXFile last; /* cache, because most cursors are in the file of the previous cursor */
    enum uses_owner last_owner;
};

/* Returns 0 if there is no room. */
int uses_roots_add(struct uses_roots *roots, const char *path);
enum uses_owner uses_owner_of_file(struct uses_places *places, CXFile file);
/* The owner of the file that contains the cursor's name, or of the macro that the cursor comes
 * from. */
enum uses_owner uses_owner_of(struct uses_places *places, CXCursor cursor);
/* The path of a file of PyTorch relative to its include folder; a pointer into `path`, or NULL. */
const char *uses_header_name(const struct uses_places *places, const char *path);

#endif
