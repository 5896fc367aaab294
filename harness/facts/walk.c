/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Visits every declaration below the roots once, and decides its kind of fact. A class becomes a
 * fact at its definition, and a function becomes a fact at its first declaration.
 */
#include "cursor_name.h"
#include "fact.h"

static int is_namespace_like(enum CXCursorKind kind)
{
    return kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
           kind == CXCursor_FriendDecl || kind == CXCursor_UnexposedDecl;
}

static int is_class(enum CXCursorKind kind)
{
    return kind == CXCursor_StructDecl || kind == CXCursor_ClassDecl ||
           kind == CXCursor_UnionDecl || kind == CXCursor_ClassTemplate ||
           kind == CXCursor_ClassTemplatePartialSpecialization;
}

static int is_value(enum CXCursorKind kind)
{
    return kind == CXCursor_FieldDecl || kind == CXCursor_VarDecl || kind == CXCursor_EnumDecl ||
           kind == CXCursor_EnumConstantDecl || kind == CXCursor_TypedefDecl ||
           kind == CXCursor_TypeAliasDecl || kind == CXCursor_TypeAliasTemplateDecl ||
           kind == CXCursor_ConceptDecl || kind == CXCursor_UsingDeclaration;
}

/* Entities that neither a backend nor a vtable can refer to. */
static int is_hidden(CXCursor cursor)
{
    return clang_getCXXAccessSpecifier(cursor) == CX_CXXPrivate &&
           !clang_CXXMethod_isVirtual(cursor);
}

/* A body that is parsed nevertheless (of a constexpr function) declares nothing for other code. */
static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct drift_facts *facts = data;
    struct drift_place place;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    (void)parent;
    if (kind == CXCursor_MacroExpansion || !drift_tree_place(&facts->tree, cursor, &place))
        return CXChildVisit_Continue;
    const struct drift_tree_options *options = facts->tree.options;
    if (kind == CXCursor_InclusionDirective) {
        drift_fact_include(facts, cursor, &place);
        return CXChildVisit_Continue;
    }
    if (drift_tree_begins(place.header, options->left_out, options->left_out_count))
        return CXChildVisit_Continue;
    if (is_namespace_like(kind))
        return CXChildVisit_Recurse;
    if (is_class(kind)) {
        if (!clang_isCursorDefinition(cursor) || is_hidden(cursor))
            return CXChildVisit_Continue;
        if (!clang_Cursor_isAnonymous(cursor))
            drift_fact_class(facts, cursor, &place);
        return drift_tree_begins(place.header, options->shallow, options->shallow_count)
                   ? CXChildVisit_Continue
                   : CXChildVisit_Recurse;
    }
    if (is_hidden(cursor) && kind != CXCursor_FieldDecl)
        return CXChildVisit_Continue;
    if (drift_is_function(kind)) {
        drift_fact_function(facts, cursor, &place);
        return CXChildVisit_Continue;
    }
    if (is_value(kind))
        drift_fact_value(facts, cursor, &place);
    else if (kind == CXCursor_MacroDefinition)
        drift_fact_macro(facts, cursor, &place);
    return kind == CXCursor_EnumDecl ? CXChildVisit_Recurse : CXChildVisit_Continue;
}

void drift_walk(struct drift_facts *facts)
{
    clang_visitChildren(clang_getTranslationUnitCursor(facts->tree.unit), visit, facts);
}
