/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay: finds the sub-command and calls it. To add a sub-command, write cmd_<name>.c and add the
 * name to commands.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "commands.h"
#include "data.h"
#include "help_text.h"
#include "nearest.h"
#include "python_command.h"
#include "settings_file.h"

#define ROW(name) &hn_cmd_##name,
const struct hn_command *const hn_commands[] = {HN_COMMANDS(ROW)};
const size_t hn_command_count = sizeof hn_commands / sizeof *hn_commands;

/* The title of the group that begins with this command; NULL for all other commands. */
static const char *group_of(const char *command)
{
    static const struct {
        const char *first, *title;
    } groups[] = {HN_GROUPS};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (strcmp(groups[i].first, command) == 0)
            return groups[i].title;
    return NULL;
}

static int print_help(FILE *out, int status)
{
    fputs("assay: conformance tests for PyTorch backends that register through PrivateUse1\n\n"
          "Usage: assay COMMAND [OPTIONS]\n",
          out);
    for (size_t i = 0; i < hn_command_count; i++) {
        const char *const title = group_of(hn_commands[i]->name);
        if (title)
            fprintf(out, "\n%s:\n", title);
        fprintf(out, "  %-12s %s\n", hn_commands[i]->name, hn_commands[i]->summary);
    }
    fputs("\nassay help COMMAND prints the help of a command, assay --version the version.\n"
          "Exit status: 0 success, 1 a test failed, 2 undecided, 64 wrong command line,\n"
          "65 bad or missing input, 71 a file or process could not be written, started or\n"
          "read, 130 stopped by Ctrl-C (128 plus the number of any other signal).\n",
          out);
    return status;
}

static const struct hn_command *find(const char *name)
{
    for (size_t i = 0; i < hn_command_count; i++)
        if (strcmp(hn_commands[i]->name, name) == 0)
            return hn_commands[i];
    return NULL;
}

static int complain(const char *name)
{
    struct hn_nearest search;
    hn_nearest_begin(&search, name);
    for (size_t i = 0; i < hn_command_count; i++)
        hn_nearest_offer(&search, hn_commands[i]->name);
    return hn_usage_error(NULL, "there is no command \"%.60s\"%s", name, hn_nearest_hint(&search));
}

/* If the caller closed a standard descriptor, the next opened file, such as a journal, would get
 * its number and receive terminal output. Therefore /dev/null is opened with this number, in the
 * wrong direction, so that every use fails. */
static void keep_standard_descriptors(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0)
            open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static void hear_nothing(int number)
{
    (void)number;
}

/* These signals have no meaning for assay and must not end a run without a message. The signals are
 * caught and not ignored, because a started program would inherit an ignored signal. A write beyond
 * the limit of the file size then returns an error. */
static void survive_stray_signals(void)
{
    static const int strays[] = {SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGXFSZ};
    const struct sigaction action = {.sa_handler = hear_nothing, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < sizeof strays / sizeof *strays; i++)
        sigaction(strays[i], &action, NULL);
}

static int print_page(int argc, char **argv)
{
    const struct hn_command *const command = argc > 2 ? find(argv[2]) : NULL;
    if (argc > 2 && !command)
        return complain(argv[2]);
    if (!command)
        return print_help(stdout, HN_EXIT_OK);
    hn_help_print(command, stdout);
    return HN_EXIT_OK;
}

static int is_one_of(const char *word, const char *one, const char *other)
{
    return strcmp(word, one) == 0 || strcmp(word, other) == 0;
}

/* Runs the command if the number of words is right, and returns the exit status. */
static int run(const struct hn_invocation *invocation)
{
    const struct hn_command *command = invocation->command;
    const size_t count = invocation->word_count;
    if (command->words.wrong && !command->words.most && count)
        return hn_usage_error(command, "\"%.60s\" is not an option; %s", invocation->words[0],
                              command->words.wrong);
    if (command->words.wrong && (count < command->words.least || count > command->words.most))
        return hn_usage_error(command, "%s", command->words.wrong);
    if (command->run)
        return command->run(invocation);
    return hn_become_python(invocation, command->python);
}

static int answer(int argc, char **argv)
{
    struct hn_invocation invocation;
    const struct hn_command *const command = find(argv[1]);
    int status = 0;
    if (is_one_of(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0)
        return print_page(argc, argv);
    if (is_one_of(argv[1], "--version", "-V"))
        return puts("assay " ASSAY_VERSION) < 0 ? HN_EXIT_SYSTEM : HN_EXIT_OK;
    if (!command)
        return complain(argv[1]);
    if (!hn_command_parse(command, argc - 1, argv + 1, &invocation, &status))
        return status;
    if (command->takes_settings)
        status = hn_settings_apply(&invocation);
    return status ? status : run(&invocation);
}

/* Python programs that this process starts call this program to read the contract. */
static void name_this_program(void)
{
    char path[HN_PATH_SIZE];
    if (hn_data_installed(path, "bin/assay", NULL) == HN_OK)
        setenv("ASSAY_PROGRAM", path, 1);
}

#define LEAST_STACK ((rlim_t)1 << 20)

/* Raises a small limit of the stack as far as it is allowed. With less than 256 KiB, a run would
 * end by a segmentation fault. Uses little stack itself. */
static int has_stack(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= LEAST_STACK)
        return 1;
    limit.rlim_cur = limit.rlim_max < LEAST_STACK ? limit.rlim_max : LEAST_STACK;
    return setrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur >= LEAST_STACK / 4;
}

/* A full disk or a closed descriptor must not look like success. Returns the exit status. */
static int finish_output(int status)
{
    const int lost_before = ferror(stdout);
    errno = 0;
    if (!fflush(stdout) && !lost_before)
        return status;
    fprintf(stderr, "assay: cannot write the output%s%s\n", errno ? ": " : "",
            errno ? strerror(errno) : "");
    return status == HN_EXIT_OK ? HN_EXIT_SYSTEM : status;
}

int main(int argc, char **argv)
{
    keep_standard_descriptors();
    if (!has_stack()) {
        fputs("assay: the limit of the stack is below the 256 KiB that assay needs: raise it with "
              "ulimit -s\n",
              stderr);
        return HN_EXIT_SYSTEM;
    }
    survive_stray_signals();
    name_this_program();
    const int status = argc < 2 ? print_help(stderr, HN_EXIT_USAGE) : answer(argc, argv);
    return finish_output(status);
}
