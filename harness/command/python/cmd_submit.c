/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay submit: a run on many machines. Done by assay.submit (harness/python).
 */
#include "commands.h"
#include "data.h"

static const struct hn_option options[] = {
    {"target", "TARGET[,TARGET]", "the backends: names in ci/targets or profiles"},
    {"torch", "NAME=PYTHON[,...]", "versions of torch, by an interpreter of each"},
    {"shards", "N", "tasks for each target and torch (default 1)"},
    {"select", "EXPR", "as assay run takes it"},
    {"engine", "slurm|command", "slurm: one job array; command: prints a line for each task"},
    {"out", "DIR", "a new folder that every machine sees"},
    {"resources", "WORDS", "words for sbatch, such as \"--gres=gpu:1 --partition=lab\""},
    {"minutes", "N", "the time of one task"},
    {"at-once", "N", "tasks at the same time"},
    {"gather", "DIR", "what became of the tasks in DIR, and one run for each target and torch"},
    {"cancel", "DIR", "let the engine stop what it still has"},
    {"format", "text|json", "of --gather; json: schema assay/submit/1"},
};

const struct hn_command hn_cmd_submit = {
    .name = "submit",
    .summary = "a run on many machines, as a job array or as commands",
    .usage = "--engine slurm|command --out DIR [OPTIONS] [-- OPTIONS OF RUN] | --gather DIR | "
             "--cancel DIR",
    .help =
        "Makes tasks of targets, versions of torch and shards, each a plain assay run --shard, and "
        "gives them to an engine. What an engine begins again goes on where it was. --gather "
        "merges what the tasks left; a task that the engine lost, cut off or never began makes the "
        "merged run incomplete, and is named.\n\n"
        "  assay submit --engine slurm --target mine.yaml --shards 20 --out /shared/now \\\n"
        "    --torch old=/opt/old/bin/python,new=/opt/new/bin/python\n"
        "  assay submit --engine command --target mine.yaml --out /shared/one -- -x\n"
        "  assay submit --gather /shared/now\n"
        "  assay report /shared/now/merged/mine-new\n\n"
        "Exit status of --gather: 0 nothing failed, 1 a must failed somewhere, 2 undecided: tasks "
        "are left or incomplete. 71 the engine refused, in its own words.\n",
    HN_OPTIONS(options),
    .python = {HN_DATA_PYTHON, "assay.submit"},
};
