/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One parsed translation unit: the listed headers included one after the other. Knows the folders
 * that count as PyTorch and names a file as it is included from there.
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
    const char *left_out[DRIFT_ROOTS_MAX]; /* headers that begin so give no facts: foreign ones */
    int left_out_count;
    const char
        *shallow[DRIFT_ROOTS_MAX]; /* classes there are named, their members are not, nor bodies */
    int shallow_count;
    const char *const *arguments; /* for the compiler */
    int argument_count;
    int bodies; /* function bodies are parsed as well */
};

struct drift_tree {
    CXIndex index;
    CXTranslationUnit unit;
    const struct drift_tree_options *options;
    CXFile read; /* the file whose text was asked for last: libclang searches for it among all */
    const char *text;
    size_t size;
};

/* Parses a text of #include lines. What the compiler complained about is no failure: ask
 * clang_getNumDiagnostics. */
int drift_tree_parse(struct drift_tree *tree, const struct drift_tree_options *options,
                     const char *text, size_t length, struct hn_error *error);
void drift_tree_finish(struct drift_tree *tree);

/* "c10/core/Allocator.h"; NULL for a file outside the roots. Valid as long as the tree. */
const char *drift_tree_header(struct drift_tree *tree, CXFile file);
/* 1 when the header begins with one of the prefixes. */
int drift_tree_begins(const char *header, const char *const *prefixes, int count);
/* Where a cursor is written. 0 when that is outside the roots. `expanded`: a macro wrote it. */
struct drift_place {
    const char *header;
    CXFile file;
    unsigned line, offset;
    int expanded;
};
int drift_tree_place(struct drift_tree *tree, CXCursor cursor, struct drift_place *place);
/* The text of a cursor's extent; from `offset` on to the end of the file when it is given. Empty for
 * what a macro wrote. */
struct drift_scan drift_tree_text(struct drift_tree *tree, CXCursor cursor);
struct drift_scan drift_tree_rest(struct drift_tree *tree, const struct drift_place *place);

#endif
