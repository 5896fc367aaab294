/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay manual: prints the man page, made from the pages of the commands. The build installs the
 * output.
 */
#include "commands.h"
#include "help_text.h"

#define HELP_LIMIT 16384

/* A line of roff must not begin with a dot or a quote, and a backslash starts a command. */
static void print_roff(const char *text)
{
    int at_start = 1;
    for (; *text; text++) {
        if (at_start && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        at_start = *text == '\n';
    }
}

static void print_command(const struct hn_command *command)
{
    struct hn_buffer wrapped;
    printf(".SS assay %s %s\n", command->name, command->usage);
    print_roff(command->summary);
    fputs(".\n.PP\n.nf\n", stdout);
    hn_buffer_init(&wrapped, HELP_LIMIT);
    hn_help_wrap(&wrapped, command->help);
    print_roff(wrapped.text);
    hn_buffer_finish(&wrapped);
    puts(".fi");
    for (size_t i = 0; i < command->option_count; i++) {
        const struct hn_option *option = &command->options[i];
        printf(".TP\n.B \\-\\-%s %s\n", option->name, option->value ? option->value : "");
        print_roff(option->help);
        putchar('\n');
    }
}

static const char head[] =
    ".TH ASSAY 1 \"\" \"assay " ASSAY_VERSION "\" \"User Commands\"\n"
    ".SH NAME\nassay \\- conformance tests for PyTorch backends that register through "
    "PrivateUse1\n"
    ".SH SYNOPSIS\n.B assay\n.I command\n.RI [ options ]\n"
    ".SH DESCRIPTION\n"
    "Tests whether a PyTorch accelerator backend fulfils the integration contract, and whether a\n"
    "change of PyTorch breaks backends that do.\n"
    ".SH COMMANDS\n";

static const char tail[] =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nsuccess\n.TP\n.B 1\ncomplete, and a test that counts failed\n"
    ".TP\n.B 2\nundecided: incomplete, or a check could not decide\n"
    ".TP\n.B 64\nwrong command line\n.TP\n.B 65\nbad or missing input file\n"
    ".TP\n.B 71\na file or process could not be written, started or read: a full disk, no memory\n"
    ".TP\n.B 130\nstopped by Ctrl-C; 128 plus the number of any other signal\n"
    ".SH ENVIRONMENT\n.TP\n.B ASSAY_DATA\n"
    "The folder that contains conformance.yaml, if it is not next to the program.\n";

static int run(const struct hn_invocation *invocation)
{
    (void)invocation;
    fputs(head, stdout);
    for (size_t i = 0; i < hn_command_count; i++)
        print_command(hn_commands[i]);
    fputs(tail, stdout);
    return HN_EXIT_OK;
}

const struct hn_command hn_cmd_manual = {
    .name = "manual",
    .summary = "print the man page",
    .usage = "",
    .help = "  assay manual | man -l -\n",
    .words = {0, 0, "manual takes none"},
    .run = run,
};
