# SPDX-License-Identifier: BSD-3-Clause
"""The verbs of `assay history`. The help texts are in harness/command/cmd_history.c."""

import sys

from assay import files

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
    files.write(options["output"], (text_of(*line) for _, *line in lines_of(path)), [path])


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
