/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One line of output per use, fields separated by tabs: way, identity, file, line, flags. What is
 * the same is counted by the reader. Lines that are no uses: `own` names the unit has at file
 * scope, `using` namespaces it opened for all its names, `token` words in the body of its own macros,
 * `argument` words given to macros of PyTorch,
 * `error` what the parser could not read.
 */
#ifndef DRIFT_USES_EMIT_H
#define DRIFT_USES_EMIT_H

#include <clang-c/Index.h>
#include <stdio.h>

#include "buffer.h"
#include "uses_macro.h"
#include "uses_place.h"

struct uses_walk {
    struct uses_places places;
    struct uses_spots macros;   /* where the backend expands PyTorch's */
    struct hn_buffer id, flags; /* scratch of the line being written */
    FILE *out;
};

/* An instantiation is no entity: what it was made from is. */
CXCursor uses_entity(CXCursor cursor);
/* 1 when a declaration of the entity stands in PyTorch's headers. */
int uses_is_upstream(struct uses_walk *walk, CXCursor entity);

/* `at` is where the use stands, `entity` what is used. */
void uses_emit(struct uses_walk *walk, const char *way, CXCursor at, CXCursor entity,
               const char *flags);
void uses_emit_text(struct uses_walk *walk, const char *way, CXCursor at, const char *space,
                    const char *name, const char *flags);

#endif
