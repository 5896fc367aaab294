/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One parsed translation unit: the listed headers, included one after the other. A tree knows the
 * include folders of PyTorch, and names a file by its path relative to one of them.
 */
#ifndef DRIFT_TREE_H
#define DRIFT_TREE_H

#include <clang-c/Index.h>

#include "hn_error.h"
#include "scan.h"

#define DRIFT_ROOTS_MAX 16

struct drift_tree_options {
    const char *roots[DRIFT_ROOTS_MAX]; /* include folders whose declarations are facts */
    int root_count;
    /* prefixes of headers that give no facts, because they are third-party */
    const char *left_out[DRIFT_ROOTS_MAX];
    int left_out_count;
    const char
        /* prefixes of headers whose classes are named, but without members and bodies */
        *shallow[DRIFT_ROOTS_MAX];
    int shallow_count;
    const char *const *arguments; /* arguments for the compiler */
    int argument_count;
    int bodies; /* function bodies are parsed too */
};

struct drift_tree {
    CXIndex index;
    CXTranslationUnit unit;
    const struct drift_tree_options *options;
    CXFile read; /* file of the last text: a cache, because libclang searches all files */
    const char *text;
    size_t size;
};

/* Parses a text of #include lines. Errors of the compiler are not a failure: see
 * clang_getNumDiagnostics. */
int drift_tree_parse(struct drift_tree *tree, const struct drift_tree_options *options,
                     const char *text, size_t length, struct hn_error *error);
void drift_tree_finish(struct drift_tree *tree);

/* Returns "c10/core/Allocator.h", valid as long as the tree; NULL for a file outside the roots. */
const char *drift_tree_header(struct drift_tree *tree, CXFile file);
/* Returns 1 if the header begins with one of the prefixes. */
int drift_tree_begins(const char *header, const char *const *prefixes, int count);
/* The location of a cursor. The function returns 0 if the location is outside the roots.
 * `expanded`: the cursor comes from a macro. */
struct drift_place {
    const char *header;
    CXFile file;
    unsigned line, offset;
    int expanded;
};
int drift_tree_place(struct drift_tree *tree, CXCursor cursor, struct drift_place *place);
/* The first function returns the text of a cursor, the second the text from a place to the end of
 * the file. Both are empty for text that comes from a macro. */
struct drift_scan drift_tree_text(struct drift_tree *tree, CXCursor cursor);
struct drift_scan drift_tree_rest(struct drift_tree *tree, const struct drift_place *place);

#endif
