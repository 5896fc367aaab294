/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_options.h.
 */
#include "run_options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"

struct hn_run_options hn_run_options_default(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return (struct hn_run_options){.hosts = processors > 0 ? (int)processors : 1,
                                   .timeout_scale = 1.0,
                                   .seed = 1,
                                   .grace_ms = 1000,
                                   .silence_ms = 10000,
                                   .folder_limit = (int64_t)1 << 30};
}

void hn_select_names(const char *names, const struct hn_naming *naming, struct hn_buffer *select)
{
    while (*names) {
        const size_t length = strcspn(names, ",");
        hn_buffer_puts(select, naming->before);
        for (size_t i = 0; i < length; i++)
            hn_buffer_putc(select, strchr(naming->not_in_ids, names[i]) ? '_' : names[i]);
        names += length + (names[length] == ',');
        hn_buffer_printf(select, "%s%s", naming->after, *names ? "," : "");
    }
}

void hn_run_invocation(const struct hn_invocation *asked, struct hn_invocation *run)
{
    *run = (struct hn_invocation){.command = &hn_cmd_run, .usual = asked->usual};
    for (size_t i = 0; i < asked->command->option_count; i++)
        for (size_t j = 0; asked->values[i] && j < hn_cmd_run.option_count; j++)
            if (strcmp(asked->command->options[i].name, hn_cmd_run.options[j].name) == 0)
                run->values[j] = asked->values[i];
}

int hn_shard_read(const struct hn_command *command, const char *text, struct hn_asked *asked)
{
    char *end = NULL;
    if (!text)
        return HN_EXIT_OK;
    asked->shard = (uint32_t)strtoul(text, &end, 10);
    if (*end == '/')
        asked->shards = (uint32_t)strtoul(end + 1, &end, 10);
    if (*end || asked->shard < 1 || asked->shard > asked->shards || asked->shards > 1000)
        return hn_usage_error(command, "--shard takes I/N with I from 1 to N, not %s", text);
    return HN_EXIT_OK;
}

int hn_run_was_made(int exit_status)
{
    return exit_status == HN_EXIT_OK || exit_status == HN_EXIT_FAILED ||
           exit_status == HN_EXIT_UNDECIDED;
}
