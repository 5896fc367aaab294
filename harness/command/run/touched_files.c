/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See touched_files.h.
 */
#include "touched_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anchor.h"
#include "command.h"
#include "homes.h"

#define LONGEST 512 /* room for a path, followed by a name */

struct changed {
    const struct hn_catalogue *catalogue;
    const struct hn_homes *homes;
    struct hn_buffer *expression;
    unsigned char *marked; /* checks that are chosen */
    const char *clause;    /* a clause about the file, if no check is about the file */
};

static int is_about(const struct hn_requirement *requirement, const char *place)
{
    return !strcmp(requirement->id, place) || hn_anchor_names(requirement->anchor, place);
}

/* Marks the checks of a place: FILE, FILE:NAME or the id of a clause. Returns 1 if there are
 * any. */
static int add_place(struct changed *changed, const char *place)
{
    const struct hn_catalogue *catalogue = changed->catalogue;
    int any = 0;
    for (size_t i = 0; i < catalogue->check_count; i++)
        for (size_t j = 0; j < catalogue->checks[i].covers_count; j++)
            if (is_about(catalogue->checks[i].covers[j], place))
                any = changed->marked[i] = 1;
    if (any)
        hn_buffer_printf(changed->expression, "%s%s%s", changed->expression->length ? "," : "",
                         strpbrk(place, "./") ? "file:" : "", place);
    return any;
}

typedef int (*place_use)(struct changed *changed, const char *place);

/* Calls `use` for each place of a row of homes.tsv. If the file moved to one other file, a name
 * after its path is looked up in that file. Returns 1 if `use` accepted some place. */
static int for_places(struct changed *changed, const struct hn_home *home, const char *file,
                      place_use use)
{
    const char *name = strchr(file, ':');
    const int moved = name && !strchr(home->about, ';') && strpbrk(home->about, "./");
    char place[LONGEST];
    int any = 0;
    for (const char *rest = home->about; *rest; rest += *rest == ';') {
        const size_t length = strcspn(rest, ";");
        snprintf(place, sizeof place, "%.*s%s", (int)length, rest, moved ? name : "");
        any |= use(changed, place);
        rest += length;
    }
    return any;
}

/* Finds the clause that a place is about, for the message about a file without checks. */
static int find_clause(struct changed *changed, const char *place)
{
    const struct hn_catalogue *catalogue = changed->catalogue;
    for (size_t i = 0; i < catalogue->requirement_count && !changed->clause; i++)
        if (is_about(&catalogue->requirements[i], place))
            changed->clause = catalogue->requirements[i].id;
    return changed->clause != NULL;
}

/* Returns 1 if it is known which checks are about the file, even if there are none. */
static int add_file(struct changed *changed, const char *file)
{
    const struct hn_home *home = hn_homes_find(changed->homes, file);
    int known = add_place(changed, file);
    if (home && strcmp(home->about, "-") == 0)
        return known || fprintf(stderr, "no backend uses %s: %s\n", file, home->why) > 0;
    if (home)
        known |= for_places(changed, home, file, add_place);
    if (!known && !find_clause(changed, file) && home)
        for_places(changed, home, file, find_clause);
    return known;
}

/* A source file stands for the header of the same name, in which a name after the path is looked
 * up. */
static int add_header(struct changed *changed, const char *file)
{
    static const char *const sources[] = {".cpp", ".cc", ".cxx", ".c"};
    static const char *const headers[] = {".h", ".hpp"};
    const size_t length = strcspn(file, ":");
    char header[LONGEST];
    int known = 0;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const size_t size = strlen(sources[i]);
        if (length <= size || strncmp(file + length - size, sources[i], size) != 0)
            continue;
        for (size_t j = 0; j < sizeof headers / sizeof *headers; j++) {
            snprintf(header, sizeof header, "%.*s%s%s", (int)(length - size), file, headers[j],
                     file + length);
            known |= add_file(changed, header);
        }
    }
    return known;
}

static void say_unknown(const char *file, const char *clause)
{
    if (clause)
        fprintf(stderr, "unknown: %s: no check covers the clauses about it (%s)\n", file, clause);
    else
        fprintf(stderr, "unknown: %s: no clause is anchored in this file or known to be about it\n",
                file);
}

static int add_files(struct changed *changed, char *files)
{
    int unknown = 0;
    char *file;
    while ((file = strsep(&files, ","))) {
        if (!*file)
            continue;
        const int known =
            strlen(file) < LONGEST - 8 && (add_file(changed, file) || add_header(changed, file));
        if (!known)
            say_unknown(file, changed->clause);
        unknown |= !known;
    }
    return unknown;
}

static void say_count(const struct changed *changed)
{
    size_t count = 0;
    for (size_t i = 0; i < changed->catalogue->check_count; i++)
        count += changed->marked[i];
    fprintf(stderr, "%zu check%s about what changed; %zu others are not selected\n", count,
            count == 1 ? " is" : "s are", changed->catalogue->check_count - count);
}

int hn_touched_files(const struct hn_catalogue *catalogue, const char *files,
                     struct hn_buffer *expression, int *unknown)
{
    struct hn_homes *homes;
    struct hn_error error;
    if (hn_homes_read(catalogue->folder, &homes, &error) != HN_OK)
        return hn_print_error(&error);
    char *words = strdup(files);
    struct changed changed = {catalogue, homes, expression, calloc(catalogue->check_count + 1, 1),
                              NULL};
    const int status = words && changed.marked ? 0 : HN_EXIT_SYSTEM;
    if (!status) {
        *unknown = add_files(&changed, words);
        say_count(&changed);
    }
    free(words);
    free(changed.marked);
    hn_homes_destroy(homes);
    return status;
}
