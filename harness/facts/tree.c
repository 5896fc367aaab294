/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See tree.h.
 */
#include "tree.h"

#include <string.h>

#define MAIN_FILE "/assay_drift_headers.cc"

int drift_tree_parse(struct drift_tree *tree, const struct drift_tree_options *options,
                     const char *text, size_t length, struct hn_error *error)
{
    struct CXUnsavedFile headers = {MAIN_FILE, text, length};
    const unsigned flags = CXTranslationUnit_DetailedPreprocessingRecord |
                           CXTranslationUnit_KeepGoing |
                           (options->bodies ? 0U : CXTranslationUnit_SkipFunctionBodies);
    *tree = (struct drift_tree){.options = options, .index = clang_createIndex(0, 0)};
    const enum CXErrorCode failed =
        clang_parseTranslationUnit2(tree->index, MAIN_FILE, options->arguments,
                                    options->argument_count, &headers, 1, flags, &tree->unit);
    if (failed == CXError_Success)
        return HN_OK;
    drift_tree_finish(tree);
    return hn_error_set(error, HN_EINPUT, "libclang could not parse at all (its code is %d)",
                        (int)failed);
}

void drift_tree_finish(struct drift_tree *tree)
{
    if (tree->unit)
        clang_disposeTranslationUnit(tree->unit);
    if (tree->index)
        clang_disposeIndex(tree->index);
    *tree = (struct drift_tree){0};
}

/* libclang stores a file's name once per translation unit, so a pointer to it may be returned. */
const char *drift_tree_header(struct drift_tree *tree, CXFile file)
{
    CXString name = clang_getFileName(file);
    const char *path = clang_getCString(name), *found = NULL;
    for (int i = 0; path && i < tree->options->root_count && !found; i++) {
        const size_t length = strlen(tree->options->roots[i]);
        if (strncmp(path, tree->options->roots[i], length) == 0 && path[length] == '/')
            found = path + length + 1;
    }
    clang_disposeString(name);
    return found;
}

int drift_tree_begins(const char *header, const char *const *prefixes, int count)
{
    for (int i = 0; i < count; i++)
        if (strncmp(header, prefixes[i], strlen(prefixes[i])) == 0)
            return 1;
    return 0;
}

int drift_tree_place(struct drift_tree *tree, CXCursor cursor, struct drift_place *place)
{
    unsigned spelled = 0;
    CXFile written = NULL;
    const CXSourceLocation location = clang_getCursorLocation(cursor);
    clang_getFileLocation(location, &place->file, &place->line, NULL, &place->offset);
    if (!place->file)
        return 0;
    clang_getSpellingLocation(location, &written, NULL, NULL, &spelled);
    place->expanded = written != place->file || spelled != place->offset;
    place->header = drift_tree_header(tree, place->file);
    return place->header != NULL;
}

/* Consecutive cursors are mostly in one file, so the last result is cached. */
static const char *text_of(struct drift_tree *tree, CXFile file)
{
    if (file != tree->read) {
        tree->text = clang_getFileContents(tree->unit, file, &tree->size);
        tree->read = file;
    }
    return tree->text;
}

struct drift_scan drift_tree_text(struct drift_tree *tree, CXCursor cursor)
{
    CXFile first = NULL, last = NULL;
    unsigned start = 0, end = 0;
    const CXSourceRange extent = clang_getCursorExtent(cursor);
    clang_getFileLocation(clang_getRangeStart(extent), &first, NULL, NULL, &start);
    clang_getFileLocation(clang_getRangeEnd(extent), &last, NULL, NULL, &end);
    const char *text = first ? text_of(tree, first) : NULL;
    if (!text || first != last || end > tree->size || start > end)
        return (struct drift_scan){"", 0, 0};
    return (struct drift_scan){text, start, end};
}

struct drift_scan drift_tree_rest(struct drift_tree *tree, const struct drift_place *place)
{
    const char *text = text_of(tree, place->file);
    if (!text || place->expanded || place->offset > tree->size)
        return (struct drift_scan){"", 0, 0};
    return (struct drift_scan){text, place->offset, tree->size};
}
