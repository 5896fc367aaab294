/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The members that all facts have: see fact.h.
 */
#include "fact.h"

#include <string.h>

#include "cursor_name.h"
#include "hash.h"

int drift_fact_begin(struct drift_facts *facts, CXCursor cursor, const char *space,
                     const char *kind, const struct drift_place *place)
{
    struct hn_buffer *id = &facts->id;
    hn_buffer_clear(id);
    hn_buffer_puts(id, space);
    const size_t empty = id->length;
    drift_cursor_id(cursor, id);
    if (id->length == empty || id->status != HN_OK)
        return 0;
    if (drift_seen_add(&facts->seen, hn_hash_text(HN_HASH_START, id->text)) <= 0)
        return 0;
    hn_buffer_clear(&facts->line);
    hn_write_begin(&facts->json, &facts->line, 0);
    hn_write_object(&facts->json, NULL);
    hn_write_bytes(&facts->json, "id", id->text, id->length);
    hn_write_text(&facts->json, "kind", kind);
    hn_write_text(&facts->json, "header", place->header);
    hn_write_integer(&facts->json, "line", place->line);
    return 1;
}

/* A line that did not fit is left out as a whole, because half a fact would look like a change. */
void drift_fact_end(struct drift_facts *facts)
{
    hn_write_object_end(&facts->json);
    if (hn_write_end(&facts->json) != HN_OK)
        return;
    fwrite(facts->line.text, 1, facts->line.length, facts->out);
    putc('\n', facts->out);
}

void drift_fact_flag(struct drift_facts *facts, const char *key, int holds)
{
    if (holds)
        hn_write_boolean(&facts->json, key, 1);
}

/* Must not write to facts->text, which callers may be using. */
static void write_spelling(struct drift_facts *facts, const char *key, const char *spelling)
{
    hn_buffer_clear(&facts->spelling);
    drift_add_spelling(&facts->spelling, spelling);
    hn_write_bytes(&facts->json, key, facts->spelling.text, facts->spelling.length);
}

void drift_fact_string(struct drift_facts *facts, const char *key, CXString text)
{
    const char *bytes = clang_getCString(text);
    if (bytes && *bytes)
        write_spelling(facts, key, bytes);
    clang_disposeString(text);
}

void drift_fact_type(struct drift_facts *facts, const char *key, CXType type)
{
    drift_fact_string(facts, key, clang_getTypeSpelling(type));
}

void drift_fact_named_type(struct drift_facts *facts, const char *key, CXType type)
{
    CXString spelled = clang_getTypeSpelling(type);
    CXString canonical = clang_getTypeSpelling(clang_getCanonicalType(type));
    write_spelling(facts, key, clang_getCString(spelled));
    if (strcmp(clang_getCString(spelled), clang_getCString(canonical)) != 0)
        write_spelling(facts, "canonical", clang_getCString(canonical));
    clang_disposeString(spelled);
    clang_disposeString(canonical);
}

void drift_fact_access(struct drift_facts *facts, CXCursor cursor)
{
    const enum CX_CXXAccessSpecifier access = clang_getCXXAccessSpecifier(cursor);
    if (access == CX_CXXProtected || access == CX_CXXPrivate)
        hn_write_text(&facts->json, "access", access == CX_CXXPrivate ? "private" : "protected");
}

static void write_deprecation(struct drift_facts *facts, CXCursor cursor)
{
    int deprecated = 0, unavailable = 0;
    CXString why = {0}, refused = {0};
    clang_getCursorPlatformAvailability(cursor, &deprecated, &why, &unavailable, &refused, NULL, 0);
    if (deprecated) {
        const char *text = clang_getCString(why);
        hn_write_text(&facts->json, "deprecated", text ? text : "");
    }
    clang_disposeString(why);
    clang_disposeString(refused);
}

void drift_fact_marks(struct drift_facts *facts, CXCursor cursor)
{
    drift_fact_flag(facts, "exported",
                    clang_Cursor_hasAttrs(cursor) &&
                        drift_has_child(cursor, CXCursor_VisibilityAttr));
    if (clang_getCursorAvailability(cursor) == CXAvailability_Deprecated)
        write_deprecation(facts, cursor);
}

void drift_fact_include(struct drift_facts *facts, CXCursor cursor, const struct drift_place *place)
{
    const CXFile file = clang_getIncludedFile(cursor);
    const char *header = file ? drift_tree_header(&facts->tree, file) : NULL;
    if (!header)
        return;
    hn_buffer_clear(&facts->line);
    hn_write_begin(&facts->json, &facts->line, 0);
    hn_write_object(&facts->json, NULL);
    hn_write_text(&facts->json, "include", header);
    hn_write_text(&facts->json, "in", place->header);
    hn_write_integer(&facts->json, "line", place->line);
    drift_fact_end(facts);
}

static void write_diagnostic(struct drift_facts *facts, CXDiagnostic diagnostic)
{
    CXFile file = NULL;
    unsigned line = 0;
    clang_getFileLocation(clang_getDiagnosticLocation(diagnostic), &file, &line, NULL, NULL);
    const char *header = file ? drift_tree_header(&facts->tree, file) : NULL;
    hn_buffer_clear(&facts->line);
    hn_write_begin(&facts->json, &facts->line, 0);
    hn_write_object(&facts->json, NULL);
    drift_fact_string(facts, "diagnostic", clang_getDiagnosticSpelling(diagnostic));
    hn_write_text(&facts->json, "in", header ? header : "");
    hn_write_integer(&facts->json, "line", line);
    drift_fact_end(facts);
}

void drift_fact_diagnostics(struct drift_facts *facts)
{
    const unsigned count = clang_getNumDiagnostics(facts->tree.unit);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(facts->tree.unit, i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
            write_diagnostic(facts, diagnostic);
        clang_disposeDiagnostic(diagnostic);
    }
}
