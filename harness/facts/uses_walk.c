/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Visits the code of the backend, and finds the entity of PyTorch that each name refers to. For
 * a macro of PyTorch only its use is written, not the entities in its body.
 */
#include "uses_walk.h"

#include <string.h>

#include "cursor_name.h"

/* Context of the current cursor. */
struct inside {
    struct uses_walk *walk;
    /* callee of the call whose name comes next; the name is not counted as a use */
    CXCursor callee;
    /* function of the backend; registrations are in functions that a macro named */
    CXCursor function;
    int in_case; /* inside a label of a switch */
};

static int is_type(enum CXCursorKind kind)
{
    return kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl ||
           kind == CXCursor_ClassTemplate || kind == CXCursor_ClassTemplatePartialSpecialization;
}

static const char *way_of(CXCursor entity)
{
    const enum CXCursorKind kind = clang_getCursorKind(entity);
    if (drift_is_function(kind))
        return "address";
    switch (kind) {
    case CXCursor_FieldDecl:
        return "field";
    case CXCursor_ClassDecl:
    case CXCursor_StructDecl:
    case CXCursor_UnionDecl:
    case CXCursor_ClassTemplate:
    case CXCursor_ClassTemplatePartialSpecialization:
    case CXCursor_EnumDecl:
    case CXCursor_TypedefDecl:
    case CXCursor_TypeAliasDecl:
    case CXCursor_TypeAliasTemplateDecl:
    case CXCursor_EnumConstantDecl:
    case CXCursor_ConceptDecl:
    case CXCursor_VarDecl:
        return "name";
    default:
        return NULL; /* namespaces, parameters, labels */
    }
}

static enum CXChildVisitResult count_enumerators(CXCursor cursor, CXCursor parent,
                                                 CXClientData data)
{
    (void)parent;
    *(int *)data += clang_getCursorKind(cursor) == CXCursor_EnumConstantDecl;
    return CXChildVisit_Continue;
}

/* Writes each enumerator separately: the reader of the output recognizes a table over an
 * enumeration by the number of enumerators that one file uses. */
static void emit_enumerator(const struct inside *inside, CXCursor at, CXCursor enumerator)
{
    const CXCursor owner = clang_getCursorSemanticParent(enumerator);
    char flags[32];
    int total = 0;
    clang_visitChildren(owner, count_enumerators, &total);
    snprintf(flags, sizeof flags, "of=%d", total);
    uses_emit(inside->walk, "name", at, enumerator, flags);
    if (inside->in_case)
        uses_emit(inside->walk, "switch", at, owner, "");
}

static void emit_name(const struct inside *inside, CXCursor at, CXCursor entity)
{
    const char *way = way_of(entity);
    if (!way || !uses_is_upstream(inside->walk, entity))
        return;
    if (clang_getCursorKind(entity) == CXCursor_EnumConstantDecl)
        emit_enumerator(inside, at, entity);
    else
        uses_emit(inside->walk, way, at, entity, "");
}

/* In a template a name may refer to several functions until it is instantiated. */
static void emit_candidates(const struct inside *inside, CXCursor at, CXCursor names)
{
    const unsigned count = clang_getNumOverloadedDecls(names);
    for (unsigned i = 0; i < count; i++) {
        const CXCursor entity = uses_entity(clang_getOverloadedDecl(names, i));
        if (uses_is_upstream(inside->walk, entity))
            uses_emit(inside->walk,
                      drift_is_function(clang_getCursorKind(entity)) ? "call" : "name", at, entity,
                      "candidate");
    }
}

static int is_reference(enum CXCursorKind kind)
{
    return kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr ||
           kind == CXCursor_TypeRef || kind == CXCursor_TemplateRef || kind == CXCursor_MemberRef ||
           kind == CXCursor_VariableRef || kind == CXCursor_OverloadedDeclRef;
}

static int is_written_by_backend(const struct inside *inside, CXCursor cursor)
{
    return uses_owner_of(&inside->walk->places, cursor) == USES_OWN &&
           !uses_spots_has(&inside->walk->macros, cursor);
}

static void visit_reference(const struct inside *inside, CXCursor cursor)
{
    if (!is_written_by_backend(inside, cursor))
        return;
    const CXCursor referenced = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(referenced) == CXCursor_OverloadedDeclRef) {
        emit_candidates(inside, cursor, referenced);
        return;
    }
    const CXCursor entity = uses_entity(referenced);
    if (!clang_Cursor_isNull(inside->callee) && clang_equalCursors(entity, inside->callee))
        return;
    emit_name(inside, cursor, entity);
}

/* --- calls ----------------------------------------------------------------------------------- */

static enum CXChildVisitResult find_literal(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_StringLiteral)
        return CXChildVisit_Recurse;
    *(CXCursor *)data = cursor;
    return CXChildVisit_Break;
}

/* The text of the first literal in an argument, without quotes; "" if there is none. */
static void literal_of(CXCursor argument, char *text, size_t size)
{
    CXCursor literal = clang_getNullCursor();
    *text = '\0';
    if (clang_getCursorKind(argument) == CXCursor_StringLiteral)
        literal = argument;
    else
        clang_visitChildren(argument, find_literal, &literal);
    if (clang_Cursor_isNull(literal))
        return;
    CXString spelling = clang_getCursorSpelling(literal);
    const char *quoted = clang_getCString(spelling);
    if (quoted && *quoted == '"' && !strpbrk(quoted, "\n\t\\"))
        snprintf(text, size, "%.*s", (int)strcspn(quoted + 1, "\""), quoted + 1);
    clang_disposeString(spelling);
}

/* TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) defines TORCH_LIBRARY_IMPL_init_aten_PrivateUse1_3. */
static int library_of(const struct inside *inside, char *name, size_t size, char **key)
{
    static const char *const makers[] = {"TORCH_LIBRARY_IMPL_init_", "TORCH_LIBRARY_FRAGMENT_init_",
                                         "TORCH_LIBRARY_init_"};
    CXString spelling = clang_getCursorSpelling(inside->function);
    const char *function = clang_getCString(spelling);
    int made = 0;
    *key = "";
    for (size_t i = 0; function && i < sizeof makers / sizeof *makers && !made; i++) {
        const size_t length = strlen(makers[i]);
        if (strncmp(function, makers[i], length) != 0)
            continue;
        made = 1;
        snprintf(name, size, "%s", function + length);
        char *last = strrchr(name, '_');
        if (i < 2 && last) { /* the number that makes it unique */
            *last = '\0';
            last = strrchr(name, '_');
        }
        if (i == 0 && last) {
            *last = '\0';
            *key = last + 1;
        }
    }
    clang_disposeString(spelling);
    return made;
}

static int is_library_method(CXCursor callee, const char *name)
{
    struct hn_buffer text;
    hn_buffer_init(&text, 256);
    drift_cursor_name(callee, &text);
    const int is =
        strncmp(text.text, "torch::Library::", 16) == 0 && strcmp(text.text + 16, name) == 0;
    hn_buffer_finish(&text);
    return is;
}

/* m.impl("add.Tensor", ...) registers aten::add.Tensor; m.def("foo(Tensor x) -> Tensor")
 * defines foo. */
static void emit_registration(const struct inside *inside, CXCursor call, CXCursor callee)
{
    char library[128], operator[256], id[400], flags[160], *key;
    const int impl = is_library_method(callee, "impl");
    if (!impl && !is_library_method(callee, "def"))
        return;
    literal_of(clang_Cursor_getArgument(call, 0), operator, sizeof operator);
    if (!*operator|| !library_of(inside, library, sizeof library, &key))
        return;
    operator[strcspn(operator, "( ")] = '\0';
    if (strstr(operator, "::"))
        snprintf(id, sizeof id, "%s", operator);
    else
        snprintf(id, sizeof id, "%s::%s", library, operator);
    snprintf(flags, sizeof flags, "key=%s", impl ? key : "def");
    uses_emit_text(inside->walk, "register", call, "op:", id, flags);
}

/* findSchemaOrThrow("aten::add", "Tensor") calls an operator by its name. */
static void emit_dispatch(const struct inside *inside, CXCursor call, CXCursor callee)
{
    char name[256], overload[128], id[400];
    CXString spelling = clang_getCursorSpelling(callee);
    const char *function = clang_getCString(spelling);
    const int finds = function && strncmp(function, "findSchema", 10) == 0;
    clang_disposeString(spelling);
    if (!finds || clang_Cursor_getNumArguments(call) < 2)
        return;
    literal_of(clang_Cursor_getArgument(call, 0), name, sizeof name);
    literal_of(clang_Cursor_getArgument(call, 1), overload, sizeof overload);
    if (!*name)
        return;
    snprintf(id, sizeof id, "%s%s%s", name, *overload ? "." : "", overload);
    uses_emit_text(inside->walk, "dispatch", call, "op:", id, "");
}

static enum CXChildVisitResult find_callee(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_UnexposedExpr)
        return CXChildVisit_Recurse;
    *(CXCursor *)data = cursor;
    return CXChildVisit_Break;
}

/* A free function that is called without its namespace. The reader of the output decides whether a
 * using directive or the enclosing namespace makes the name visible; otherwise the compiler found
 * the function by the types of the arguments (ADL). */
static int is_unqualified(CXCursor call, CXCursor callee)
{
    const enum CXCursorKind kind = clang_getCursorKind(callee);
    CXCursor name = clang_getNullCursor();
    if (kind != CXCursor_FunctionDecl && kind != CXCursor_FunctionTemplate)
        return 0;
    clang_visitChildren(call, find_callee, &name);
    return clang_getCursorKind(name) == CXCursor_DeclRefExpr &&
           !drift_has_child(name, CXCursor_NamespaceRef);
}

static void namespace_of(CXCursor cursor, struct hn_buffer *out)
{
    CXCursor scope = clang_getCursorSemanticParent(cursor);
    while (!clang_Cursor_isNull(scope) && clang_getCursorKind(scope) != CXCursor_Namespace &&
           clang_getCursorKind(scope) != CXCursor_TranslationUnit)
        scope = clang_getCursorSemanticParent(scope);
    if (clang_getCursorKind(scope) != CXCursor_Namespace)
        return;
    if (clang_Cursor_isAnonymous(scope) || clang_Cursor_isInlineNamespace(scope))
        namespace_of(scope, out);
    else
        drift_cursor_name(scope, out);
}

/* "in=" is the namespace that contains the call. */
static const char *unqualified_flags(const struct inside *inside)
{
    struct hn_buffer *flags = &inside->walk->flags;
    hn_buffer_clear(flags);
    hn_buffer_puts(flags, "in=");
    if (!clang_Cursor_isNull(inside->function))
        namespace_of(inside->function, flags);
    return flags->text;
}

static void visit_call(struct inside *inside, CXCursor call)
{
    const CXCursor callee = uses_entity(clang_getCursorReferenced(call));
    if (clang_Cursor_isNull(callee) || !drift_is_function(clang_getCursorKind(callee)))
        return;
    inside->callee = callee;
    if (!uses_is_upstream(inside->walk, callee) || !is_written_by_backend(inside, call))
        return;
    const char *flags = is_unqualified(call, callee) ? unqualified_flags(inside) : "";
    uses_emit(inside->walk, "call", call, callee, flags);
    emit_registration(inside, call, callee);
    emit_dispatch(inside, call, callee);
}

/* --- other expressions and declarations ------------------------------------------------------- */

static void visit_initialiser(const struct inside *inside, CXCursor list)
{
    const CXType type = clang_getCanonicalType(clang_getCursorType(list));
    const CXCursor class = uses_entity(clang_getTypeDeclaration(type));
    if (type.kind == CXType_Record && is_written_by_backend(inside, list) &&
        uses_is_upstream(inside->walk, class))
        uses_emit(inside->walk, "aggregate", list, class, "");
}

static void visit_class(const struct inside *inside, CXCursor class)
{
    if (!clang_isCursorDefinition(class))
        return;
    uses_walk_class(inside->walk, class);
    const CXCursor template = uses_entity(class);
    if (!clang_equalCursors(template, class) && uses_is_upstream(inside->walk, template))
        uses_emit(inside->walk, "specialise", class, template, "");
}

static int is_declared_at_file_scope(CXCursor cursor, enum CXCursorKind kind)
{
    const enum CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(cursor));
    if (parent != CXCursor_Namespace && parent != CXCursor_TranslationUnit)
        return 0;
    return kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate ||
           kind == CXCursor_VarDecl || kind == CXCursor_EnumDecl || kind == CXCursor_TypedefDecl ||
           kind == CXCursor_TypeAliasDecl || kind == CXCursor_UnionDecl || is_type(kind);
}

/* A name that the backend declares, or an entity of PyTorch that the backend declares again. */
static void visit_file_scope(const struct inside *inside, CXCursor cursor)
{
    if (!is_written_by_backend(inside, cursor))
        return;
    const CXCursor first = clang_getCanonicalCursor(cursor);
    struct hn_buffer *name = &inside->walk->flags;
    if (!clang_equalCursors(first, cursor) && uses_is_upstream(inside->walk, first)) {
        uses_emit(inside->walk, drift_is_function(clang_getCursorKind(first)) ? "call" : "name",
                  cursor, first, "redeclared");
        return;
    }
    const CXCursor home = clang_getCanonicalCursor(clang_getCursorSemanticParent(cursor));
    const int theirs = clang_getCursorKind(home) == CXCursor_Namespace &&
                       !clang_Cursor_isAnonymous(home) && uses_is_upstream(inside->walk, home);
    hn_buffer_clear(name);
    drift_cursor_name(cursor, name);
    if (name->length && !strchr(name->text, '<')) /* a specialisation is not a new name */
        uses_emit_text(inside->walk, "own", cursor, "cxx:", name->text,
                       !theirs                            ? ""
                       : clang_isCursorDefinition(cursor) ? "theirs"
                                                          : "theirs,declared");
}

static enum CXChildVisitResult find_namespace(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_NamespaceRef)
        /* the last reference stands for the whole name */
        *(CXCursor *)data = clang_getCursorReferenced(cursor);
    return CXChildVisit_Continue;
}

static void visit_using(const struct inside *inside, CXCursor directive)
{
    CXCursor opened = clang_getNullCursor();
    struct hn_buffer *name = &inside->walk->flags;
    clang_visitChildren(directive, find_namespace, &opened);
    if (clang_Cursor_isNull(opened))
        return;
    hn_buffer_clear(name);
    drift_cursor_name(opened, name);
    uses_emit_text(inside->walk, "using", directive, "cxx:", name->text, "");
}

/* --- the walk --------------------------------------------------------------------------------- */

static void visit_declaration(struct inside *inside, CXCursor cursor, enum CXCursorKind kind)
{
    if (is_type(kind))
        visit_class(inside, cursor);
    if (is_declared_at_file_scope(cursor, kind))
        visit_file_scope(inside, cursor);
    if (drift_is_function(kind))
        inside->function = cursor;
    if (kind == CXCursor_UsingDirective)
        visit_using(inside, cursor);
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct inside inside = *(const struct inside *)data;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    /* The name of a callee can only be wrapped in implicit conversions. */
    if (clang_getCursorKind(parent) != CXCursor_CallExpr &&
        clang_getCursorKind(parent) != CXCursor_UnexposedExpr)
        inside.callee = clang_getNullCursor();
    if (clang_isDeclaration(kind))
        visit_declaration(&inside, cursor, kind);
    else if (kind == CXCursor_CallExpr)
        visit_call(&inside, cursor);
    else if (kind == CXCursor_InitListExpr)
        visit_initialiser(&inside, cursor);
    else if (is_reference(kind))
        visit_reference(&inside, cursor);
    if (clang_getCursorKind(parent) == CXCursor_CaseStmt)
        inside.in_case = kind != CXCursor_CompoundStmt && !clang_isStatement(kind);
    clang_visitChildren(cursor, visit, &inside);
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult visit_top(CXCursor cursor, CXCursor parent, CXClientData data)
{
    const struct inside *inside = data;
    CXFile file = NULL;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    if (uses_owner_of_file(&inside->walk->places, file) != USES_OWN)
        return CXChildVisit_Continue;
    if (clang_isPreprocessing(clang_getCursorKind(cursor)))
        uses_walk_directive(inside->walk, cursor);
    else
        visit(cursor, parent, data);
    return CXChildVisit_Continue;
}

void uses_walk_unit(struct uses_walk *walk, CXTranslationUnit unit)
{
    struct inside inside = {
        .walk = walk, .callee = clang_getNullCursor(), .function = clang_getNullCursor()};
    clang_visitChildren(clang_getTranslationUnitCursor(unit), visit_top, &inside);
}
