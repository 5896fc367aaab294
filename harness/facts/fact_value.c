/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes entities that have a type or a value and no parameters: fields, variables,
 * enumerations, enumerators, aliases.
 */
#include "cursor_name.h"
#include "fact.h"

static const char *kind_of(CXCursor cursor)
{
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_FieldDecl:
        return "field";
    case CXCursor_EnumDecl:
        return "enum";
    case CXCursor_EnumConstantDecl:
        return "enumerator";
    case CXCursor_VarDecl:
        return "variable";
    case CXCursor_ConceptDecl:
        return "concept";
    default:
        return "alias";
    }
}

static void write_enum(struct drift_facts *facts, CXCursor cursor)
{
    drift_fact_type(facts, "underlying", clang_getEnumDeclIntegerType(cursor));
    drift_fact_flag(facts, "scoped", (int)clang_EnumDecl_isScoped(cursor));
}

static void write_typed(struct drift_facts *facts, CXCursor cursor)
{
    const CXType type = clang_getCursorType(cursor);
    drift_fact_named_type(facts, "type", type);
    hn_buffer_clear(&facts->text);
    drift_scan_default(drift_tree_text(&facts->tree, cursor), &facts->text);
    if (facts->text.length)
        hn_write_text(&facts->json, "default", facts->text.text);
    drift_fact_flag(facts, "static", clang_Cursor_getStorageClass(cursor) == CX_SC_Static);
}

static void write_alias(struct drift_facts *facts, CXCursor cursor)
{
    hn_buffer_clear(&facts->text);
    drift_scan_normal(drift_tree_text(&facts->tree, cursor), &facts->text);
    hn_write_text(&facts->json, "target", facts->text.text);
    if (clang_getCursorKind(cursor) != CXCursor_UsingDeclaration)
        drift_fact_type(facts, "canonical", clang_getCanonicalType(clang_getCursorType(cursor)));
}

void drift_fact_value(struct drift_facts *facts, CXCursor cursor, const struct drift_place *place)
{
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_EnumDecl && clang_Cursor_isAnonymous(cursor))
        return;
    if (!drift_fact_begin(facts, cursor, "cxx:", kind_of(cursor), place))
        return;
    if (kind == CXCursor_EnumDecl)
        write_enum(facts, cursor);
    else if (kind == CXCursor_EnumConstantDecl)
        hn_write_integer(&facts->json, "value", clang_getEnumConstantDeclValue(cursor));
    else if (kind == CXCursor_FieldDecl || kind == CXCursor_VarDecl)
        write_typed(facts, cursor);
    else
        write_alias(facts, cursor);
    const long long offset =
        kind == CXCursor_FieldDecl ? clang_Cursor_getOffsetOfField(cursor) : -1;
    if (offset >= 0)
        hn_write_integer(&facts->json, "offset", offset);
    drift_fact_access(facts, cursor);
    drift_fact_marks(facts, cursor);
    drift_fact_end(facts);
}
