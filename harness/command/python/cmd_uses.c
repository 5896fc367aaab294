/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay uses: what a backend relies on in PyTorch, and who of the collection relies on something.
 * Done by assay.uses (harness/python).
 */
#include <stdint.h>

#include "commands.h"
#include "data.h"

static const struct hn_option options[] = {
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
    HN_OPTIONS(options),
    .python = {HN_DATA_PYTHON, "assay.drift"},
    .words = {1, SIZE_MAX, "give sources, a package or a target"},
};
