/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See uses_emit.h.
 */
#include "uses_emit.h"

#include "cursor_name.h"

static int is_nothing(CXCursor cursor)
{
    return clang_Cursor_isNull(cursor) || clang_isInvalid(clang_getCursorKind(cursor));
}

CXCursor uses_entity(CXCursor cursor)
{
    for (int depth = 0; depth < 8 && !is_nothing(cursor); depth++) {
        const CXCursor made_from = clang_getSpecializedCursorTemplate(cursor);
        if (is_nothing(made_from) || clang_equalCursors(made_from, cursor))
            break;
        cursor = made_from;
    }
    return cursor;
}

int uses_is_upstream(struct uses_walk *walk, CXCursor entity)
{
    if (is_nothing(entity))
        return 0;
    const CXCursor others[] = {entity, clang_getCanonicalCursor(entity),
                               clang_getCursorDefinition(entity)};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!is_nothing(others[i]) && uses_owner_of(&walk->places, others[i]) == USES_UPSTREAM)
            return 1;
    return 0;
}

/* A field, a type or an inherited constructor inside an instantiation has no template of its
 * own, so the template of its class is used. */
static void add_id(CXCursor entity, struct hn_buffer *out)
{
    const CXCursor class = clang_getCursorSemanticParent(entity);
    const CXCursor made_from = uses_entity(class);
    if (is_nothing(class) || clang_equalCursors(made_from, class)) {
        drift_cursor_id(entity, out);
        return;
    }
    struct hn_buffer id, prefix;
    hn_buffer_init(&id, 1 << 16);
    hn_buffer_init(&prefix, 1 << 16);
    drift_cursor_id(entity, &id);
    drift_cursor_name(class, &prefix);
    drift_cursor_name(made_from, out);
    hn_buffer_puts(out, id.length > prefix.length ? id.text + prefix.length : "");
    hn_buffer_finish(&prefix);
    hn_buffer_finish(&id);
}

static void print_line(struct uses_walk *walk, const char *way, CXCursor at, const char *flags)
{
    CXFile file = NULL;
    unsigned line = 0;
    clang_getFileLocation(clang_getCursorLocation(at), &file, &line, NULL, NULL);
    CXString real = clang_File_tryGetRealPathName(file);
    const char *path = clang_getCString(real);
    if (walk->id.status == HN_OK)
        fprintf(walk->out, "%s\t%s\t%s\t%u\t%s%s\n", way, walk->id.text, path ? path : "", line,
                flags, uses_spots_is_own(&walk->macros, at) ? ",macro" : "");
    clang_disposeString(real);
}

void uses_emit(struct uses_walk *walk, const char *way, CXCursor at, CXCursor entity,
               const char *flags)
{
    hn_buffer_clear(&walk->id);
    hn_buffer_puts(&walk->id, "cxx:");
    add_id(entity, &walk->id);
    if (walk->id.length > 4)
        print_line(walk, way, at, flags);
}

void uses_emit_text(struct uses_walk *walk, const char *way, CXCursor at, const char *space,
                    const char *name, const char *flags)
{
    hn_buffer_clear(&walk->id);
    hn_buffer_puts(&walk->id, space);
    hn_buffer_puts(&walk->id, name);
    print_line(walk, way, at, flags);
}
