/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay completion: prints completion scripts for shells, made from the pages of the commands.
 */
#include <string.h>

#include "commands.h"

#define SHELLS "bash|zsh|fish"

static const struct hn_option options[] = {
    {"shell", SHELLS, "the shell (default bash)"},
};

/* Completes the choices of an option as separate words, as in --format text. */
static void print_choices(const struct hn_option *option)
{
    if (!option->value || !strchr(option->value, '|'))
        return;
    printf("        --%s) words='", option->name);
    for (const char *c = option->value; *c; c++)
        putchar(*c == '|' ? ' ' : *c);
    puts("' ;;");
}

static void print_command(const struct hn_command *command)
{
    printf("    %s) words='--help", command->name);
    for (size_t i = 0; i < command->option_count; i++)
        printf(" --%s", command->options[i].name);
    puts("'\n      case $previous in");
    for (size_t i = 0; i < command->option_count; i++)
        print_choices(&command->options[i]);
    puts("      esac ;;");
}

static void print_bash(void)
{
    puts("_assay() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=''\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then");
    printf("    words='help --help --version");
    for (size_t i = 0; i < hn_command_count; i++)
        printf(" %s", hn_commands[i]->name);
    puts("'\n  else\n    case ${COMP_WORDS[1]} in");
    for (size_t i = 0; i < hn_command_count; i++)
        print_command(hn_commands[i]);
    puts("    esac\n"
         "  fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o default -F _assay assay");
}

/* Between single quotes, fish interprets only a quote and a backslash. */
static void print_fish_text(const char *text)
{
    putchar('\'');
    for (; *text; text++)
        printf(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    putchar('\'');
}

static void print_fish_option(const struct hn_command *command, const struct hn_option *option)
{
    printf("complete -c assay -n '__fish_seen_subcommand_from %s' -l %s", command->name,
           option->name);
    if (option->value && strchr(option->value, '|')) {
        fputs(" -xa '", stdout);
        for (const char *c = option->value; *c; c++)
            putchar(*c == '|' ? ' ' : *c);
        putchar('\'');
    } else if (option->value) {
        fputs(" -r", stdout);
    }
    fputs(" -d ", stdout);
    print_fish_text(option->help);
    putchar('\n');
}

static void print_fish(void)
{
    for (size_t i = 0; i < hn_command_count; i++) {
        const struct hn_command *command = hn_commands[i];
        printf("complete -c assay -n __fish_use_subcommand -fa %s -d ", command->name);
        print_fish_text(command->summary);
        putchar('\n');
        for (size_t j = 0; j < command->option_count; j++)
            print_fish_option(command, &command->options[j]);
    }
}

static int run(const struct hn_invocation *invocation)
{
    const char *shell = hn_option_value(invocation, "shell");
    if (shell && strcmp(shell, "fish") == 0) {
        print_fish();
        return HN_EXIT_OK;
    }
    if (shell && strcmp(shell, "zsh") == 0)
        puts("autoload -U +X bashcompinit && bashcompinit");
    print_bash();
    return HN_EXIT_OK;
}

const struct hn_command hn_cmd_completion = {
    .name = "completion",
    .summary = "print the completion script of a shell",
    .usage = "[--shell SHELL]",
    .help = "  source <(assay completion)                    bash\n"
            "  source <(assay completion --shell zsh)        zsh\n"
            "  assay completion --shell fish | source        fish\n",
    HN_OPTIONS(options),
    .words = {0, 0, "name the shell with --shell, one of " SHELLS},
    .run = run,
};
