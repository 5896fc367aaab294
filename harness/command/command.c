/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the options that the page of a sub-command defines, with getopt_long, and prints errors.
 */
#include "command.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "help_text.h"
#include "nearest.h"
#include "terminal.h"

int hn_usage_error(const struct hn_command *command, const char *format, ...)
{
    va_list arguments;
    char text[1100];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs("assay: ", stderr);
    hn_terminal_print(stderr, text);
    if (command)
        fprintf(stderr, "\nSee: assay %s --help\n", command->name);
    else
        fputs("\nSee: assay --help\n", stderr);
    return HN_EXIT_USAGE;
}

int hn_print_error(const struct hn_error *error)
{
    char text[1100];
    hn_error_format(error, text, sizeof text);
    fputs("assay: ", stderr);
    hn_terminal_print(stderr, text);
    fputc('\n', stderr);
    return hn_error_exit_status(error->code);
}

int hn_print_findings(const struct hn_findings *findings)
{
    char text[1100];
    for (size_t i = 0; i < findings->count; i++) {
        hn_error_format(&findings->items[i], text, sizeof text);
        fputs(*findings->items[i].file ? "" : "assay: ", stderr);
        hn_terminal_print(stderr, text);
        fputc('\n', stderr);
    }
    if (findings->total > findings->count)
        fprintf(stderr, "and %zu more\n", findings->total - findings->count);
    return findings->count ? hn_error_exit_status(findings->items[0].code) : HN_EXIT_SYSTEM;
}

/* Returns the index of `value` among choices such as "text|json"; -1 if it is none of them. */
static int choice_index(const char *choices, const char *value)
{
    const size_t length = strlen(value);
    for (int i = 0; *choices; i++) {
        const size_t choice = strcspn(choices, "|");
        if (choice == length && strncmp(choices, value, length) == 0)
            return i;
        choices += choice + (choices[choice] == '|');
    }
    return -1;
}

/* If the option's value contains a "|", only the listed choices are allowed. */
static int is_allowed(const struct hn_option *option, const char *value)
{
    return !strchr(option->value, '|') || choice_index(option->value, value) >= 0;
}

static int complain_unknown(const struct hn_command *command, const char *word)
{
    const char *name = word + strspn(word, "-");
    struct hn_nearest search;
    char bare[64];
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(name, "="), name);
    hn_nearest_begin(&search, bare);
    search.prefix = "--";
    HN_NEAREST_OFFER_ALL(&search, command->options, command->option_count);
    return hn_usage_error(command, "%s has no option \"%.60s\"%s", command->name, word,
                          hn_nearest_hint(&search));
}

static int complain_choice(const struct hn_command *command, const struct hn_option *option,
                           const char *value)
{
    char choices[256], *rest;
    struct hn_nearest search;
    snprintf(choices, sizeof choices, "%s", option->value);
    hn_nearest_begin(&search, value);
    for (char *one = strtok_r(choices, "|", &rest); one; one = strtok_r(NULL, "|", &rest))
        hn_nearest_offer(&search, one);
    return hn_usage_error(command, "--%s is one of %s, not \"%.60s\"%s", option->name,
                          option->value, value, hn_nearest_hint(&search));
}

static int option_index(const struct hn_command *command, const char *name)
{
    for (size_t i = 0; i < command->option_count; i++)
        if (strcmp(command->options[i].name, name) == 0)
            return (int)i;
    return -1;
}

static int lettered_index(const struct hn_command *command, int letter)
{
    for (size_t i = 0; letter && i < command->option_count; i++)
        if (hn_option_letter(command->options[i].name) == letter)
            return (int)i;
    return -1;
}

/* Processes one result of getopt_long. Returns the exit status if the command ends here, else
 * -1. */
static int take(const struct hn_command *command, int answer, int index, const char *word,
                struct hn_invocation *invocation)
{
    const struct hn_option *option = &command->options[index];
    if (answer == 'h') {
        hn_help_print(command, stdout);
        return HN_EXIT_OK;
    }
    if (answer == ':')
        return hn_usage_error(command, "option \"%.60s\" needs a value", word);
    if (answer != 0)
        return complain_unknown(command, word);
    if (option->value && !is_allowed(option, optarg))
        return complain_choice(command, option, optarg);
    invocation->values[index] = option->value ? optarg : "";
    return -1;
}

/* Converts the page to the tables of getopt_long: all long options, and all letters. */
static void write_tables(const struct hn_command *command, struct option *table, char *shorts)
{
    *shorts++ = ':';
    *shorts++ = 'h';
    for (size_t i = 0; i < command->option_count; i++) {
        const struct hn_option *option = &command->options[i];
        const char letter = hn_option_letter(option->name);
        *table++ =
            (struct option){option->name, option->value ? required_argument : no_argument, NULL, 0};
        if (letter)
            *shorts++ = letter;
        if (letter && option->value)
            *shorts++ = ':';
    }
    *table = (struct option){"help", no_argument, NULL, 'h'};
    *shorts = '\0';
}

int hn_command_parse(const struct hn_command *command, int argc, char **argv,
                     struct hn_invocation *invocation, int *status)
{
    struct option table[HN_OPTIONS_MAX + 2] = {{0}};
    char shorts[3 + 2 * HN_OPTIONS_MAX];
    int answer, index = 0, end = -1;
    assert(command->option_count <= HN_OPTIONS_MAX);
    write_tables(command, table, shorts);
    *invocation = (struct hn_invocation){.command = command};
    opterr = 0;
    optind = 1;
    while (end < 0 && (answer = getopt_long(argc, argv, shorts, table, &index)) != -1) {
        const int meant = lettered_index(command, answer);
        if (meant >= 0) {
            answer = 0;
            index = meant;
        }
        end = take(command, answer, answer ? 0 : index, argv[optind - 1], invocation);
    }
    invocation->words = argv + optind;
    invocation->word_count = (size_t)(argc - optind);
    if (end >= 0)
        *status = end;
    return end < 0;
}

const char *hn_option_value(const struct hn_invocation *invocation, const char *name)
{
    const int index = option_index(invocation->command, name);
    assert(index >= 0);
    return index < 0 ? NULL : invocation->values[index];
}

void hn_option_set(struct hn_invocation *invocation, const char *name, const char *value)
{
    const int index = option_index(invocation->command, name);
    assert(index >= 0);
    if (index >= 0)
        invocation->values[index] = value;
}

static void store(const struct hn_option *option, long number, void *member)
{
    if (option->size == sizeof(int))
        *(int *)member = (int)number;
    else if (option->size == sizeof(long))
        *(long *)member = number;
}

static int read_number(const struct hn_invocation *invocation, const struct hn_option *option,
                       const char *text, void *member)
{
    char *end;
    errno = 0;
    const long number = strtol(text, &end, 10);
    if (errno || end == text || *end || number < option->lowest || number > option->highest)
        return hn_usage_error(invocation->command,
                              "--%s takes a whole number from %ld to %ld, not \"%.60s\"",
                              option->name, option->lowest, option->highest, text);
    store(option, number, member);
    return 0;
}

static int read_factor(const struct hn_invocation *invocation, const struct hn_option *option,
                       const char *text, double *factor)
{
    char *end;
    *factor = strtod(text, &end);
    if (*end || !(*factor >= 0.01 && *factor <= 1000.0))
        return hn_usage_error(invocation->command, "--%s takes 0.01 to 1000, not %s", option->name,
                              text);
    return 0;
}

static int read_option(const struct hn_invocation *invocation, const struct hn_option *option,
                       const char *value, void *member)
{
    if (option->kind == HN_OPTION_NUMBER)
        return read_number(invocation, option, value, member);
    if (option->kind == HN_OPTION_FACTOR)
        return read_factor(invocation, option, value, member);
    if (option->kind == HN_OPTION_TEXT)
        *(const char **)member = value;
    if (option->kind == HN_OPTION_FLAG)
        store(option, 1, member);
    if (option->kind == HN_OPTION_CHOICE)
        store(option, choice_index(option->value, value), member);
    return 0;
}

int hn_options_read(const struct hn_invocation *invocation, void *request)
{
    int status = 0;
    for (size_t i = 0; !status && i < invocation->command->option_count; i++) {
        const struct hn_option *option = &invocation->command->options[i];
        if (invocation->values[i])
            status = read_option(invocation, option, invocation->values[i],
                                 (char *)request + option->offset);
    }
    return status;
}

const char *hn_runs_folder(const struct hn_invocation *invocation)
{
    return *invocation->usual.runs ? invocation->usual.runs : "runs";
}

int hn_wants_json(const struct hn_invocation *invocation)
{
    const char *format = hn_option_value(invocation, "format");
    return format && strcmp(format, "json") == 0;
}
