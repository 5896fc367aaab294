/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See cursor_name.h. Inline namespaces are left out, because they are only versions of a library
 * and a backend does not write them. Unnamed entities are left out too, because libclang would
 * name them by the path of their file.
 */
#include "cursor_name.h"

#include <string.h>

#define DEPTH_MAX 32

void drift_add_spelling(struct hn_buffer *out, const char *text)
{
    for (const char *place; text && (place = strstr(text, " at /")); text = place) {
        hn_buffer_add(out, text, (size_t)(place - text));
        place += strcspn(place, ")");
    }
    if (text)
        hn_buffer_puts(out, text);
}

void drift_add_string(struct hn_buffer *out, CXString text)
{
    drift_add_spelling(out, clang_getCString(text));
    clang_disposeString(text);
}

int drift_is_function(enum CXCursorKind kind)
{
    return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod ||
           kind == CXCursor_Constructor || kind == CXCursor_Destructor ||
           kind == CXCursor_ConversionFunction || kind == CXCursor_FunctionTemplate;
}

struct wanted_child {
    enum CXCursorKind kind;
    int found;
};

static enum CXChildVisitResult look_at_child(CXCursor child, CXCursor parent, CXClientData data)
{
    struct wanted_child *wanted = data;
    (void)parent;
    wanted->found |= clang_getCursorKind(child) == wanted->kind;
    return wanted->found ? CXChildVisit_Break : CXChildVisit_Continue;
}

int drift_has_child(CXCursor cursor, enum CXCursorKind kind)
{
    struct wanted_child wanted = {.kind = kind};
    clang_visitChildren(cursor, look_at_child, &wanted);
    return wanted.found;
}

static int is_scope(enum CXCursorKind kind)
{
    return kind == CXCursor_Namespace || kind == CXCursor_StructDecl ||
           kind == CXCursor_ClassDecl || kind == CXCursor_UnionDecl || kind == CXCursor_EnumDecl ||
           kind == CXCursor_ClassTemplate || kind == CXCursor_ClassTemplatePartialSpecialization ||
           drift_is_function(kind);
}

/* An anonymous struct is left out: its members are members of the class around it. */
static int is_left_out(CXCursor scope)
{
    return clang_Cursor_isAnonymous(scope) || (clang_getCursorKind(scope) == CXCursor_Namespace &&
                                               clang_Cursor_isInlineNamespace(scope));
}

/* Adds the display name of a specialisation, which has the arguments, or only the name of a
 * template. The constructors of a template do not repeat the parameters. */
static void add_own_name(CXCursor cursor, struct hn_buffer *out)
{
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    const int is_class = kind == CXCursor_StructDecl || kind == CXCursor_ClassDecl ||
                         kind == CXCursor_ClassTemplatePartialSpecialization;
    if (is_class) {
        drift_add_string(out, clang_getCursorDisplayName(cursor));
        return;
    }
    CXString spelling = clang_getCursorSpelling(cursor);
    const char *name = clang_getCString(spelling);
    size_t length = name ? strlen(name) : 0;
    if (name && (kind == CXCursor_Constructor || kind == CXCursor_Destructor ||
                 (kind == CXCursor_FunctionTemplate && strncmp(name, "operator", 8) != 0)))
        length = strcspn(name, "<");
    if (length)
        hn_buffer_add(out, name, length);
    clang_disposeString(spelling);
}

void drift_cursor_name(CXCursor cursor, struct hn_buffer *out)
{
    CXCursor scopes[DEPTH_MAX];
    int depth = 0;
    CXCursor scope = clang_getCursorSemanticParent(cursor);
    for (; is_scope(clang_getCursorKind(scope)) && depth < DEPTH_MAX;
         scope = clang_getCursorSemanticParent(scope))
        if (!is_left_out(scope))
            scopes[depth++] = scope;
    while (depth--) {
        add_own_name(scopes[depth], out);
        hn_buffer_puts(out, "::");
    }
    add_own_name(cursor, out);
}

struct parameter_list {
    struct hn_buffer *out;
    int count;
};

static enum CXChildVisitResult add_parameter(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct parameter_list *list = data;
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_ParmDecl)
        return CXChildVisit_Continue;
    const CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    hn_buffer_puts(list->out, list->count++ ? ", " : "");
    drift_add_string(list->out, clang_getTypeSpelling(clang_getUnqualifiedType(type)));
    return CXChildVisit_Continue;
}

static void add_parameters(CXCursor function, struct hn_buffer *out)
{
    struct parameter_list list = {.out = out};
    const CXType type = clang_getCursorType(function);
    hn_buffer_putc(out, '(');
    clang_visitChildren(function, add_parameter, &list);
    if (clang_isFunctionTypeVariadic(type))
        hn_buffer_puts(out, list.count ? ", ..." : "...");
    hn_buffer_putc(out, ')');
    if (clang_CXXMethod_isConst(function))
        hn_buffer_puts(out, " const");
    switch (clang_Type_getCXXRefQualifier(type)) {
    case CXRefQualifier_LValue:
        hn_buffer_puts(out, " &");
        break;
    case CXRefQualifier_RValue:
        hn_buffer_puts(out, " &&");
        break;
    case CXRefQualifier_None:
        break;
    }
}

void drift_cursor_id(CXCursor cursor, struct hn_buffer *out)
{
    drift_cursor_name(cursor, out);
    if (drift_is_function(clang_getCursorKind(cursor)))
        add_parameters(cursor, out);
}
