/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See scan.h.
 */
#include "scan.h"

#include <ctype.h>
#include <string.h>

#include "hash.h"

static int is_word(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || byte == '$' || (byte & 0x80);
}

static int begins(const struct drift_scan *scan, const char *text)
{
    const size_t length = strlen(text);
    return scan->end - scan->at >= length && memcmp(scan->text + scan->at, text, length) == 0;
}

static void skip_to(struct drift_scan *scan, const char *mark)
{
    while (scan->at < scan->end && !begins(scan, mark))
        scan->at++;
}

static void skip_blank(struct drift_scan *scan)
{
    while (scan->at < scan->end) {
        if (isspace((unsigned char)scan->text[scan->at]) || begins(scan, "\\\n") ||
            begins(scan, "\\\r")) {
            scan->at++;
        } else if (begins(scan, "//")) {
            skip_to(scan, "\n");
        } else if (begins(scan, "/*")) {
            skip_to(scan, "*/");
            scan->at += scan->at < scan->end ? 2 : 0;
        } else {
            return;
        }
    }
}

/* Skips R"mark( ... )mark", from the quote. */
static void skip_raw(struct drift_scan *scan)
{
    char mark[20] = ")";
    size_t length = 1;
    for (scan->at++; scan->at < scan->end && scan->text[scan->at] != '(' && length < 18; scan->at++)
        mark[length++] = scan->text[scan->at];
    mark[length++] = '"';
    mark[length] = '\0';
    skip_to(scan, mark);
    scan->at += scan->at < scan->end ? length : 0;
}

static void skip_quoted(struct drift_scan *scan)
{
    const char quote = scan->text[scan->at++];
    while (scan->at < scan->end && scan->text[scan->at] != quote && scan->text[scan->at] != '\n')
        scan->at += scan->text[scan->at] == '\\' && scan->at + 1 < scan->end ? 2 : 1;
    scan->at += scan->at < scan->end;
}

struct drift_token drift_scan_next(struct drift_scan *scan)
{
    skip_blank(scan);
    const size_t start = scan->at;
    if (begins(scan, "R\"")) {
        scan->at++;
        skip_raw(scan);
    } else if (begins(scan, "\"") || begins(scan, "'")) {
        skip_quoted(scan);
    } else if (scan->at < scan->end && is_word(scan->text[scan->at])) {
        const int number = isdigit((unsigned char)scan->text[scan->at]);
        while (scan->at < scan->end &&
               (is_word(scan->text[scan->at]) || (number && strchr("'.", scan->text[scan->at]))))
            scan->at++;
    } else if (begins(scan, "::")) {
        scan->at += 2;
    } else {
        scan->at += scan->at < scan->end;
    }
    return (struct drift_token){scan->text + start, scan->at - start};
}

int drift_token_is(struct drift_token token, const char *text)
{
    return token.length == strlen(text) && memcmp(token.text, text, token.length) == 0;
}

void drift_scan_normal(struct drift_scan scan, struct hn_buffer *out)
{
    int after_word = 0;
    for (struct drift_token token = drift_scan_next(&scan); token.length;
         token = drift_scan_next(&scan)) {
        const int word = is_word(*token.text) || *token.text == '"';
        if (word && after_word)
            hn_buffer_putc(out, ' ');
        hn_buffer_add(out, token.text, token.length);
        after_word = word;
        if (drift_token_is(token, ","))
            hn_buffer_putc(out, ' ');
    }
}

/* Words with which a function reports that it is not implemented. */
static int is_refusal(struct drift_token token)
{
    static const char *const words[] = {"throw", "TORCH_CHECK_NOT_IMPLEMENTED", "C10_THROW_ERROR",
                                        "TORCH_CHECK", "TORCH_INTERNAL_ASSERT"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (drift_token_is(token, words[i]))
            return 1;
    return token.length > 5 && memcmp(token.text, "FAIL_", 5) == 0;
}

/* A TORCH_CHECK counts as a throw only if its condition is the word false. */
static int refuses(struct drift_scan scan)
{
    const struct drift_token word = drift_scan_next(&scan);
    if (!is_refusal(word))
        return 0;
    if (!drift_token_is(word, "TORCH_CHECK") && !drift_token_is(word, "TORCH_INTERNAL_ASSERT") &&
        !drift_token_is(word, "TORCH_CHECK_NOT_IMPLEMENTED"))
        return 1;
    drift_scan_next(&scan);
    return drift_token_is(drift_scan_next(&scan), "false");
}

static int depth_of(struct drift_token token)
{
    if (token.length != 1)
        return 0;
    return strchr("([{", *token.text) ? 1 : strchr(")]}", *token.text) ? -1 : 0;
}

/* In `: a(1), b{2} {` a brace after a word is an initialiser, and a brace after a bracket is the
 * body. */
static int opens_body(struct drift_token token, struct drift_token before, int initialisers)
{
    if (!drift_token_is(token, "{"))
        return 0;
    return !initialisers || drift_token_is(before, ")") || drift_token_is(before, "}");
}

/* The number of the line that equals a word, from 1; 0 if there is none. */
static unsigned line_of(const char *lines, struct drift_token word)
{
    unsigned number = 1;
    for (const char *end; (end = strchr(lines, '\n')); lines = end + 1, number++)
        if ((size_t)(end - lines) == word.length && !memcmp(lines, word.text, word.length))
            return number;
    return 0;
}

static uint64_t hash_token(uint64_t hash, struct drift_token token, const char *names)
{
    const unsigned parameter = line_of(names, token);
    if (parameter)
        return hn_hash_bytes(hash, &parameter, sizeof parameter);
    hash = hn_hash_bytes(hash, token.text, token.length);
    return hn_hash_bytes(hash, " ", 1);
}

/* Skips the rest of `(void)name;` after the "(". The statement only marks the name as unused. */
static int discards(struct drift_scan *scan)
{
    struct drift_scan rest = *scan;
    if (!drift_token_is(drift_scan_next(&rest), "void") ||
        !drift_token_is(drift_scan_next(&rest), ")"))
        return 0;
    drift_scan_next(&rest);
    if (!drift_token_is(drift_scan_next(&rest), ";"))
        return 0;
    *scan = rest;
    return 1;
}

uint64_t drift_scan_body(struct drift_scan scan, const char *names, int *throws)
{
    uint64_t hash = HN_HASH_START;
    int depth = 0, initialisers = 0, inside = 0, seen_parameters = 0;
    struct drift_token before = {"", 0};
    *throws = 0;
    for (struct drift_token token = drift_scan_next(&scan); token.length;
         before = token, token = drift_scan_next(&scan)) {
        if (inside && drift_token_is(token, "(") && discards(&scan))
            continue;
        if (depth == 0 && !inside && seen_parameters) {
            if (drift_token_is(token, ";") || drift_token_is(token, "="))
                return 0;
            initialisers |= drift_token_is(token, ":");
            inside = opens_body(token, before, initialisers);
            *throws = inside && refuses(scan);
        }
        depth += depth_of(token);
        seen_parameters |= drift_token_is(token, ")") && depth == 0;
        if (inside || initialisers)
            hash = hash_token(hash, token, names);
        if ((inside && depth == 0) || depth < 0)
            return inside ? hash : 0;
    }
    return 0;
}

/* `struct { int a; } x` has braces that are not an initialiser. */
static int defines_type(struct drift_scan scan)
{
    const struct drift_token first = drift_scan_next(&scan);
    return drift_token_is(first, "struct") || drift_token_is(first, "union") ||
           drift_token_is(first, "class") || drift_token_is(first, "enum");
}

void drift_scan_default(struct drift_scan scan, struct hn_buffer *out)
{
    int depth = 0;
    const int braces = !defines_type(scan);
    for (struct drift_token token = drift_scan_next(&scan); token.length;
         token = drift_scan_next(&scan)) {
        if (depth == 0 && drift_token_is(token, "{") && braces && scan.text[scan.end - 1] == '}') {
            scan.end--;
            drift_scan_normal(scan, out);
            return;
        }
        if (depth == 0 && drift_token_is(token, "=")) {
            drift_scan_normal(scan, out);
            return;
        }
        depth += depth_of(token);
    }
}
