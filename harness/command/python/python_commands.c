/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pages of the sub-commands that are implemented in Python. assay_main.c parses their options
 * and passes them on (python_command.h). To add a command, add a table of options and a page
 * here, and the name in commands.h.
 */
#include <stdint.h>

#include "commands.h"
#include "last_run.h"
#include "python_command.h"

/* ---- bisect ---- */

static const struct hn_option bisect_options[] = {
    {"good", "NAME[,NAME]", "the good end: a revision, a version of torch, or both"},
    {"bad", "NAME[,NAME]", "the bad end, which may be the older one"},
    {"backend", "FOLDER", "bisect the revisions of this repository of the backend"},
    {"torch", "PLACE",
     "bisect the versions or pip specs in this file, oldest first, or a repository of "
     "PyTorch"},
    {"build", "COMMAND",
     "command that builds a point; if it fails, the point is skipped. Default: pip "
     "installs torch, and the steps of the profile build the backend"},
    {"target", "TARGET", "the target to test, with --select"},
    {"select", "CHECKS", "the checks that failed; only these are run"},
    {"run", "COMMAND",
     "test a point with this command instead: exit status 0 good, 1 bad, other values "
     "undecided"},
    {"state", "FOLDER", "folder of builds and results, to continue later (default bisect)"},
    {"format", "text|json", "json: schema assay/bisect/1"},
};

const struct hn_command hn_cmd_bisect = {
    .name = "bisect",
    .summary = "find the revision of a backend or of torch that caused a failure",
    .usage = "--good A --bad B (--backend FOLDER | --torch FILE)... [OPTIONS]",
    .help = "Bisects the revisions of a backend, the versions of torch, or both. For both, it "
            "first reports whether one of them alone causes the failure. Commands run in bash, "
            "in a checkout of the revision, with ASSAY_BACKEND and ASSAY_TORCH (the revision and "
            "version), ASSAY_BACKEND_TREE and ASSAY_TORCH_TREE (checkouts), and ASSAY_PREFIX (a "
            "folder for the build). Each point is built once and run until chance is ruled out; "
            "results are stored.\n"
            "\n"
            "  assay bisect --backend . --good v1.4 --bad HEAD --target mine \\\n"
            "    --select guard.device_count_is_constant \\\n"
            "    --build 'pip install --target \"$ASSAY_PREFIX\" .'\n"
            "  assay bisect --torch nightlies.txt --good 2.14.0.dev20261101 \\\n"
            "    --bad 2.14.0.dev20261120 --run ./ask \\\n"
            "    --build 'pip install --target \"$ASSAY_PREFIX\" \"torch==$ASSAY_TORCH\"'\n"
            "  ASSAY_PIP=\"numpy --pre --index-url https://...\" \\\n"
            "    assay bisect --torch nightlies.txt --target mine --select amp \\\n"
            "    --good 2.14.0.dev20261101 --bad 2.14.0.dev20261120\n"
            "\n"
            "Exit status 0 found; 2 not found: the failure is not reproducible, or no point in "
            "between builds; 65 there is no such revision, or --state contains the results of "
            "another bisection.\n",
    HN_OPTIONS(bisect_options),
    .python = "assay.bisect",
};

/* ---- dashboard ---- */

static const struct hn_option dashboard_options[] = {
    {"db", "FILE", "the history of assay history (default runs/history.db)"},
    {"out", "FOLDER", "folder of the site; an existing site is replaced in one step"},
};

const struct hn_command hn_cmd_dashboard = {
    .name = "dashboard",
    .summary = "make a web site of a history",
    .usage = "build --out FOLDER [--db FILE] | losses [--db FILE]",
    .help = "Makes static pages that work from disk and from any web server: a table of backends "
            "and releases of torch; a page for each backend (failures and repairs with their "
            "dates and revisions), for each release (which backends pass), and for each clause "
            "and check (which backends pass it, and since when); a comparison of any two of the "
            "last 60 nights; a table to copy, badges, and a feed of new failures. Each page has "
            "a JSON file (schema assay/dashboard/1).\n"
            "\n"
            "  assay history add runs/nightly-* --db history.db\n"
            "  assay dashboard build --db history.db --out site\n"
            "  assay dashboard losses --db history.db    # lost musts by cause, as JSON\n"
            "\n"
            "Exit status 65 if the file is not a history or is damaged, or if the folder holds "
            "other files: a message names the error, and nothing is changed.\n",
    HN_OPTIONS(dashboard_options),
    .python = "assay.history",
};

/* ---- drift ---- */

static const struct hn_option drift_options[] = {
    {"uses", "FILE", "the uses of a backend (assay uses); more files may follow as arguments"},
    {"format", "text|json|markdown|html", "text (the default), json, markdown or html"},
    {"output", "FILE", "write to FILE instead of standard output"},
    {"markdown", "FILE", "also write Markdown to FILE"},
    {"rank", "break|adapt|behaviour|deprecated|abi|info",
     "show only groups of this rank and worse"},
    {"all-groups", NULL,
     "with --uses: also show the groups that concern no given backend, not only their number"},
    {"earlier", "SIDES",
     "older versions, comma-separated, to mark declarations that were removed and added "
     "again"},
    {"git", "REV..REV", "compare two revisions of the given checkout"},
    {"generated", "SIDE", "side whose generated headers a checkout uses (default: the other side)"},
    {"std", "STANDARD", "C++ standard for parsing (default c++20)"},
    {"define", "NAMES", "macros to define for both sides, comma-separated: USE_CUDA,USE_C10D_NCCL"},
    {"sections", "NAMES",
     "parts to compare, comma-separated (default cxx,tree,symbols,ops,python)"},
    {"headers", "NAMES", "parse only these headers and what they include, comma-separated: faster"},
    {"alone", NULL,
     "also compile each header alone; this takes minutes and is meant for stored dumps"},
    {"no-confirm", NULL, "do not confirm each rank with the compiler: faster"},
    {"no-cache", NULL, "create each dump again and cache none"},
};

const struct hn_command hn_cmd_drift = {
    .name = "drift",
    .summary = "show what a change of PyTorch breaks, before anything is built",
    .usage = "OLD NEW [OPTIONS] | drift dump SIDE -o FILE | drift anchors SIDE",
    .help = "Compares two versions of PyTorch: C++ declarations, symbols, operator schemas, "
            "Python. A side is an installed torch (its environment, interpreter or folder), a "
            "wheel, an include folder, a source checkout, or a stored dump. Each difference has "
            "a rank that says what a backend must do:\n"
            "  break       the backend no longer compiles, links or imports\n"
            "  adapt       the backend needs an addition (an enumerator, a hook)\n"
            "  behaviour   the backend compiles but behaves differently\n"
            "  deprecated  a later release will remove it\n"
            "  abi         the backend must be compiled again, without a change\n"
            "  info        no action is needed\n"
            "\n"
            "  assay drift .venv torch-NEW-cp311-linux_x86_64.whl\n"
            "  assay drift dump .venv -o torch-old.drift.xz\n"
            "  assay drift torch-old.drift.xz nightly/ --uses ci/uses/openreg.json\n"
            "  assay drift anchors .venv    # clauses that must be reviewed for this version\n"
            "  assay drift --git origin/main..HEAD pytorch/ --generated .venv\n"
            "\n"
            "Exit status 0 nothing breaks, 1 something breaks, 2 undecided (a header can no "
            "longer be parsed), 65 a side is invalid.\n",
    HN_OPTIONS(drift_options),
    .python = "assay.drift",
    .words = {1, SIZE_MAX, "give an old and a new PyTorch to compare"},
};

/* ---- guide ---- */

const struct hn_command hn_cmd_guide = {
    .name = "guide",
    .summary = "show a page of the guide: how to write a part of a backend",
    .usage = "[PAGE]",
    .help = "Prints a page with the code that it includes. Without PAGE, prints the first page and "
            "the list of all pages. assay next and assay explain --error name the page to read.\n"
            "\n"
            "  assay guide\n"
            "  assay guide first_tensor | less\n"
            "\n"
            "Exit status 64 if there is no such page; the message lists all pages.\n",
    .python = "show_guide",
    .words = {0, 1, "give one page"},
};

/* ---- history ---- */

static const struct hn_option history_options[] = {
    {"db", "FILE", "the history (default runs/history.db); add, merge and import create it"},
    {"backend", "REVISION", "for add: the revision of the backend that these runs tested"},
    {"output", "FILE", "for export: write to FILE instead of standard output"},
};

const struct hn_command hn_cmd_history = {
    .name = "history",
    .summary = "store the verdicts of runs over time",
    .usage = "add RUN... | merge HISTORY... | import FILE... | export | upgrade [OPTIONS]",
    .help = "add stores the verdicts of runs on checks, clauses and capabilities, where they "
            "differ from the previous run. A run that is already stored changes nothing. A run "
            "that lies between two stored runs does not change these. merge copies the runs of "
            "other histories, for example from other machines; export and import use JSON lines "
            "(schema assay/history-run/1). Only runs that selected the same part of the contract "
            "are compared; a run of a part is partial and never compatible. If a command opens a "
            "history of an older form, it first converts the history to the present form; upgrade "
            "does only that. assay dashboard makes a web site of a history.\n"
            "\n"
            "  assay history add runs/nightly-* --db history.db --backend 1a2b3c4\n"
            "  assay history merge lab-a.db lab-b.db --db history.db\n"
            "  assay history export --db history.db --output history.jsonl\n"
            "  assay dashboard build --db history.db --out site\n"
            "\n"
            "Exit status 65 if a run, a history or a line is invalid: a message names the error, "
            "and the history is unchanged.\n",
    HN_OPTIONS(history_options),
    .python = "assay.history",
};

/* ---- new ---- */

static const struct hn_option new_options[] = {
    {"name", "NAME", "name of the device (default: the folder's name without torch_)"},
    {"with", "FEATURES", "features to include, comma-separated: streams, generator, amp"},
    {"holder", "TEXT", "holder in the copyright line (default: the NAME authors)"},
};

const struct hn_command hn_cmd_new = {
    .name = "new",
    .summary = "write the sources of a new backend that builds",
    .usage = "FOLDER [OPTIONS]",
    .help = "Writes the sources of a backend: CMake, a Python package, the C++ classes that "
            "PyTorch requires, and a substitute for the driver in one file, which you replace by "
            "yours. The backend installs with pip and passes the checks of the features that it "
            "claims; missing features raise errors that name them.\n"
            "\n"
            "  assay new torch_foo --name foo --with streams,generator,amp\n"
            "  cd torch_foo && pip install --no-build-isolation .\n"
            "  assay run --target ci/foo.yaml\n"
            "\n"
            "The files belong to you, under the BSD license with your name. A folder that is not "
            "empty is not changed.\n"
            "\n"
            "Exit status 0 written; 64 an invalid name or feature; 65 the folder already exists; "
            "71 the files cannot be written.\n",
    HN_OPTIONS(new_options),
    .python = "new_backend",
    .words = {1, 1, "give one folder to write"},
};

/* ---- next ---- */

static const struct hn_option next_options[] = {
    {"format", "text|json|shields",
     "json: the stages and their open checks; shields: a badge with the stage"},
};

/* Without an argument, the command uses the run that was started last. */
static int run_next(const struct hn_invocation *given)
{
    struct hn_invocation fixed = *given;
    char last[HN_PATH_SIZE], *words[] = {last};
    if (!given->word_count) {
        hn_last_run_find(hn_runs_folder(given), last);
        fixed.words = words;
        fixed.word_count = 1;
    }
    return hn_become_python(&fixed, "next_step");
}

const struct hn_command hn_cmd_next = {
    .name = "next",
    .summary = "show the stage of a backend and the next thing to do",
    .usage = "[RUN] [OPTIONS]",
    .help =
        "Reads a run (default: the last run that was started in this folder, even if it is stored "
        "elsewhere) and shows which stage the backend has reached:\n"
        "  bring-up   a tensor is copied to the device, computed with and copied back\n"
        "  usable     models run, and missing features raise clear errors\n"
        "  training   gradients, random numbers, mixed precision, optimizers\n"
        "  complete   streams, events and the other features that a backend should have\n"
        "For the first stage that is not reached, it shows the problem that blocks most checks: "
        "the clause, the consequence for users, a correct implementation, and the command that "
        "verifies the repair. Stages are also selections: assay run --select bring-up.\n"
        "\n"
        "  assay run --target mine.yaml && assay next\n"
        "  assay next runs/last --format shields > stage.json\n"
        "\n"
        "Exit status 0 every stage is reached, 1 a stage is not reached, 65 there is no such "
        "run.\n",
    HN_OPTIONS(next_options),
    .takes_settings = 1,
    .words = {0, 1, "give one run"},
    .run = run_next,
};

/* ---- submit ---- */

static const struct hn_option submit_options[] = {
    {"target", "TARGET[,TARGET]", "the backends: names in ci/targets or profiles"},
    {"torch", "NAME=PYTHON[,...]", "versions of torch, each given by its interpreter"},
    {"shards", "N", "tasks for each target and torch (default 1)"},
    {"select", "EXPR", "as assay run takes it"},
    {"engine", "slurm|command",
     "slurm: submit one job array; command: print one command line per task"},
    {"out", "DIR", "a new folder that all machines share"},
    {"resources", "WORDS", "options of sbatch, such as \"--gres=gpu:1 --partition=lab\""},
    {"minutes", "N", "time limit of one task"},
    {"at-once", "N", "tasks at the same time"},
    {"gather", "DIR",
     "show the state of the tasks in DIR, and merge one run for each target and torch"},
    {"cancel", "DIR", "cancel the tasks that the engine has not finished"},
    {"format", "text|json", "of --gather; json: schema assay/submit/1"},
};

const struct hn_command hn_cmd_submit = {
    .name = "submit",
    .summary = "run the shards of a run on many machines",
    .usage = "--engine slurm|command --out DIR [OPTIONS] [-- OPTIONS OF RUN] | --gather DIR | "
             "--cancel DIR",
    .help = "Creates one task for each target, version of torch and shard, each an ordinary "
            "assay run --shard, and passes them to an engine. A task that the engine restarts "
            "continues where it stopped. --gather merges the results of the tasks. If the engine "
            "lost, aborted or never started a task, the merged run is incomplete and names the "
            "task.\n"
            "\n"
            "  assay submit --engine slurm --target mine.yaml --shards 20 --out /shared/now \\\n"
            "    --torch old=/opt/old/bin/python,new=/opt/new/bin/python\n"
            "  assay submit --engine command --target mine.yaml --out /shared/one -- -x\n"
            "  assay submit --gather /shared/now\n"
            "  assay report /shared/now/merged/mine-new\n"
            "\n"
            "Exit status of --gather: 0 nothing failed, 1 a must failed in some task, 2 "
            "undecided because tasks are missing or incomplete. 71 the engine reported an error, "
            "which is shown.\n",
    HN_OPTIONS(submit_options),
    .python = "assay.submit",
};

/* ---- uses ---- */

static const struct hn_option uses_options[] = {
    {"output", "FILE", "the file to write"},
    {"name", "NAME", "the backend's name (default: that of the file)"},
    {"root", "FOLDER",
     "folder to which reported paths are relative (default: the common folder of all "
     "sources)"},
    {"exclude", "PATTERNS", "file names to skip, comma-separated: *_test.py,*_bench.cc"},
    {"json", NULL, "for show: print JSON"},
};

const struct hn_command hn_cmd_uses = {
    .name = "uses",
    .summary = "list the parts of PyTorch that a backend uses",
    .usage = "TARGET|SOURCES... -o FILE [OPTIONS] | uses show NAME [FILE...]",
    .help = "Writes the parts of PyTorch that a backend uses into a small file without code: "
            "base classes, functions that it overrides and calls, macros, enumerators, headers, "
            "operators, Python names. With this file assay drift shows what a change of PyTorch "
            "breaks in the backend. It reads\n"
            "  a compile database and folders   C++ as its compiler sees it, and Python\n"
            "  a folder, .py or .so files       Python, and what libraries need to load\n"
            "  a target or its profile          the modules and libraries it loads\n"
            "Folders named test, tests, testdata and build are skipped unless they are given.\n"
            "\n"
            "  assay uses build/compile_commands.json csrc torch_foo -o foo.json\n"
            "  assay uses foo.yaml -o foo.json\n"
            "  assay uses show c10::Allocator::copy_data\n"
            "\n"
            "Exit status 0 success; 2 a source could not be read completely (it is named, and "
            "the file is written); 1 for show if no backend uses the name; 65 if nothing can be "
            "read.\n",
    HN_OPTIONS(uses_options),
    .python = "assay.drift",
    .words = {1, SIZE_MAX, "give sources, a package or a target"},
};
