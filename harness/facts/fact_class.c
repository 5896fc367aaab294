/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A class, struct, union or class template with its bases.
 */
#include "cursor_name.h"
#include "fact.h"

static const char *tag_of(CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_ClassTemplate || kind == CXCursor_ClassTemplatePartialSpecialization)
        kind = clang_getTemplateCursorKind(cursor);
    return kind == CXCursor_ClassDecl ? "class" : kind == CXCursor_UnionDecl ? "union" : "struct";
}

static enum CXChildVisitResult write_base(CXCursor cursor, CXCursor parent, CXClientData data)
{
    static const char *const access[] = {"", "public", "protected", "private"};
    struct drift_facts *facts = data;
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_CXXBaseSpecifier)
        return CXChildVisit_Continue;
    hn_write_object(&facts->json, NULL);
    drift_fact_type(facts, "name", clang_getCanonicalType(clang_getCursorType(cursor)));
    hn_write_text(&facts->json, "access", access[clang_getCXXAccessSpecifier(cursor)]);
    drift_fact_flag(facts, "virtual", (int)clang_isVirtualBase(cursor));
    hn_write_object_end(&facts->json);
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult add_template_parameter(CXCursor child, CXCursor parent,
                                                      CXClientData data)
{
    struct drift_facts *facts = data;
    const enum CXCursorKind kind = clang_getCursorKind(child);
    (void)parent;
    if (kind != CXCursor_TemplateTypeParameter && kind != CXCursor_NonTypeTemplateParameter &&
        kind != CXCursor_TemplateTemplateParameter)
        return CXChildVisit_Continue;
    hn_buffer_puts(&facts->text, facts->text.length ? ", " : "");
    drift_scan_normal(drift_tree_text(&facts->tree, child), &facts->text);
    return CXChildVisit_Continue;
}

void drift_fact_template(struct drift_facts *facts, CXCursor cursor)
{
    hn_buffer_clear(&facts->text);
    clang_visitChildren(cursor, add_template_parameter, facts);
    if (facts->text.length)
        hn_write_text(&facts->json, "template", facts->text.text);
}

void drift_fact_class(struct drift_facts *facts, CXCursor cursor, const struct drift_place *place)
{
    if (!drift_fact_begin(facts, cursor, "cxx:", "class", place))
        return;
    const long long size = clang_Type_getSizeOf(clang_getCursorType(cursor));
    hn_write_text(&facts->json, "tag", tag_of(cursor));
    drift_fact_template(facts, cursor);
    hn_write_array(&facts->json, "bases");
    clang_visitChildren(cursor, write_base, facts);
    hn_write_array_end(&facts->json);
    drift_fact_flag(facts, "final", drift_has_child(cursor, CXCursor_CXXFinalAttr));
    drift_fact_flag(facts, "abstract", (int)clang_CXXRecord_isAbstract(cursor));
    drift_fact_access(facts, cursor);
    if (size > 0)
        hn_write_integer(&facts->json, "size", size);
    drift_fact_marks(facts, cursor);
    drift_fact_end(facts);
}
