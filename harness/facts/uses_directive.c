/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Preprocessor directives of a backend: included headers of PyTorch, uses of its macros, and
 * macros of the backend, whose bodies may use names of PyTorch.
 */
#include <string.h>

#include "uses_walk.h"

static void visit_include(struct uses_walk *walk, CXCursor directive)
{
    const CXFile file = clang_getIncludedFile(directive);
    if (!file || uses_owner_of_file(&walk->places, file) != USES_UPSTREAM)
        return;
    CXString real = clang_File_tryGetRealPathName(file);
    const char *path = clang_getCString(real);
    const char *name = path ? uses_header_name(&walk->places, path) : NULL;
    if (name)
        uses_emit_text(walk, "include", directive, "header:", name, "");
    clang_disposeString(real);
}

/* Words of a macro's body or arguments. Such words may be macros of PyTorch, which libclang does
 * not report if they are expanded inside another macro. */
static void emit_words(struct uses_walk *walk, CXCursor macro, const char *way)
{
    CXTranslationUnit unit = clang_Cursor_getTranslationUnit(macro);
    CXToken *tokens = NULL;
    unsigned count = 0;
    clang_tokenize(unit, clang_getCursorExtent(macro), &tokens, &count);
    for (unsigned i = 1; i < count; i++) {
        if (clang_getTokenKind(tokens[i]) != CXToken_Identifier)
            continue;
        CXString word = clang_getTokenSpelling(unit, tokens[i]);
        uses_emit_text(walk, way, macro, "macro:", clang_getCString(word), "");
        clang_disposeString(word);
    }
    clang_disposeTokens(unit, tokens, count);
}

static int has_body(CXCursor macro)
{
    unsigned start = 0, end = 0;
    const CXSourceRange extent = clang_getCursorExtent(macro);
    CXString name = clang_getCursorSpelling(macro);
    clang_getFileLocation(clang_getRangeStart(extent), NULL, NULL, NULL, &start);
    clang_getFileLocation(clang_getRangeEnd(extent), NULL, NULL, NULL, &end);
    const int has = end - start > strlen(clang_getCString(name));
    clang_disposeString(name);
    return has;
}

static void visit_definition(struct uses_walk *walk, CXCursor macro)
{
    CXString name = clang_getCursorSpelling(macro);
    uses_spots_add_own(&walk->macros, clang_getCString(name));
    uses_emit_text(walk, "own", macro, "macro:", clang_getCString(name),
                   has_body(macro) ? "" : "empty");
    emit_words(walk, macro, "token");
    clang_disposeString(name);
}

static void visit_macro(struct uses_walk *walk, CXCursor expansion)
{
    const CXCursor definition = clang_getCursorReferenced(expansion);
    if (clang_Cursor_isNull(definition) ||
        uses_owner_of(&walk->places, definition) != USES_UPSTREAM)
        return;
    CXString name = clang_getCursorSpelling(definition);
    uses_spots_add(&walk->macros, expansion);
    emit_words(walk, expansion, "argument");
    uses_emit_text(walk, "expand", expansion, "macro:", clang_getCString(name), "");
    clang_disposeString(name);
}

void uses_walk_directive(struct uses_walk *walk, CXCursor cursor)
{
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_InclusionDirective:
        visit_include(walk, cursor);
        break;
    case CXCursor_MacroExpansion:
        visit_macro(walk, cursor);
        break;
    case CXCursor_MacroDefinition:
        visit_definition(walk, cursor);
        break;
    default:
        break;
    }
}
