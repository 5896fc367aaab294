/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay-facts: writes the declarations in PyTorch's headers, parsed by libclang, one fact per line.
 * assay-facts is a separate program, so that no other program links a compiler. Started by
 * harness/python/assay/facts.
 *
 *   assay-facts [--bodies] [--left-out PREFIX]... [--shallow PREFIX]... ROOT... -- HEADER...
 *               -- COMPILER-ARGUMENTS...
 *   assay-facts --check ROOT... -- -- COMPILER-ARGUMENTS...
 *
 * If HEADER is "-", the names of headers are read from standard input, one per line. With
 * --check, standard input is a source file, and only the compiler errors of this file are
 * written.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "fact.h"

#define LINE_LIMIT (1 << 20)
#define HEADERS_LIMIT (4 << 20)

struct command_line {
    struct drift_tree_options tree;
    struct hn_buffer includes; /* the text to parse */
    int check;                 /* the text is a source file, and only its diagnostics are written */
};

static void add_header(struct hn_buffer *includes, const char *header)
{
    hn_buffer_printf(includes, "#include <%s>\n", header);
}

static void read_headers(struct hn_buffer *includes)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (*line)
            add_header(includes, line);
    }
}

static void read_source(struct hn_buffer *source)
{
    char part[1 << 16];
    size_t length;
    while ((length = fread(part, 1, sizeof part, stdin)) > 0)
        hn_buffer_add(source, part, length);
}

static int add_word(const char **list, int *count, const char *word)
{
    if (!word || *count == DRIFT_ROOTS_MAX)
        return 0;
    list[(*count)++] = word;
    return 1;
}

/* Parses the words before the first "--". Returns its position, or -1 if a word is invalid. */
static int parse_tree(int count, char **words, struct command_line *line)
{
    struct drift_tree_options *tree = &line->tree;
    int at = 1, good = 1;
    for (; good && at < count && strcmp(words[at], "--") != 0; at++)
        if (strcmp(words[at], "--bodies") == 0)
            tree->bodies = 1;
        else if (strcmp(words[at], "--check") == 0)
            line->check = 1;
        else if (strcmp(words[at], "--left-out") == 0)
            good = add_word(tree->left_out, &tree->left_out_count, words[++at]);
        else if (strcmp(words[at], "--shallow") == 0)
            good = add_word(tree->shallow, &tree->shallow_count, words[++at]);
        else
            good = add_word(tree->roots, &tree->root_count, words[at]);
    return good ? at : -1;
}

static int parse_words(int count, char **words, struct command_line *line)
{
    int at = parse_tree(count, words, line);
    if (at < 0)
        return 0;
    if (line->check)
        read_source(&line->includes);
    for (at++; at < count && strcmp(words[at], "--") != 0; at++)
        if (strcmp(words[at], "-") == 0)
            read_headers(&line->includes);
        else
            add_header(&line->includes, words[at]);
    line->tree.arguments = (const char *const *)words + at + 1;
    line->tree.argument_count = count - at - 1;
    return line->tree.root_count > 0 && line->includes.length > 0 && at < count;
}

static int write_facts(const struct command_line *line, struct hn_error *error)
{
    struct drift_facts facts = {.out = stdout};
    hn_buffer_init(&facts.line, LINE_LIMIT);
    hn_buffer_init(&facts.text, LINE_LIMIT);
    hn_buffer_init(&facts.id, LINE_LIMIT);
    hn_buffer_init(&facts.spelling, LINE_LIMIT);
    const int status = drift_tree_parse(&facts.tree, &line->tree, line->includes.text,
                                        line->includes.length, error);
    if (status == HN_OK) {
        if (!line->check)
            drift_walk(&facts);
        drift_fact_diagnostics(&facts);
        drift_tree_finish(&facts.tree);
    }
    drift_seen_finish(&facts.seen);
    hn_buffer_finish(&facts.line);
    hn_buffer_finish(&facts.text);
    hn_buffer_finish(&facts.id);
    hn_buffer_finish(&facts.spelling);
    return status;
}

int main(int argc, char **argv)
{
    struct command_line line = {0};
    struct hn_error error;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* the reader of the output is gone */
    hn_buffer_init(&line.includes, HEADERS_LIMIT);
    if (!parse_words(argc, argv, &line)) {
        fputs(
            "usage: assay-facts [--bodies] [--left-out PREFIX]... [--shallow PREFIX]... ROOT... -- "
            "HEADER... -- COMPILER-ARGUMENTS...\n"
            "       assay-facts --check ROOT... -- -- COMPILER-ARGUMENTS...   (a source on "
            "stdin)\n",
            stderr);
        return HN_EXIT_USAGE;
    }
    if (write_facts(&line, &error) != HN_OK) {
        fprintf(stderr, "assay-facts: %s\n", error.text);
        return hn_error_exit_status(error.code);
    }
    hn_buffer_finish(&line.includes);
    return fflush(stdout) != 0 ? HN_EXIT_SYSTEM : HN_EXIT_OK;
}
