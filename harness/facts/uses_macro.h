/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Places where the backend expands macros of PyTorch: entities that such a macro uses are not
 * uses of the backend.
 */
#ifndef DRIFT_USES_MACRO_H
#define DRIFT_USES_MACRO_H

#include <clang-c/Index.h>

struct uses_spot {
    unsigned long long file; /* the inode of the file */
    unsigned offset;
};

struct uses_spots {
    struct uses_spot *found;
    size_t count, capacity;
    char **names; /* names of the backend's own macros */
    size_t name_count, name_capacity;
    int sorted;
};

/* All places must be added before the first query: libclang reports macros first. */
void uses_spots_add(struct uses_spots *spots, CXCursor expansion);
/* Adds a macro of the backend, by name. */
void uses_spots_add_own(struct uses_spots *spots, const char *name);
/* Returns 1 if the cursor comes from a macro of the backend. The cursor may also come from a macro
 * of PyTorch inside that macro; the reader of the output decides by the words of the body. */
int uses_spots_is_own(struct uses_spots *spots, CXCursor cursor);
/* Returns 1 if the text at the beginning of the cursor comes from a macro, and not from an argument
 * that the backend wrote. */
int uses_spots_has(struct uses_spots *spots, CXCursor cursor);
void uses_spots_finish(struct uses_spots *spots);

#endif
