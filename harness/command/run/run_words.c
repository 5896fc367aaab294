/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_words.h.
 */
#include "run_words.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"

#define MOST_WORDS 32

void hn_words_pass_on(const struct hn_invocation *invocation, const char *left_out,
                      struct hn_buffer *words)
{
    for (size_t i = 0; i < invocation->command->option_count; i++) {
        const struct hn_option *option = &invocation->command->options[i];
        const char *value = invocation->values[i];
        char name[32];
        snprintf(name, sizeof name, " %s ", option->name);
        if (value && !strstr(left_out, name))
            hn_buffer_printf(words, option->value ? "--%s=%s\n" : "--%s\n", option->name, value);
    }
}

void hn_words_select(const char *names, const struct hn_naming *naming, struct hn_buffer *words)
{
    while (*names) {
        const size_t length = strcspn(names, ",");
        hn_buffer_puts(words, naming->before);
        for (size_t i = 0; i < length; i++)
            hn_buffer_putc(words, strchr(naming->not_in_ids, names[i]) ? '_' : names[i]);
        names += length + (names[length] == ',');
        hn_buffer_printf(words, "%s%s", naming->after, *names ? "," : "");
    }
}

int hn_run_was_made(int status)
{
    return status == HN_EXIT_OK || status == HN_EXIT_FAILED || status == HN_EXIT_UNDECIDED;
}

int hn_run_words(struct hn_buffer *words)
{
    char *each[MOST_WORDS], *rest;
    struct hn_invocation run;
    int count = 0, status = HN_EXIT_SYSTEM;
    if (words->status != HN_OK)
        return status;
    for (char *word = strtok_r(words->text, "\n", &rest); word && count < MOST_WORDS;
         word = strtok_r(NULL, "\n", &rest))
        each[count++] = word;
    if (hn_command_parse(&hn_cmd_run, count, each, &run, &status))
        status = hn_cmd_run.run(&run);
    return status;
}
