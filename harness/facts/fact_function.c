/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a function, method, constructor or destructor, with the properties on which an override
 * or a caller depends.
 */
#include "cursor_name.h"
#include "fact.h"

static const char *kind_of(CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_FunctionTemplate)
        kind = clang_getTemplateCursorKind(cursor);
    switch (kind) {
    case CXCursor_Constructor:
        return "constructor";
    case CXCursor_Destructor:
        return "destructor";
    case CXCursor_CXXMethod:
    case CXCursor_ConversionFunction:
        return "method";
    default:
        return "function";
    }
}

/* Returns the type as written, but the canonical type in generated code. */
static CXType as_wanted(const struct drift_facts *facts, CXType type)
{
    return facts->shallow ? clang_getUnqualifiedType(clang_getCanonicalType(type)) : type;
}

static enum CXChildVisitResult write_parameter(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct drift_facts *facts = data;
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_ParmDecl)
        return CXChildVisit_Continue;
    const CXType type = clang_getCursorType(cursor);
    hn_write_object(&facts->json, NULL);
    if (!facts->shallow)
        drift_fact_string(facts, "name", clang_getCursorSpelling(cursor));
    drift_fact_type(facts, "type", as_wanted(facts, type));
    hn_buffer_clear(&facts->text);
    drift_scan_default(drift_tree_text(&facts->tree, cursor), &facts->text);
    if (facts->text.length)
        hn_write_text(&facts->json, "default", facts->text.text);
    hn_write_object_end(&facts->json);
    return CXChildVisit_Continue;
}

static void write_overridden(struct drift_facts *facts, CXCursor cursor)
{
    CXCursor *overridden = NULL;
    unsigned count = 0;
    clang_getOverriddenCursors(cursor, &overridden, &count);
    if (count)
        hn_write_array(&facts->json, "overrides");
    for (unsigned i = 0; i < count; i++) {
        hn_buffer_clear(&facts->text);
        drift_cursor_id(overridden[i], &facts->text);
        hn_write_text(&facts->json, NULL, facts->text.text);
    }
    if (count)
        hn_write_array_end(&facts->json);
    clang_disposeOverriddenCursors(overridden);
}

static void write_virtual(struct drift_facts *facts, CXCursor cursor)
{
    const int overrides = drift_has_child(cursor, CXCursor_CXXOverrideAttr);
    if (clang_CXXMethod_isPureVirtual(cursor))
        hn_write_text(&facts->json, "virtual", "pure");
    else if (clang_CXXMethod_isVirtual(cursor))
        hn_write_text(&facts->json, "virtual", overrides ? "override" : "virtual");
    drift_fact_flag(facts, "final", drift_has_child(cursor, CXCursor_CXXFinalAttr));
    if (clang_CXXMethod_isVirtual(cursor))
        write_overridden(facts, cursor);
}

static int is_noexcept(CXCursor cursor)
{
    const int specification = clang_getCursorExceptionSpecificationType(cursor);
    return specification == CXCursor_ExceptionSpecificationKind_BasicNoexcept ||
           specification == CXCursor_ExceptionSpecificationKind_DynamicNone ||
           specification == CXCursor_ExceptionSpecificationKind_NoThrow;
}

static enum CXChildVisitResult add_name(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct hn_buffer *names = data;
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_ParmDecl)
        return CXChildVisit_Continue;
    CXString name = clang_getCursorSpelling(cursor);
    hn_buffer_puts(names, clang_getCString(name));
    hn_buffer_putc(names, '\n');
    clang_disposeString(name);
    return CXChildVisit_Continue;
}

static void write_body(struct drift_facts *facts, CXCursor cursor, const struct drift_place *place)
{
    int throws = 0;
    hn_buffer_clear(&facts->text);
    clang_visitChildren(cursor, add_name, &facts->text);
    const struct drift_scan rest = drift_tree_rest(&facts->tree, place);
    const uint64_t hash = drift_scan_body(rest, facts->text.text, &throws);
    if (!hash)
        return;
    char text[8]; /* 16 bits are enough to distinguish two versions of one function */
    snprintf(text, sizeof text, "%04x", (unsigned)(hash >> 48));
    hn_write_text(&facts->json, "body", text);
    drift_fact_flag(facts, "throws", throws);
}

/* A constructor or conversion that is never called implicitly. */
static int is_explicit(struct drift_facts *facts, CXCursor cursor)
{
    const enum CXCursorKind kind = clang_getCursorKind(cursor) == CXCursor_FunctionTemplate
                                       ? clang_getTemplateCursorKind(cursor)
                                       : clang_getCursorKind(cursor);
    if (kind != CXCursor_Constructor && kind != CXCursor_ConversionFunction)
        return 0;
    struct drift_scan scan = drift_tree_text(&facts->tree, cursor);
    struct drift_token token = drift_scan_next(&scan);
    while (token.length && !drift_token_is(token, "{") && !drift_token_is(token, "explicit"))
        token = drift_scan_next(&scan);
    return token.length && drift_token_is(token, "explicit");
}

/* Returns 1 for entities that a library can contain. The symbol of a template depends on its
 * arguments. */
static int has_symbol(CXCursor cursor)
{
    const enum CXLinkageKind linkage = clang_getCursorLinkage(cursor);
    return clang_getCursorKind(cursor) != CXCursor_FunctionTemplate &&
           linkage == CXLinkage_External && !clang_CXXMethod_isPureVirtual(cursor);
}

/* If a header defines further down a function that it has declared, no library needs to export the
 * function. The declaration was already written, so the definition gets a separate line. */
static void write_inline_later(struct drift_facts *facts, CXCursor cursor)
{
    if (!facts->id.length || !has_symbol(cursor) || !clang_Cursor_isFunctionInlined(cursor))
        return;
    hn_buffer_clear(&facts->line);
    hn_write_begin(&facts->json, &facts->line, 0);
    hn_write_object(&facts->json, NULL);
    hn_write_bytes(&facts->json, "inline", facts->id.text, facts->id.length);
    drift_fact_end(facts);
}

void drift_fact_function(struct drift_facts *facts, CXCursor cursor,
                         const struct drift_place *place)
{
    if (!drift_fact_begin(facts, cursor, "cxx:", kind_of(cursor), place)) {
        write_inline_later(facts, cursor);
        return;
    }
    const struct drift_tree_options *options = facts->tree.options;
    facts->shallow = drift_tree_begins(place->header, options->shallow, options->shallow_count);
    drift_fact_named_type(facts, "returns", as_wanted(facts, clang_getCursorResultType(cursor)));
    hn_write_array(&facts->json, "parameters");
    clang_visitChildren(cursor, write_parameter, facts);
    hn_write_array_end(&facts->json);
    drift_fact_template(facts, cursor);
    write_virtual(facts, cursor);
    drift_fact_flag(facts, "static", (int)clang_CXXMethod_isStatic(cursor));
    drift_fact_flag(facts, "explicit", is_explicit(facts, cursor));
    drift_fact_flag(facts, "deleted", (int)clang_CXXMethod_isDeleted(cursor));
    drift_fact_flag(facts, "noexcept", is_noexcept(cursor));
    drift_fact_flag(facts, "inline", (int)clang_Cursor_isFunctionInlined(cursor));
    drift_fact_access(facts, cursor);
    if (!facts->shallow)
        write_body(facts, cursor, place);
    if (has_symbol(cursor))
        drift_fact_string(facts, "symbol", clang_Cursor_getMangling(cursor));
    drift_fact_marks(facts, cursor);
    drift_fact_end(facts);
}
