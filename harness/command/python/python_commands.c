/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pages of the sub-commands that Python programs do as a whole. assay_main.c parses their options and hands them
 * over (python_command.h); nothing else of them is in C. To add one: a table of options and a page here, and its
 * name in commands.h.
 */
#include <stdint.h>

#include "commands.h"

/* ---- bisect ---- */

static const struct hn_option bisect_options[] = {
    {"good", "NAME[,NAME]", "where it was good: a revision, a version of torch, or both"},
    {"bad", "NAME[,NAME]", "where it is bad; it may be the older one"},
    {"backend", "FOLDER", "a repository of the backend: bisect its revisions"},
    {"torch", "PLACE", "a file of versions or pip specs, oldest first, or a repository of PyTorch"},
    {"build", "COMMAND",
     "makes a point; when it fails the point does not build and is gone around. Default: pip "
     "installs torch, the profile's steps build the backend"},
    {"target", "TARGET", "what is asked, with --select"},
    {"select", "CHECKS", "the checks that failed; only they are run"},
    {"run", "COMMAND", "asks a point instead: exit status 0 good, 1 bad, else it cannot say"},
    {"state", "FOLDER", "builds and answers, to go on later (default bisect)"},
    {"format", "text|json", "json: schema assay/bisect/1"},
};

const struct hn_command hn_cmd_bisect = {
    .name = "bisect",
    .summary = "the revision of a backend, or version of torch, that brought a failure",
    .usage = "--good A --bad B (--backend FOLDER | --torch FILE)... [OPTIONS]",
    .help =
        "Bisects the revisions of a backend, the versions of torch, or both: then it is told first "
        "whether one of them does it alone, or it needs both. Commands run in bash, in a checkout "
        "of the revision, with ASSAY_BACKEND and ASSAY_TORCH (which point), ASSAY_BACKEND_TREE and "
        "ASSAY_TORCH_TREE (checkouts), and ASSAY_PREFIX, a folder of the point for what is built. "
        "Each point is built once and run until the odds are 99:1; what was answered is kept.\n\n"
        "  assay bisect --backend . --good v1.4 --bad HEAD --target mine \\\n"
        "    --select guard.device_count_is_constant \\\n"
        "    --build 'pip install --target \"$ASSAY_PREFIX\" .'\n"
        "  assay bisect --torch nightlies.txt --good 2.14.0.dev20261101 \\\n"
        "    --bad 2.14.0.dev20261120 --run ./ask \\\n"
        "    --build 'pip install --target \"$ASSAY_PREFIX\" \"torch==$ASSAY_TORCH\"'\n"
        "  ASSAY_PIP=\"numpy --pre --index-url https://...\" \\\n"
        "    assay bisect --torch nightlies.txt --target mine --select amp \\\n"
        "    --good 2.14.0.dev20261101 --bad 2.14.0.dev20261120\n\n"
        "Exit status 0 found; 2 not: it is not reproducible, or nothing builds in between; 65 "
        "there is no such revision, or --state has the answers to another question.\n",
    HN_OPTIONS(bisect_options),
    .python = "assay.bisect",
};

/* ---- dashboard ---- */

static const struct hn_option dashboard_options[] = {
    {"db", "FILE", "the history (default runs/history.db), as of assay history"},
    {"out", "FOLDER", "where the site goes; one that is there is replaced in one step"},
};

const struct hn_command hn_cmd_dashboard = {
    .name = "dashboard",
    .summary = "a history as a site: who works with what, since when, what broke",
    .usage = "build --out FOLDER [--db FILE] | losses [--db FILE]",
    .help =
        "Makes pages that open from disk and from any web space: backends x releases of torch; a "
        "page for each backend (what broke when, between which two revisions, what was repaired), "
        "for each release (who is ready), for each clause and check (who keeps it since when, who "
        "never did); any two of the last 60 nights compared; a table to copy, badges, a feed of "
        "what broke. Beside each page lies its JSON (schema assay/dashboard/1).\n\n"
        "  assay history add runs/nightly-* --db history.db\n"
        "  assay dashboard build --db history.db --out site\n"
        "  assay dashboard losses --db history.db    # lost musts by cause, as JSON\n\n"
        "Exit status 65 if the file is not a history or is damaged, or if the folder holds "
        "something else: one sentence says what, and nothing is changed.\n",
    HN_OPTIONS(dashboard_options),
    .python = "assay.history",
};

/* ---- drift ---- */

static const struct hn_option drift_options[] = {
    {"uses", "FILE", "what a backend relies on (assay uses); more files may follow as words"},
    {"format", "text|json|markdown|html", "text (the default), json, markdown or html"},
    {"output", "FILE", "write there instead of printing"},
    {"markdown", "FILE", "as Markdown there as well"},
    {"rank", "break|adapt|behaviour|deprecated|abi|info", "show groups of this rank and worse"},
    {"earlier", "SIDES", "older versions, comma-separated: marks what went and came back"},
    {"git", "REV..REV", "two revisions of the one checkout that is given"},
    {"generated", "SIDE", "whose generated headers a checkout uses (default: the other side)"},
    {"std", "STANDARD", "C++ standard of the parse (default c++20)"},
    {"define", "NAMES", "macros of both sides, comma-separated: USE_CUDA,USE_C10D_NCCL"},
    {"sections", "NAMES",
     "facts to look at, comma-separated (default cxx,tree,symbols,ops,python)"},
    {"headers", "NAMES",
     "parse these alone, comma-separated: quick, and of what they include only"},
    {"alone", NULL, "compile each header alone as well: minutes, for dumps that are stored"},
    {"no-confirm", NULL, "do not ask the compiler whether each rank is right: quicker"},
    {"no-cache", NULL, "make each dump again, and keep none"},
};

const struct hn_command hn_cmd_drift = {
    .name = "drift",
    .summary = "what a PyTorch change breaks, before anything is built",
    .usage = "OLD NEW [OPTIONS] | drift dump SIDE -o FILE | drift anchors SIDE",
    .help =
        "Compares two PyTorchs as facts: C++ declarations, symbols, operator schemas, Python. A "
        "side is an installed torch (its environment, interpreter or folder), a wheel, an include "
        "folder, a source checkout, or a dump that was stored. Each difference is ranked by what a "
        "backend must do:\n"
        "  break       does not compile, link or import any more\n"
        "  adapt       compiles, but something must be added (an enumerator, a hook)\n"
        "  behaviour   compiles, and does something else\n"
        "  deprecated  goes soon\n"
        "  abi         compile again, change nothing\n"
        "  info        worth knowing\n\n"
        "  assay drift .venv torch-NEW-cp311-linux_x86_64.whl\n"
        "  assay drift dump .venv -o torch-old.drift.xz\n"
        "  assay drift torch-old.drift.xz nightly/ --uses ci/uses/openreg.json\n"
        "  assay drift anchors .venv    # clauses to read again for it\n"
        "  assay drift --git origin/main..HEAD pytorch/ --generated .venv\n\n"
        "Exit status 0 nothing breaks, 1 something does, 2 undecided (a header does not parse any "
        "more), 65 when a side is not what it should be.\n",
    HN_OPTIONS(drift_options),
    .python = "assay.drift",
    .words = {1, SIZE_MAX, "give an old and a new PyTorch to compare"},
};

/* ---- history ---- */

static const struct hn_option history_options[] = {
    {"db", "FILE", "the history (default runs/history.db); add, merge and import make it"},
    {"backend", "REVISION", "of add: the revision of the backend that these runs tested"},
    {"output", "FILE", "of export: write there instead of printing"},
};

const struct hn_command hn_cmd_history = {
    .name = "history",
    .summary = "keeps what runs said over time: who is compatible with what, since when",
    .usage = "add RUN... | merge HISTORY... | import FILE... | export | upgrade [OPTIONS]",
    .help =
        "add puts runs into the history: every verdict on a check, a clause and a capability, as "
        "text, written down where it differs from the run before. A run that is already known "
        "changes nothing. A run between two others leaves those as they are. merge takes the runs "
        "of other histories, for example from other machines; export and import are the same as "
        "JSON lines (schema assay/history-run/1). Only runs that selected the same part of the "
        "contract are compared; a run of a part is partial, never compatible. If a command opens a "
        "history of an older form, it first converts the history to the present form; upgrade does "
        "only that. assay dashboard makes pages of a history; it names the history by --db, too."
        "\n\n"
        "  assay history add runs/nightly-* --db history.db --backend 1a2b3c4\n"
        "  assay history merge lab-a.db lab-b.db --db history.db\n"
        "  assay history export --db history.db --output history.jsonl\n"
        "  assay dashboard build --db history.db --out site\n\n"
        "Exit status 65 when a run, a history or a line is not what it should be: one sentence "
        "says what, and the history is as it was.\n",
    HN_OPTIONS(history_options),
    .python = "assay.history",
};

/* ---- new ---- */

static const struct hn_option new_options[] = {
    {"name", "NAME", "how the device is called (default: the folder's name without torch_)"},
    {"with", "FEATURES", "what it has from the start, comma-separated: streams, generator, amp"},
    {"holder", "TEXT", "who stands in the copyright line (default: the NAME authors)"},
};

const struct hn_command hn_cmd_new = {
    .name = "new",
    .summary = "a backend that builds, to start from",
    .usage = "FOLDER [OPTIONS]",
    .help =
        "Writes a backend of its own: CMake, a Python package, the C++ that PyTorch asks for, and "
        "a stand-in for the driver in one file, which yours replaces. It installs with pip and "
        "keeps the part of the contract that it claims from the first day; what is not there yet "
        "is refused by name.\n\n"
        "  assay new torch_foo --name foo --with streams,generator,amp\n"
        "  cd torch_foo && pip install --no-build-isolation .\n"
        "  assay run --target ci/foo.yaml\n\n"
        "The files are yours: BSD, with your name. A folder with something in it is left alone.\n\n"
        "Exit status 0 written; 64 a name or feature that cannot be; 65 the folder is there "
        "already; 71 it cannot be written.\n",
    HN_OPTIONS(new_options),
    .python = "new_backend",
    .words = {1, 1, "give one folder to write"},
};

/* ---- next ---- */

static const struct hn_option next_options[] = {
    {"format", "text|json|shields",
     "json: stages and what is open; shields: a badge that says the stage"},
};

const struct hn_command hn_cmd_next = {
    .name = "next",
    .summary = "how far a backend is, and what to do now",
    .usage = "[RUN] [OPTIONS]",
    .help =
        "Reads a run (default: runs/last) and says which stage the backend has reached:\n"
        "  bring-up   a tensor goes there, is worked on, and comes back\n"
        "  usable     models run, and what is missing says so\n"
        "  training   gradients, random numbers, mixed precision, optimizers\n"
        "  complete   streams, events, and all that should be there\n"
        "Of the first that is not reached, the one thing that holds up most checks: the clause, "
        "what goes wrong without it, a right implementation to look at, and the command that shows "
        "it done. Stages are selections, too: assay run --select bring-up.\n\n"
        "  assay run --target mine.yaml && assay next\n"
        "  assay next runs/last --format shields > stage.json\n\n"
        "Exit status 0 every stage is reached, 1 not yet, 65 there is no such run.\n",
    HN_OPTIONS(next_options),
    .python = "next_step",
    .words = {0, 1, "give one run"},
};

/* ---- submit ---- */

static const struct hn_option submit_options[] = {
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
    HN_OPTIONS(submit_options),
    .python = "assay.submit",
};

/* ---- uses ---- */

static const struct hn_option uses_options[] = {
    {"output", "FILE", "the file to write (-o)"},
    {"name", "NAME", "the backend's name (default: that of the file)"},
    {"root", "FOLDER", "places are told from here (default: the folder all sources share)"},
    {"exclude", "PATTERNS", "file names to leave out, comma-separated: *_test.py,*_bench.cc"},
    {"json", NULL, "show: as JSON"},
};

const struct hn_command hn_cmd_uses = {
    .name = "uses",
    .summary = "what a backend relies on in PyTorch, and who relies on what",
    .usage = "TARGET|SOURCES... -o FILE [OPTIONS] | uses show NAME [FILE...]",
    .help =
        "Writes what a backend uses of PyTorch into a small file without code: classes it derives "
        "from, functions it overrides and calls, macros, enumerators, headers, operators, Python "
        "names. With it assay drift says what a change of PyTorch breaks there. It reads\n"
        "  a compile database and folders   C++ as its compiler sees it, and Python\n"
        "  a folder, .py or .so files       Python, and what libraries need to load\n"
        "  a target or its profile          what the steps of the profile load\n"
        "Folders called test, tests, testdata and build are left out unless they are named.\n\n"
        "  assay uses build/compile_commands.json csrc torch_foo -o foo.json\n"
        "  assay uses foo.yaml -o foo.json\n"
        "  assay uses show c10::Allocator::copy_data\n\n"
        "Exit status 0 good; 2 a source could not be read whole (it is named, the file is "
        "written); 1 for show when nobody uses it; 65 when nothing can be read.\n",
    HN_OPTIONS(uses_options),
    .python = "assay.drift",
    .words = {1, SIZE_MAX, "give sources, a package or a target"},
};
