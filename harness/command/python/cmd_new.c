/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay new: a backend that builds, to start from. Done by guide/new_backend.py.
 */
#include "commands.h"

static const struct hn_option options[] = {
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
    HN_OPTIONS(options),
    .python = {"guide", "new_backend"},
    .words = {1, 1, "give one folder to write"},
};
