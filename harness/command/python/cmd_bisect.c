/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay bisect: which revision brought a failure. Done by assay.bisect (harness/python).
 */
#include "commands.h"
#include "data.h"

static const struct hn_option options[] = {
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
    HN_OPTIONS(options),
    .python = {HN_DATA_PYTHON, "assay.bisect"},
};
