/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests whether the wheel of a backend accepts this torch. Reads Requires-Dist of its METADATA,
 * and compares release numbers as far as torch uses them. See preflight.h.
 */
#include "preflight.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS 4

struct release {
    unsigned long part[PARTS];
    size_t given; /* number of written parts */
    int wildcard; /* "2.13.*" */
};

/* Reads the release of "2.13.0+cpu", and ignores the part after a plus or a letter. */
static const char *read_release(const char *text, struct release *release)
{
    char *end;
    *release = (struct release){0};
    while (release->given < PARTS && isdigit((unsigned char)*text)) {
        release->part[release->given++] = strtoul(text, &end, 10);
        text = end;
        if (*text != '.')
            break;
        text++;
        if (*text == '*') {
            release->wildcard = 1;
            return text + 1;
        }
    }
    while (*text != '\0' && *text != ',' && *text != ';' && !isspace((unsigned char)*text))
        text++;
    return text;
}

static int compare(const struct release *left, const struct release *right, size_t parts)
{
    for (size_t i = 0; i < parts; i++)
        if (left->part[i] != right->part[i])
            return left->part[i] < right->part[i] ? -1 : 1;
    return 0;
}

/* Longer operators come first, because they begin with the shorter operators. */
static const char *const operators[] = {"===", "==", "~=", ">=", "<=", "!=", "<", ">"};
#define OPERATORS (sizeof operators / sizeof operators[0])

static int holds(const char *sign, const struct release *version, const struct release *asked)
{
    const int order = compare(version, asked, PARTS);
    const int same = asked->wildcard ? compare(version, asked, asked->given) == 0 : order == 0;
    if (strcmp(sign, "==") == 0 || strcmp(sign, "===") == 0)
        return same;
    if (strcmp(sign, "!=") == 0)
        return !same;
    if (strcmp(sign, "~=") == 0)
        return order >= 0 && compare(version, asked, asked->given - 1) == 0;
    return (sign[0] == '<' && order < 0) || (sign[0] == '>' && order > 0) ||
           (sign[1] == '=' && order == 0);
}

int hn_preflight_accepts(const char *specifiers, const char *version)
{
    struct release here, asked;
    const char *text = specifiers;
    read_release(version, &here);
    if (here.given == 0)
        return -1;
    for (;;) {
        text += strspn(text, " \t,()");
        if (*text == '\0' || *text == ';' || *text == '\n')
            return 1;
        size_t i = 0;
        while (i < OPERATORS && strncmp(text, operators[i], strlen(operators[i])) != 0)
            i++;
        if (i == OPERATORS)
            return -1;
        text += strlen(operators[i]);
        text += strspn(text, " \t");
        text = read_release(text, &asked);
        if (asked.given == 0)
            return -1;
        if (!holds(operators[i], &here, &asked))
            return 0;
    }
}

/* Returns the specifiers of a Requires-Dist line about torch itself; NULL for other lines. */
static const char *about_torch(const char *line)
{
    static const char head[] = "Requires-Dist:";
    if (strncmp(line, head, sizeof head - 1) != 0)
        return NULL;
    line += sizeof head - 1;
    line += strspn(line, " \t");
    if (strncmp(line, "torch", 5) != 0)
        return NULL;
    line += 5;
    line += strspn(line, " \t");
    return strchr("=<>!~(;\r\n", *line) ? line : NULL;
}

static int judge(const struct hn_preflight *preflight, const char *path, char *specifiers)
{
    char sentence[1024];
    specifiers[strcspn(specifiers, ";\r\n")] = '\0';
    const int accepts = hn_preflight_accepts(specifiers, preflight->torch_version);
    if (accepts == 1)
        return 0;
    snprintf(sentence, sizeof sentence,
             accepts == 0
                 ? "%s requires torch %s, but torch %s is installed: install a release of the "
                   "backend for this torch, or the required torch"
                 : "%s requires torch \"%s\", which cannot be compared with %s: check by hand",
             path, specifiers, preflight->torch_version);
    /* A mismatch is only a warning, because a package may require more than its library needs to
     * load. */
    preflight->tell(preflight->context, "warning", sentence);
    return 0;
}

int hn_preflight_metadata(const struct hn_preflight *preflight, const char *path)
{
    char line[1024];
    int errors = 0;
    FILE *const stream = fopen(path, "re");
    /* Headers end at the first empty line; the text after it is the description of the package. */
    while (stream && fgets(line, sizeof line, stream) && line[0] != '\n') {
        const char *const specifiers = about_torch(line);
        if (specifiers)
            errors += judge(preflight, path, line + (specifiers - line));
    }
    if (stream)
        fclose(stream);
    return errors;
}
