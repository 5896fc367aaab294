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

/* Uses of the value of an option by hn_options_read. */
enum hn_option_kind {
    HN_OPTION_OTHER,  /* nothing: the command calls hn_option_value */
    HN_OPTION_TEXT,   /* const char *: the value */
    HN_OPTION_FLAG,   /* any type of integer: 1 */
    HN_OPTION_CHOICE, /* any type of integer: the index in "text|json", from 0 */
    HN_OPTION_NUMBER, /* any type of integer: the number, within the range */
    HN_OPTION_FACTOR, /* double: from 0.01 to 1000 */
};

/* A row of a table of options may omit members that it does not need. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

struct hn_option {
    const char *name;  /* "format": --format */
    const char *value; /* "FILE", or "text|json" (then only these); NULL: a flag */
    const char *help;  /* one line */
    enum hn_option_kind kind;
    size_t offset, size; /* place of the member of the command's struct that receives the value */
    long lowest, highest;
};

/* The last part of a row in a table of options: the member that receives the value. If the option
 * is not given, the member does not change. */
#define HN_INTO(type, member) offsetof(type, member), sizeof(((type *)0)->member)
#define HN_TEXT_INTO(type, member) HN_OPTION_TEXT, HN_INTO(type, member)
#define HN_FLAG_INTO(type, member) HN_OPTION_FLAG, HN_INTO(type, member)
#define HN_CHOICE_INTO(type, member) HN_OPTION_CHOICE, HN_INTO(type, member)
#define HN_FACTOR_INTO(type, member) HN_OPTION_FACTOR, HN_INTO(type, member)
/* A number that is verified but not stored: the program that receives the options uses it. */
#define HN_NUMBER(lowest, highest) HN_OPTION_NUMBER, 0, 0, lowest, highest
#define HN_NUMBER_INTO(type, member, lowest, highest)                                              \
    HN_OPTION_NUMBER, HN_INTO(type, member), lowest, highest

/* Sets the members of a page that hold its table of options. */
#define HN_OPTIONS(table) .options = (table), .option_count = sizeof(table) / sizeof *(table)

struct hn_invocation;

struct hn_command {
    const char *name, *summary; /* "list", "list the checks" */
    const char *usage;          /* the arguments after the name: "[SELECTION]" */
    const char *help;           /* paragraphs, with examples */
    const struct hn_option *options;
    size_t option_count;
    int takes_settings; /* from assay.yaml, see settings_file.h */
    struct {
        size_t least, most;
        const char *wrong; /* message if the number is wrong; NULL: `run` verifies it */
    } words;               /* arguments that are not options */
    const char *python;    /* module that implements the command if `run` is NULL */
    /* Returns the exit status of the program. */
    int (*run)(const struct hn_invocation *invocation);
};

/* Settings of assay.yaml; "" if a setting is missing. */
struct hn_usual {
    char file[HN_PATH_SIZE]; /* path of assay.yaml; "": there is none */
    char target[HN_PATH_SIZE], expectations[HN_PATH_SIZE], jobs[16];
    char runs[HN_PATH_SIZE]; /* the folder for new runs */
};

struct hn_invocation {
    const struct hn_command *command;
    const char *values[HN_OPTIONS_MAX]; /* by option; NULL: not given; a flag that is given: "" */
    char *const *words;                 /* arguments that are not options */
    size_t word_count;
    struct hn_usual usual;
};

/* The folder in which a command creates its run if the user names no folder. */
const char *hn_runs_folder(const struct hn_invocation *invocation);

/* Parses argv (argv[0] is the sub-command's name). Returns 1 to continue; or 0 if the caller must
 * exit with *status: 0 after --help, 64 after a message about a wrong option. */
int hn_command_parse(const struct hn_command *command, int argc, char **argv,
                     struct hn_invocation *invocation, int *status);
/* Returns the value of an option, NULL if the user did not give it. The page must have the
 * option. */
const char *hn_option_value(const struct hn_invocation *invocation, const char *name);
/* Stores the values of options in the command's struct. Returns 0, or 64 after a message on
 * stderr. */
int hn_options_read(const struct hn_invocation *invocation, void *request);
/* Replaces the value of an option of the page; NULL removes the value. */
void hn_option_set(struct hn_invocation *invocation, const char *name, const char *value);
int hn_wants_json(const struct hn_invocation *invocation);

/* Prints "assay: <sentence>" and where to find help on stderr. Returns HN_EXIT_USAGE. */
int hn_usage_error(const struct hn_command *command, const char *format, ...) HN_PRINTF(2, 3);
/* Prints "assay: <error>" on stderr. Returns the exit status of its code. */
int hn_print_error(const struct hn_error *error);
/* Prints each finding on one line. Returns the exit status of the first finding. */
int hn_print_findings(const struct hn_findings *findings);

#endif
