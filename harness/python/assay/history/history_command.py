# SPDX-License-Identifier: BSD-3-Clause
"""The verbs of `assay history`. Their help is in harness/command/cmd_history.c."""

import stat
import sys
from pathlib import Path

from assay.command import Refused

from .store import transaction
from .jsonl import lines_of, read_lines, take, text_of
from .opening import opened
from .writing import Writer
from .report_facts import changes_of, read_report, run_of
from .verb import Verb


def add(path, options, folders):
    with opened(path, make=True) as file:
        writer = Writer(file)
        for folder in folders:
            report = read_report(folder)
            with transaction(file):
                added = writer.put(run_of(report, options.get("backend", "")), changes_of(report))
            print("added" if added else "already known:", folder, flush=True)


def take_from(path, sources, lines):
    with opened(path, make=True) as file:
        for source in sources:
            with transaction(file):
                added, known = take(Writer(file), lines(source))
            print(f"{source}: {added} added, {known} already known", flush=True)


def merge(path, options, histories):
    take_from(path, histories, lines_of)


def import_lines(path, options, files):
    take_from(path, files, read_lines)


def export(path, options, _):
    upgrade(path, options, _)
    if "output" not in options:
        sys.stdout.buffer.writelines(text_of(*line) for _, *line in lines_of(path))
        return
    output = Path(options["output"])
    expect_replaceable(output, path)
    beside = output.with_name(f"{output.name}.part")
    beside.unlink(missing_ok=True)
    try:  # written in one step, so that a reader sees the old export or the new one
        with open(beside, "xb") as file:
            file.writelines(text_of(*line) for _, *line in lines_of(path))
        beside.replace(output)
    finally:
        beside.unlink(missing_ok=True)


def expect_replaceable(output, history):
    """Rejects an output that is a device, a pipe or a link, because the rename would replace it."""
    try:
        found = output.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise Refused(f"{output}: is not a regular file, so it is not replaced: give --output another name, or leave it out "
                      "to print")
    if output.samefile(history):
        raise Refused(f"{output}: is the history itself: give --output another name")


def upgrade(path, options, _):
    with opened(path):
        pass


VERBS = {
    "add": Verb(add, "the folders of the runs to add"),
    "merge": Verb(merge, "the histories to take runs from"),
    "import": Verb(import_lines, "the files of JSON lines to import"),
    "export": Verb(export),
    "upgrade": Verb(upgrade),
}
