/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay completion: words for the shell, from the pages of the commands.
 */
#include <string.h>

#include "commands.h"

static const struct hn_option options[] = {
    {"shell", "bash|zsh", "which shell; bash if not given"},
};

/* "--format=text --format=json" would be pedantic: an option's choices follow it as words. */
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

static int run(const struct hn_invocation *invocation)
{
    const char *shell = hn_option_value(invocation, "shell");

    if (invocation->word_count)
        return hn_usage_error(invocation->command, "completion takes no argument");
    if (shell && strcmp(shell, "zsh") == 0)
        puts("autoload -U +X bashcompinit && bashcompinit");
    puts("_assay() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=''\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then");
    printf("    words='--help --version");
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
    return HN_EXIT_OK;
}

const struct hn_command hn_cmd_completion = {
    .name = "completion",
    .summary = "prints the shell's completion of this program",
    .usage = "[--shell SHELL]",
    .help = "  source <(assay completion)\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
