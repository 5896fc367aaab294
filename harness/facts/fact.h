/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Facts of C++: one line of JSON each. walk.c decides which entities are facts, and the fact_*.c
 * files write them.
 */
#ifndef DRIFT_FACT_H
#define DRIFT_FACT_H

#include <stdio.h>

#include "json_write.h"
#include "seen.h"
#include "tree.h"

struct drift_facts {
    struct drift_tree tree;
    struct drift_seen seen; /* ids and headers that were already written */
    struct hn_buffer line, text, id, spelling;
    struct hn_json_writer json;
    int shallow; /* write only the types of the current function */
    FILE *out;
};

/* Starts the line with id, kind and place; returns 0 if the cursor has no id, or the id was already
 * written. */
int drift_fact_begin(struct drift_facts *facts, CXCursor cursor, const char *space,
                     const char *kind, const struct drift_place *place);
void drift_fact_end(struct drift_facts *facts);
/* A flag is written only if it is true, and a text is written only if it is not empty. */
void drift_fact_flag(struct drift_facts *facts, const char *key, int holds);
void drift_fact_string(struct drift_facts *facts, const char *key, CXString text);
void drift_fact_type(struct drift_facts *facts, const char *key, CXType type);
/* Writes the type as in the source, and under "canonical" without aliases if that is different. */
void drift_fact_named_type(struct drift_facts *facts, const char *key, CXType type);
void drift_fact_access(struct drift_facts *facts, CXCursor cursor);
/* Writes whether the entity is deprecated, and whether its own attribute exports it. */
void drift_fact_marks(struct drift_facts *facts, CXCursor cursor);

/* Writes the parameters if the entity is a template. */
void drift_fact_template(struct drift_facts *facts, CXCursor cursor);
void drift_fact_class(struct drift_facts *facts, CXCursor cursor, const struct drift_place *place);
/* Writes {"inline": id} for a function that was already written and is defined further down in a
 * header. */
void drift_fact_function(struct drift_facts *facts, CXCursor cursor,
                         const struct drift_place *place);
void drift_fact_value(struct drift_facts *facts, CXCursor cursor, const struct drift_place *place);
void drift_fact_macro(struct drift_facts *facts, CXCursor cursor, const struct drift_place *place);
/* {"include": "c10/core/Device.h", "in": "c10/core/Allocator.h", "line": 3} */
void drift_fact_include(struct drift_facts *facts, CXCursor cursor,
                        const struct drift_place *place);
/* {"diagnostic": text, "severity": "error", "in": header, "line": 3}, for errors only. */
void drift_fact_diagnostics(struct drift_facts *facts);

void drift_walk(struct drift_facts *facts);

#endif
