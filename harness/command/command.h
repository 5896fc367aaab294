/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Definition of a sub-command: a page (name, usage, help, options) and a function. Parsing, --help,
 * shell completion and the man page all read the page.
 */
#ifndef HN_COMMAND_H
#define HN_COMMAND_H

#include <stddef.h>
#include <stdio.h>

#include "file.h"
#include "findings.h"

#define HN_OPTIONS_MAX 40

/* Use that hn_options_read makes of the value of an option. */
enum hn_option_kind {
    HN_OPTION_OTHER,  /* nothing: the command asks hn_option_value */
    HN_OPTION_TEXT,   /* const char *: the value */
    HN_OPTION_FLAG,   /* any type of integer: 1 */
    HN_OPTION_CHOICE, /* any type of integer: which of "text|json" it is, from 0 */
    HN_OPTION_NUMBER, /* any type of integer: the number, which is in the range */
    HN_OPTION_FACTOR, /* double: from 0.01 to 1000 */
};

/* A row of a table of options leaves out what it does not need. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

struct hn_option {
    const char *name;  /* "format": --format */
    const char *value; /* "FILE", or "text|json" (then only these); NULL: a flag */
    const char *help;  /* one line */
    enum hn_option_kind kind;
    size_t offset, size; /* of the member of the command's struct that takes the value */
    long lowest, highest;
};

/* Where the value goes; the last part of a row in a table of options. An option that is not given leaves
 * its member as it is. */
#define HN_INTO(type, member) offsetof(type, member), sizeof(((type *)0)->member)
#define HN_TEXT_INTO(type, member) HN_OPTION_TEXT, HN_INTO(type, member)
#define HN_FLAG_INTO(type, member) HN_OPTION_FLAG, HN_INTO(type, member)
#define HN_CHOICE_INTO(type, member) HN_OPTION_CHOICE, HN_INTO(type, member)
#define HN_FACTOR_INTO(type, member) HN_OPTION_FACTOR, HN_INTO(type, member)
/* A number that goes nowhere: a program that is handed the options takes it. */
#define HN_NUMBER(lowest, highest) HN_OPTION_NUMBER, 0, 0, lowest, highest
#define HN_NUMBER_INTO(type, member, lowest, highest)                                              \
    HN_OPTION_NUMBER, HN_INTO(type, member), lowest, highest

/* The members of a page that say which table of options it has. */
#define HN_OPTIONS(table) .options = (table), .option_count = sizeof(table) / sizeof *(table)

struct hn_invocation;

struct hn_command {
    const char *name, *summary; /* "list", "what can be checked" */
    const char *usage;          /* what follows the name: "[SELECTION]" */
    const char *help;           /* paragraphs, with examples */
    const struct hn_option *options;
    size_t option_count;
    int takes_settings; /* of assay.yaml, see settings_file.h */
    struct {
        size_t least, most;
        const char *wrong; /* what is said of fewer or more; NULL: `run` looks */
    } words;               /* that are no options */
    const char *python;    /* the module that does it when there is no `run` */
    /* Returns the exit status of the program. */
    int (*run)(const struct hn_invocation *invocation);
};

/* Words of assay.yaml; "": not said. */
struct hn_usual {
    char file[HN_PATH_SIZE]; /* its path; "": there is none */
    char target[HN_PATH_SIZE], expectations[HN_PATH_SIZE], jobs[16];
    char runs[HN_PATH_SIZE]; /* the folder that new runs are made in */
};

struct hn_invocation {
    const struct hn_command *command;
    const char *values[HN_OPTIONS_MAX]; /* by option; NULL: not given; a flag that is given: "" */
    char *const *words;                 /* what is not an option */
    size_t word_count;
    struct hn_usual usual;
};

/* The folder that a command makes its run in when nobody names one. */
const char *hn_runs_folder(const struct hn_invocation *invocation);

/* Parses argv (argv[0] is the sub-command's name). *status is the exit status when the caller
 * should stop: after --help (0) or a wrong option (64, said on stderr). 1: go on. */
int hn_command_parse(const struct hn_command *command, int argc, char **argv,
                     struct hn_invocation *invocation, int *status);
/* The value of an option of the page, NULL if it is not given. The name must be on the page. */
const char *hn_option_value(const struct hn_invocation *invocation, const char *name);
/* Fills the command's struct as the rows of its options say. 0, or 64 with a sentence on stderr. */
int hn_options_read(const struct hn_invocation *invocation, void *request);
/* Replaces the value of an option of the page; NULL: it is not given. */
void hn_option_set(struct hn_invocation *invocation, const char *name, const char *value);
int hn_wants_json(const struct hn_invocation *invocation);

/* "assay: <sentence>" on stderr, and HN_EXIT_USAGE, with the place to look. */
int hn_usage_error(const struct hn_command *command, const char *format, ...) HN_PRINTF(2, 3);
/* "assay: <error>" on stderr, and the exit status of its code. */
int hn_print_error(const struct hn_error *error);
/* The same for several: a line each, the exit status of the first. */
int hn_print_findings(const struct hn_findings *findings);

#endif
