/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The identity of a C++ entity, as drift and uses write it: harness/python/assay/drift/README.md
 * has the rules. All code that names an entity must use this file, so that the two programs agree.
 */
#ifndef DRIFT_CURSOR_NAME_H
#define DRIFT_CURSOR_NAME_H

#include <clang-c/Index.h>

#include "buffer.h"

/* "c10::Allocator::copy_data(void *, const void *, unsigned long) const"; without parameters if
 * the cursor is not a function. A template is named without its parameters. Nothing is written
 * for an unnamed entity. */
void drift_cursor_id(CXCursor cursor, struct hn_buffer *out);
/* Writes "c10::Allocator::copy_data": the id without parameters and qualifiers. */
void drift_cursor_name(CXCursor cursor, struct hn_buffer *out);
/* Returns 1 for functions, methods, constructors, destructors, conversions and their templates. */
int drift_is_function(enum CXCursorKind kind);

/* Returns 1 if a direct child of the cursor has this kind, such as an attribute or a qualifier. */
int drift_has_child(CXCursor cursor, enum CXCursorKind kind);

/* Adds a type or name as libclang writes it, but without the location in "(unnamed struct at
 * FILE)", because a path of one machine is not a fact. */
void drift_add_spelling(struct hn_buffer *out, const char *text);
/* Adds a string of libclang like drift_add_spelling, and disposes of it. */
void drift_add_string(struct hn_buffer *out, CXString text);

#endif
