/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay drift: what changed between two PyTorchs in what backends rely on. Done by assay.drift (harness/python).
 */
#include <stdint.h>

#include "commands.h"
#include "data.h"

static const struct hn_option options[] = {
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
    HN_OPTIONS(options),
    .python = {HN_DATA_PYTHON, "assay.drift"},
    .words = {1, SIZE_MAX, "give an old and a new PyTorch to compare"},
};
