/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Uses of PyTorch's headers by a translation unit of a backend. uses_walk.c reads declarations
 * and expressions, uses_directive.c the preprocessor, uses_class.c what a class of the backend inherits.
 */
#ifndef DRIFT_USES_WALK_H
#define DRIFT_USES_WALK_H

#include "uses_emit.h"

void uses_walk_unit(struct uses_walk *walk, CXTranslationUnit unit);
void uses_walk_directive(struct uses_walk *walk, CXCursor cursor);
/* Bases, overridden functions and names of its own that a base may come to have. */
void uses_walk_class(struct uses_walk *walk, CXCursor class);

#endif
