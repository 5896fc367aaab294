/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the inheritance of a class: every base up to the root, because a new member of a root
 * affects all descendants; every function that the class overrides, with or without the keyword;
 * and the names of its own members, which may conflict with a later member of a base.
 */
#include <stdlib.h>
#include <string.h>

#include "cursor_name.h"
#include "uses_walk.h"

#define BASES_MAX 64

struct bases {
    struct uses_walk *walk;
    CXCursor found[BASES_MAX];
    int indirect[BASES_MAX]; /* the base is inherited through a class of the backend */
    int count, depth;
    const struct given *given; /* arguments of the template whose bases are visited */
};

/* The arguments of a template that is a base, and the arguments of the template that derives from
 * this base. */
struct given {
    CXType type;
    const struct given *outer;
};

/* The index of a template parameter among the arguments, found by its name, because libclang
 * gives nothing else; -1 for any other type. */
static long parameter_place(CXType type)
{
    const CXString spelling = clang_getTypeSpelling(type);
    const char *text = clang_getCString(spelling);
    const char *place = text ? strrchr(text, '-') : NULL;
    const long found =
        place && !strncmp(text, "type-parameter-", 15) ? strtol(place + 1, NULL, 10) : -1;
    clang_disposeString(spelling);
    return found;
}

/* If a base is a template parameter, returns its argument, from this template or an outer one. */
static CXType type_of_base(CXCursor specifier, const struct given *given)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(specifier));
    for (long place = parameter_place(type); place >= 0 && given; given = given->outer) {
        type = clang_getCanonicalType(
            clang_Type_getTemplateArgumentAsType(given->type, (unsigned)place));
        place = parameter_place(type);
    }
    return type;
}

static CXCursor class_of_base(CXCursor specifier, CXType type)
{
    CXCursor class = uses_entity(clang_getTypeDeclaration(type));
    if (clang_isInvalid(clang_getCursorKind(class))) /* it depends on a template parameter */
        class = uses_entity(clang_getCursorReferenced(specifier));
    const CXCursor definition = clang_getCursorDefinition(class);
    return clang_Cursor_isNull(definition) ? class : definition;
}

/* Returns the flags of a function that overrides another function. */
static const char *flags_of(CXCursor method)
{
    const int says_so = drift_has_child(method, CXCursor_CXXOverrideAttr) ||
                        drift_has_child(method, CXCursor_CXXFinalAttr);
    return says_so || clang_getCursorKind(method) == CXCursor_Destructor ? "" : "no_override";
}

/* A method of a template that derives from its own parameter: the compiler does not know which
 * functions the method overrides. */
struct method {
    struct uses_walk *walk;
    CXCursor cursor;
    const char *name, *flags;
};

static enum CXChildVisitResult emit_if_overridden(CXCursor cursor, CXCursor parent,
                                                  CXClientData data)
{
    const struct method *method = data;
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_CXXBaseSpecifier) {
        const CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
        clang_visitChildren(class_of_base(cursor, type), emit_if_overridden, data);
    }
    if (!clang_CXXMethod_isVirtual(cursor) ||
        clang_Cursor_getNumArguments(cursor) != clang_Cursor_getNumArguments(method->cursor))
        return CXChildVisit_Continue;
    const CXString spelling = clang_getCursorSpelling(cursor);
    if (!strcmp(clang_getCString(spelling), method->name))
        uses_emit(method->walk, "override", method->cursor, uses_entity(cursor), method->flags);
    clang_disposeString(spelling);
    return CXChildVisit_Continue;
}

struct given_base {
    struct uses_walk *walk;
    CXCursor class;
};

static enum CXChildVisitResult look_at_method(CXCursor cursor, CXCursor parent, CXClientData data)
{
    const struct given_base *base = data;
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_CXXMethod)
        return CXChildVisit_Continue;
    const CXString name = clang_getCursorSpelling(cursor);
    struct method method = {base->walk, cursor, clang_getCString(name), flags_of(cursor)};
    clang_visitChildren(base->class, emit_if_overridden, &method);
    clang_disposeString(name);
    return CXChildVisit_Continue;
}

static void emit_given_overridden(struct uses_walk *walk, CXCursor template, CXCursor class)
{
    struct given_base base = {walk, class};
    if (uses_is_upstream(walk, class))
        clang_visitChildren(template, look_at_method, &base);
}

static int is_known(const struct bases *bases, CXCursor class)
{
    for (int i = 0; i < bases->count; i++)
        if (clang_equalCursors(bases->found[i], class))
            return 1;
    return 0;
}

static enum CXChildVisitResult add_base(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct bases *bases = data;
    if (clang_getCursorKind(cursor) != CXCursor_CXXBaseSpecifier || bases->count == BASES_MAX)
        return CXChildVisit_Continue;
    const struct given given = {type_of_base(cursor, bases->given), bases->given};
    const CXCursor class = class_of_base(cursor, given.type);
    if (is_known(bases, class))
        return CXChildVisit_Continue;
    if (bases->given && parameter_place(clang_getCanonicalType(clang_getCursorType(cursor))) >= 0)
        emit_given_overridden(bases->walk, parent, class);
    bases->indirect[bases->count] = bases->depth > 0;
    bases->found[bases->count++] = class;
    bases->depth++;
    bases->given = &given;
    clang_visitChildren(class, add_base, bases);
    bases->given = given.outer;
    bases->depth--;
    return CXChildVisit_Continue;
}

static void emit_bases(struct bases *bases, CXCursor class)
{
    for (int i = 0; i < bases->count; i++)
        if (uses_is_upstream(bases->walk, bases->found[i]))
            uses_emit(bases->walk, "derive", class, bases->found[i],
                      bases->indirect[i] ? "indirect" : "");
}

/* Writes the functions of PyTorch that this method overrides, also through other classes. Returns
 * their number. */
static int emit_overridden(struct uses_walk *walk, CXCursor method, CXCursor at, const char *flags,
                           int depth)
{
    CXCursor *overridden = NULL;
    unsigned count = 0;
    int found = 0;
    if (depth > 8)
        return 0;
    clang_getOverriddenCursors(method, &overridden, &count);
    for (unsigned i = 0; i < count; i++) {
        const CXCursor entity = uses_entity(overridden[i]);
        if (uses_is_upstream(walk, entity)) {
            uses_emit(walk, "override", at, entity, flags);
            found++;
        }
        found += emit_overridden(walk, overridden[i], at, flags, depth + 1);
    }
    clang_disposeOverriddenCursors(overridden);
    return found;
}

static void emit_own_member(struct bases *bases, CXCursor member)
{
    struct hn_buffer *scratch = &bases->walk->flags;
    for (int i = 0; i < bases->count; i++) {
        if (!uses_is_upstream(bases->walk, bases->found[i]))
            continue;
        hn_buffer_clear(scratch);
        drift_cursor_name(uses_entity(bases->found[i]), scratch);
        hn_buffer_puts(scratch, "::");
        drift_add_string(scratch, clang_getCursorSpelling(member));
        uses_emit_text(bases->walk, "define", member, "cxx:", scratch->text, "");
    }
}

static enum CXChildVisitResult visit_member(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct bases *bases = data;
    const enum CXCursorKind kind = clang_getCursorKind(cursor);
    (void)parent;
    if (kind == CXCursor_CXXMethod || kind == CXCursor_Destructor) {
        const int overrides = emit_overridden(bases->walk, cursor, cursor, flags_of(cursor), 0);
        if (!overrides && kind == CXCursor_CXXMethod)
            emit_own_member(bases, cursor);
    } else if (kind == CXCursor_FieldDecl || kind == CXCursor_VarDecl ||
               kind == CXCursor_FunctionTemplate) {
        emit_own_member(bases, cursor);
    }
    return CXChildVisit_Continue;
}

void uses_walk_class(struct uses_walk *walk, CXCursor class)
{
    struct bases bases = {.walk = walk};
    clang_visitChildren(class, add_base, &bases);
    if (!bases.count)
        return;
    emit_bases(&bases, class);
    clang_visitChildren(class, visit_member, &bases);
}
