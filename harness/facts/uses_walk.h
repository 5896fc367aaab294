/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the uses of PyTorch's headers in a translation unit of a backend. uses_walk.c reads
 * declarations and expressions, uses_directive.c the preprocessor, uses_class.c the inheritance
 * of the backend's classes.
 */
#ifndef DRIFT_USES_WALK_H
#define DRIFT_USES_WALK_H

#include "uses_emit.h"

void uses_walk_unit(struct uses_walk *walk, CXTranslationUnit unit);
void uses_walk_directive(struct uses_walk *walk, CXCursor cursor);
/* Writes bases, overridden functions, and the class's own names that may conflict with later
 * members of a base. */
void uses_walk_class(struct uses_walk *walk, CXCursor class);

#endif
