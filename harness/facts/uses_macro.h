/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the backend uses PyTorch's macros: what such a macro brings along is no use of the backend's.
 */
#ifndef DRIFT_USES_MACRO_H
#define DRIFT_USES_MACRO_H

#include <clang-c/Index.h>

struct uses_spot {
    unsigned long long file; /* the inode */
    unsigned offset;
};

struct uses_spots {
    struct uses_spot *found;
    size_t count, capacity;
    char **names; /* of own macros */
    size_t name_count, name_capacity;
    int sorted;
};

/* All are noted before the first is asked for: libclang tells macros first. */
void uses_spots_add(struct uses_spots *spots, CXCursor expansion);
/* A macro of the backend's own, by name. */
void uses_spots_add_own(struct uses_spots *spots, const char *name);
/* 1 when the cursor comes from an own macro: whether its words or those of a macro of PyTorch inside
 * it brought it, the reader tells by the words of the body. */
int uses_spots_is_own(struct uses_spots *spots, CXCursor cursor);
/* 1 when the text the cursor begins with is a macro's, not an argument that the backend wrote. */
int uses_spots_has(struct uses_spots *spots, CXCursor cursor);
void uses_spots_finish(struct uses_spots *spots);

#endif
