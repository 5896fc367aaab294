/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes one line of output per use, with fields separated by tabs: kind of use, identity, file,
 * line, flags. The reader counts equal lines. Some lines are not uses. `own` is a name that the
 * unit declares at file scope. `using` is the namespace of a using directive. `token` is a word
 * in the body of a macro of the backend. `argument` is a word in an argument of a macro of
 * PyTorch. `error` is a text that could not be parsed.
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
    struct uses_spots macros;   /* places at which the backend expands macros of PyTorch */
    struct hn_buffer id, flags; /* buffers for the line that is being written */
    FILE *out;
};

/* An instantiation is not an entity: returns the template it was made from. */
CXCursor uses_entity(CXCursor cursor);
/* Returns 1 if PyTorch's headers declare the entity. */
int uses_is_upstream(struct uses_walk *walk, CXCursor entity);

/* `at` is the place of the use, `entity` the used entity. */
void uses_emit(struct uses_walk *walk, const char *way, CXCursor at, CXCursor entity,
               const char *flags);
void uses_emit_text(struct uses_walk *walk, const char *way, CXCursor at, const char *space,
                    const char *name, const char *flags);

#endif
