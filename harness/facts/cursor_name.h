/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The identity of a C++ entity, as drift and uses write it: harness/python/assay/drift/README.md has the rules.
 * Everything that names an entity goes through this file, so that two programs never disagree.
 */
#ifndef DRIFT_CURSOR_NAME_H
#define DRIFT_CURSOR_NAME_H

#include <clang-c/Index.h>

#include "buffer.h"

/* "c10::Allocator::copy_data(void *, const void *, unsigned long) const"; without the parameters when
 * the cursor is no function. A template is named without its parameters. Nothing is written for
 * what has no name. */
void drift_cursor_id(CXCursor cursor, struct hn_buffer *out);
/* "c10::Allocator::copy_data": the id without parameters and qualifiers. */
void drift_cursor_name(CXCursor cursor, struct hn_buffer *out);
/* 1 for functions, methods, constructors, destructors, conversions and their templates. */
int drift_is_function(enum CXCursorKind kind);

/* 1 when one of the cursor's own children is of the kind: an attribute, a qualifier. */
int drift_has_child(CXCursor cursor, enum CXCursorKind kind);

/* A type or name as libclang spells it, but "(unnamed struct)" without its place: a path of one
 * machine is no fact. */
void drift_add_spelling(struct hn_buffer *out, const char *text);
/* The same of what libclang says, which is released. */
void drift_add_string(struct hn_buffer *out, CXString text);

#endif
