/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay merge: joins the shards of a run to one run. run/merge/merge.c decides whether they are
 * shards of the same run.
 */
#include "commands.h"
#include "merge.h"

static const struct hn_option options[] = {
    {"out", "DIR", "folder of the merged run; must not hold a run"},
    {"partial", NULL, "accept missing shards; the merged run is then incomplete"},
};

static int run(const struct hn_invocation *invocation)
{
    struct hn_error error;
    const char *out = hn_option_value(invocation, "out");
    if (!out)
        return hn_usage_error(invocation->command,
                              "--out is missing: give the folder for the merged run");
    if (invocation->word_count == 0)
        return hn_usage_error(invocation->command, "give the folder of every shard");
    const int partial = hn_option_value(invocation, "partial") != NULL;
    if (hn_merge(invocation->words, invocation->word_count, out, partial, &error) != HN_OK)
        return hn_print_error(&error);
    printf("%s\n", out);
    return HN_EXIT_OK;
}

const struct hn_command hn_cmd_merge = {
    .name = "merge",
    .summary = "merge the shards of a run into one run",
    .usage = "RUN... --out DIR",
    .help = "Makes one run from the runs of assay run --shard 1/N to N/N. It rejects runs of "
            "different targets, torch versions, contracts or selections, and names missing "
            "shards. The evidence of failures stays in the folders of the shards.\n"
            "\n"
            "  assay merge shard-*/ --out whole",
    HN_OPTIONS(options),
    .run = run,
};
