/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See interface_name.h. A table has the error messages of gcc, clang, ld, ld.so and Python. Called
 * by run_intake.c for a failed build or load step. The log is untrusted.
 */
#include "interface_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"

#define LINE_MAX_BYTES 2000

/* A function of libstdc++. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

enum place {
    AFTER,     /* the quoted text after the marker */
    BEFORE,    /* the quoted text before it */
    IN_OTHER,  /* 'member' marker 'scope': scope::member */
    OF_OTHER,  /* 'scope' marker 'member': scope::member */
    REST,      /* the words after it, to the end of the line or a ": " */
    ASSERTED,  /* the first qualified name after it, else those words */
    SYMBOL,    /* the mangled name after it */
    ATTRIBUTE, /* 'module' marker 'name': module.name */
    IMPORTED,  /* marker 'name' from 'module': module.name */
};

struct complaint {
    const char *marker;
    enum place place;
    const char *says;
};

/* The first row that matches a line of the log decides, so the most informative messages come
 * first. Quotes may be ' or ` or curly ones; a marker that contains quotes is written with '. */
static const struct complaint complaints[] = {
    {"note:  'virtual ", AFTER,
     "is pure virtual and not implemented by the backend: it is new or has another signature"},
    {"unimplemented pure virtual method", IN_OTHER,
     "is pure virtual and not implemented by the backend: it is new or has another signature"},
    {"conflicting return type specified for", AFTER, "returns another type"},
    {"virtual function '", AFTER, "has another signature"},
    {"hidden overloaded virtual function", AFTER, "has another signature"},
    {"marked 'override', but does not override", BEFORE,
     "has another signature: the backend's function overrides nothing"},
    {"file not found", BEFORE, "is a header that is no longer there"},
    {"fatal error: ", REST, "is a header that is no longer there"},
    {"is not a member of", IN_OTHER, "is no longer there"},
    {"has no member named", OF_OTHER, "is no longer there"},
    {"no member named", IN_OTHER, "is no longer there"},
    {"was not declared in this scope", BEFORE, "is no longer there"},
    {"use of undeclared identifier", AFTER, "is no longer there"},
    {"does not name a type", BEFORE, "is no longer there"},
    {"has not been declared", BEFORE, "is no longer there"},
    {"static assertion failed: ", ASSERTED, "is an assumption of the backend that no longer holds"},
    {"static assertion failed due to requirement", AFTER,
     "is an assumption of the backend that no longer holds"},
    {"static_assert(", ASSERTED, "is an assumption of the backend that no longer holds"},
    {"no matching function for call to", AFTER, "takes other arguments"},
    {"too few arguments to function", AFTER, "takes other arguments"},
    {"too many arguments to function", AFTER, "takes other arguments"},
    {"initializing argument", REST, "takes other arguments"},
    {"cannot convert", AFTER, "has another type"},
    {"invalid conversion from", AFTER, "has another type"},
    {"undefined reference to", AFTER, "is not in PyTorch's libraries"},
    {"undefined symbol: ", SYMBOL, "is not in PyTorch's libraries"},
    {"has no attribute", ATTRIBUTE, "is no longer there"},
    {"cannot import name", IMPORTED, "is no longer there"},
    {"No module named", AFTER, "is no longer there"},
};

/* Replaces every kind of quote by ', and every run of blanks after "note:" by two blanks. */
static void plain_quotes(const char *from, size_t length, char *line, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < size; i++) {
        const int curly = i + 2 < length && memcmp(from + i, "\xe2\x80", 2) == 0 &&
                          (from[i + 2] == '\x98' || from[i + 2] == '\x99');
        const int blank = from[i] == ' ' || from[i] == '\t';
        if (blank && (!used || (used >= 2 && line[used - 1] == ' ' && line[used - 2] == ' ')))
            continue;
        line[used++] = curly || from[i] == '`' ? '\'' : blank ? ' ' : from[i];
        i += curly ? 2 : 0;
    }
    line[used] = '\0';
}

static void take(const char *from, size_t length, char *text, size_t size)
{
    snprintf(text, size, "%.*s", (int)(length < size ? length : size - 1), from);
}

/* Copies the text of the next quotes at or after `at`; returns the text after it, or NULL. */
static const char *quoted(const char *at, char *text, size_t size)
{
    const char *open = strchr(at, '\''), *close = open ? strchr(open + 1, '\'') : NULL;
    text[0] = '\0';
    if (!close || close == open + 1)
        return NULL;
    take(open + 1, (size_t)(close - open - 1), text, size);
    return close + 1;
}

static void last_quoted_before(const char *line, const char *end, char *text, size_t size)
{
    char head[LINE_MAX_BYTES];
    const char *at = head;
    take(line, (size_t)(end - line), head, sizeof head);
    text[0] = '\0';
    for (char found[512]; (at = quoted(at, found, sizeof found)) != NULL;)
        snprintf(text, size, "%s", found);
}

static void demangled(const char *from, char *name, size_t size)
{
    char symbol[512];
    int status = 0;
    take(from, strcspn(from, " \t\n,;:)'\""), symbol, sizeof symbol);
    char *readable = __cxa_demangle(symbol, NULL, NULL, &status);
    snprintf(name, size, "%s", readable ? readable : symbol);
    free(readable);
}

/* Removes the words before the name in "virtual void* c10::Allocator::allocate(size_t) const" or
 * "class X". */
static const char *bare(const char *name)
{
    static const char *const words[] = {"virtual ", "struct ", "class ", "namespace "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(name, words[i], strlen(words[i])) == 0)
            name += strlen(words[i]);
    /* The return type does not help to identify the function. */
    const char *arguments = strchr(name, '('), *start = arguments;
    while (start && start > name && start[-1] != ' ')
        start--;
    return start && start < arguments ? start : name;
}

static void join(const char *scope, const char *between, const char *member, char *name,
                 size_t size)
{
    if (!member[0] || !scope[0] || strncmp(member, scope, strlen(scope)) == 0)
        snprintf(name, size, "%s", member);
    else
        snprintf(name, size, "%s%s%s", bare(scope), between, member);
}

static size_t rest_length(const char *text)
{
    const char *end = strstr(text, ": ");
    return end ? (size_t)(end - text) : strlen(text);
}

static void take_qualified(const char *text, char *name, size_t size)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:";
    const char *scope = strstr(text, "::");
    size_t before = scope ? (size_t)(scope - text) : 0;
    if (!scope) {
        take(text, rest_length(text), name, size);
        return;
    }
    while (before && strchr(letters, text[before - 1]))
        before--;
    take(text + before, strspn(text + before, letters), name, size);
}

static void read_name(const struct complaint *complaint, const char *line, const char *found,
                      char *name, size_t size)
{
    const char *behind = found + strlen(complaint->marker), *next;
    char first[512], second[512] = "";
    switch (complaint->place) {
    case AFTER:
        /* A marker may end after the opening quote. */
        if (behind[-1] == '\'' || strstr(complaint->marker, "'virtual"))
            behind = strchr(found, '\'');
        quoted(behind, first, sizeof first);
        snprintf(name, size, "%s", bare(first));
        return;
    case BEFORE:
        last_quoted_before(line, found, first, sizeof first);
        snprintf(name, size, "%s", bare(first));
        return;
    case IN_OTHER: /* clang writes both names after the marker, gcc one name on each side */
        next = quoted(behind, second, sizeof second);
        last_quoted_before(line, found, first, sizeof first);
        if (!first[0] && next) {
            snprintf(first, sizeof first, "%s", second);
            quoted(next, second, sizeof second);
        }
        join(second, "::", first, name, size);
        return;
    case OF_OTHER:
    case ATTRIBUTE:
        last_quoted_before(line, found, first, sizeof first);
        quoted(behind, second, sizeof second);
        join(first, complaint->place == ATTRIBUTE ? "." : "::", second, name, size);
        return;
    case IMPORTED:
        next = quoted(behind, first, sizeof first);
        if (next)
            quoted(next, second, sizeof second);
        join(second, ".", first, name, size);
        return;
    case REST:
        take(behind, rest_length(behind), name, size);
        return;
    case ASSERTED:
        take_qualified(behind, name, size);
        return;
    case SYMBOL:
        demangled(behind, name, size);
        return;
    }
}

static void clean_into(const char *from, size_t most, char *text, size_t size)
{
    struct hn_buffer clean;
    hn_buffer_init(&clean, size - 1);
    ci_clean(&clean, from, most);
    snprintf(text, size, "%s", clean.text);
    hn_buffer_finish(&clean);
}

/* Steps through the lines of the log: returns 1, or 0 at its end. */
static int next_line(const char **log, char *line, size_t size)
{
    const size_t length = strcspn(*log, "\n");
    if (!**log)
        return 0;
    plain_quotes(*log, length, line, size);
    *log += length + ((*log)[length] == '\n');
    return 1;
}

static int find_complaint(const struct complaint *complaint, const char *log, char *name,
                          size_t name_size, char *line)
{
    char raw[1024] = "";
    while (next_line(&log, line, LINE_MAX_BYTES)) {
        const char *found = strstr(line, complaint->marker);
        if (!found)
            continue;
        read_name(complaint, line, found, raw, sizeof raw);
        clean_into(raw, name_size > 40 ? name_size - 40 : 1, name, name_size);
        if (name[0])
            return 1;
    }
    return 0;
}

static void find_any_line(const char *log, char *line)
{
    char at[LINE_MAX_BYTES];
    line[0] = '\0';
    while (next_line(&log, at, sizeof at)) {
        if (at[strspn(at, " ")])
            memcpy(line, at, sizeof at);
        if (strstr(at, "error"))
            return;
    }
}

const char *ci_interface_find(const char *log, char *name, size_t name_size, char *line,
                              size_t line_size)
{
    char raw[LINE_MAX_BYTES];
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++)
        if (find_complaint(&complaints[i], log, name, name_size, raw)) {
            clean_into(raw, 400, line, line_size);
            return complaints[i].says;
        }
    name[0] = '\0';
    find_any_line(log, raw);
    clean_into(raw, 400, line, line_size);
    return "";
}
