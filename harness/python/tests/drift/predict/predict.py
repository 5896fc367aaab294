# SPDX-License-Identifier: BSD-3-Clause
"""Predictions of `assay drift --uses` against a compiler: precision and recall by kind of edit.

    predict.py [--seed N] [--count N] [--batch N] [--backends a,b] [--also NAME=DATABASE:FOLDER]... [-o FILE]

A unit is (backend, entity of OLD). Predicted: the crossing says that it breaks. True: clang, over the backend's files with the edited
headers, complains about it. Both come from the same edits; the compiler never sees the files of uses, the prediction never the sources.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[4]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
os.environ.setdefault("ASSAY_FACTS", str(BUILD / "bin/assay-facts"))

from assay.drift.cross import BREAKS, cross
from assay.drift.reaching import reach
from assay.drift.result import compare_dumps
from assay.facts.dump_command import dump_side
from assay.facts.dump_file import read_dump
from assay.facts.make_dump import dump_of
from assay.facts.settings import Settings
from assay.facts.side import find_side
from assay.uses.database import read_units, torch_includes
from assay.uses.file import read_uses
from assay.uses.sources import torch_headers
from compiler_truth import compile_all, edits_behind, is_abstract_template, precompile, standard_of, with_tree
from edit_tree import linked_tree
from seeded_edits import KINDS, WORD, Draw, changed_headers, leaf_of, word_counts
from ci.uses.update import BACKENDS

CLANG = os.environ.get("ASSAY_CLANG", "clang-16")
SETTINGS = Settings(sections=("cxx",))


REPLAYED = ROOT / "ci/gate/replay/testdata"  # a backend and a stand-in for PyTorch's headers


@dataclass
class Backend:
    """The files a compiler reads, and what they use by `assay uses`."""

    units: list
    uses: dict

    @property
    def name(self):
        return self.uses["name"]


def of_this_tree(name):
    return Backend(units_below(BUILD / "compile_commands.json", [ROOT / folder for folder in BACKENDS[name]]), read_uses(ROOT / f"ci/uses/{name}.json"))


def from_outside(name, database, folder, scratch):
    """A backend that is not of this tree: its uses are taken now, as its vendor would; from sources alone, since the truth is a compiler's."""
    made = scratch / f"{name}.json"
    words = ["uses", database, folder, "--name", name, "--root", folder, "--exclude", "*.so,*.so.*", "-o", made]
    done = subprocess.run([BUILD / "bin/assay", *map(str, words)], capture_output=True, text=True)
    if not made.is_file():
        sys.exit(f"{name}: {done.stderr.strip()}")
    return Backend(units_below(database, [folder]), read_uses(made))


def replayed(scratch):
    """The backend of the gate's replays, which builds against its own few headers."""
    folder, include = REPLAYED / "backend", REPLAYED / "upstream/include"
    database = scratch / "replayed_commands.json"
    rows = [{"directory": str(folder), "file": str(file), "arguments": ["c++", "-std=c++17", "-I", str(include), str(file)]}
            for file in sorted(folder.glob("*.cpp"))]  # fmt: skip
    database.write_text(json.dumps(rows), encoding="utf-8")
    return from_outside("replayed", database, folder, scratch)


def units_below(database, folders):
    return [unit for unit in read_units(database, [str(folder) for folder in folders]) if torch_includes(unit.flags)]


def common_flags(units, tree):
    """Flags for the headers of all units together: those of the first, and where the others find more."""
    flags = with_tree(units[0], tree, standard_of(units))
    for unit in units[1:]:
        more = with_tree(unit, tree, standard_of(units))
        for name, folder in zip(more, more[1:]):
            if name in ("-I", "-isystem") and folder not in flags:
                flags += ["-isystem", folder]
    return flags


class Batch:
    """Some edits in one tree: one look of drift, one of the compiler."""

    def __init__(self, base, include, edits, folder):
        self.base, self.include, self.edits, self.folder = base, include, list(edits), folder
        self.templates = {leaf_of(fact["id"]) for fact in base.facts.values() if fact["kind"] == "class" and "template" in fact}

    def predicted(self, backends):
        """{(backend, edit)} that the crossing says break; and entries that belong to no edit."""
        tree = linked_tree(self.include, self.folder / "new", changed_headers(self.include, self.edits))
        new = dump_of(find_side(str(tree), None), SETTINGS)
        result = compare_dumps(self.base, new)
        found, strange = set(), []
        for backend in cross(result.entries, [one.uses for one in backends], self.base, new):
            for entry in backend["entries"]:
                if entry["verdict"] != BREAKS:
                    continue
                behind = [edit for edit in self.edits if self._is_about(entry, edit)]
                found.update((backend["name"], edit) for edit in behind)
                strange += [] if behind else [f"{backend['name']}: {entry['id']} {entry['change']}"]
        return found, strange

    def _is_about(self, entry, edit):
        """A change of a parameter is told of the old entity, an addition of the new one; what a moved header declared or alone brought
        along went with it."""
        id = entry["id"]
        if edit.kind == "header moved":
            header = self.base.facts.get(id, {}).get("header")
            along = entry["change"] == "unreached" and header in reach(self.base, edit.header)
            return id == f"header:{edit.header}" or header == edit.header or along
        return id == edit.id or bool(edit.words & set(WORD.findall(id)))

    def _drop(self, guilty):
        self.edits = [edit for edit in self.edits if edit not in guilty]

    def prepare(self, units):
        """Precompiles PyTorch's headers, without the edits that they themselves do not compile with. Returns the tree, the precompiled
        header and complaints that no edit explains."""
        includes = [str(self.include), str(self.include / "torch/csrc/api/include")]
        headers = torch_headers(units, includes)
        for attempt in range(4):
            tree = linked_tree(self.include, self.folder / f"stubbed{attempt}", changed_headers(self.include, self.edits, stub=True))
            moved = {edit.header for edit in self.edits if edit.kind == "header moved"}
            wanted = [name for name in headers if name not in moved]
            pch, said = precompile(CLANG, common_flags(units, tree), wanted, self.folder)
            guilty = {edit for complaint in said for edit in edits_behind(complaint, self.edits, tree)}
            if not guilty:
                break
            self._drop(guilty)
        return tree, pch, [f"{one.file}:{one.line}: {one.text}" for one in said]

    def true(self, backends):
        """{(backend, edit)} that do not compile, and complaints of no edit."""
        units = [unit for backend in backends for unit in backend.units]
        tree, pch, strange = self.prepare(units)
        found, guilty, standard = set(), set(), standard_of(units)
        for backend in backends:
            said = compile_all(CLANG, backend.units, lambda unit: with_tree(unit, tree, standard), pch)
            for complaint in (one for file in said.values() for one in file):
                behind = edits_behind(complaint, self.edits, tree)
                if is_abstract_template(complaint, self.templates):
                    guilty.update(behind)
                found.update((backend.name, edit) for edit in behind)
                strange += [] if behind else [f"{complaint.file}:{complaint.line}: {complaint.text}"]
        self._drop(guilty)
        return {unit for unit in found if unit[1] not in guilty}, strange


def table(units):
    """Rows of kind, predicted, true, both, precision, recall; the sum last."""
    rows = []
    for kind in (*KINDS, "all"):
        chosen = [unit for unit in units if kind in (unit["kind"], "all")]
        predicted = sum(unit["predicted"] for unit in chosen)
        true = sum(unit["true"] for unit in chosen)
        both = sum(unit["predicted"] and unit["true"] for unit in chosen)
        rows.append((kind, predicted, true, both, both / predicted if predicted else 1, both / true if true else 1))
    return rows


def print_table(rows, edits):
    print(f"{'kind':14} {'edits':>5} {'predicted':>9} {'true':>5} {'both':>5} {'precision':>9} {'recall':>7}")
    for kind, predicted, true, both, precision, recall in rows:
        count = sum(1 for edit in edits if kind in (edit.kind, "all"))
        print(f"{kind:14} {count:5} {predicted:9} {true:5} {both:5} {precision:8.0%} {recall:7.0%}")


def measure(base, include, edits, backends, folder):
    """Units of one batch, the edits that count, and what is strange in it."""
    batch = Batch(base, include, edits, folder)
    true, unexplained = batch.true([backend for backend in backends if backend.units])
    predicted, strange = batch.predicted(backends)
    found = [{"backend": name, "kind": edit.kind, "id": edit.id, "header": edit.header,
              "predicted": (name, edit) in predicted, "true": (name, edit) in true}
             for name, edit in sorted(predicted | true, key=str)]  # fmt: skip
    return found, batch.edits, strange + unexplained


def try_all(include, backends, asked, scratch):
    """Units, edits that count, edits drawn and what is strange, over one PyTorch."""
    base = read_dump(dump_side(find_side(str(include), None), SETTINGS, True, scratch))
    used = {entry["id"] for backend in backends for entry in backend.uses["entries"]}
    edits = Draw(base.facts, include, used, word_counts(include)).draw(asked.seed, asked.count, asked.batch)
    units, valid, strange = [], [], []
    for at in range(0, len(edits), asked.batch):
        with tempfile.TemporaryDirectory(prefix="assay-predict-") as folder:
            found = measure(base, include, edits[at : at + asked.batch], backends, Path(folder))
        for kept, more in zip((units, valid, strange), found):
            kept += more
    return units, valid, edits, strange


def read_words():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=36)
    parser.add_argument("--batch", type=int, default=36)
    parser.add_argument("--backends", default=",".join(BACKENDS), help='of this tree; "replayed" is the one of ci/gate/replay')
    parser.add_argument("--also", action="append", default=[], metavar="NAME=DATABASE:FOLDER", help="a backend that lies elsewhere")
    parser.add_argument("-o", "--output")
    return parser.parse_args()


def main():
    asked, started = read_words(), time.monotonic()
    names = [name for name in asked.backends.split(",") if name]
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        if names == ["replayed"]:
            include, backends = REPLAYED / "upstream/include", [replayed(scratch)]
        else:
            include = Path(find_spec("torch").origin).parent / "include"
            backends = [of_this_tree(name) for name in names]
            for word in asked.also:
                name, database, place = re.split("[=:]", word, maxsplit=2)
                backends.append(from_outside(name, database, place, scratch))
        units, valid, edits, strange = try_all(include, backends, asked, scratch)
    tell(units, valid, edits, strange)
    print(f"{time.monotonic() - started:.0f} s")
    if asked.output:
        Path(asked.output).write_text(json.dumps({"seed": asked.seed, "units": units, "edits": [vars(edit) for edit in valid], "unexplained": strange}, indent=1))


def tell(units, valid, edits, strange):
    for unit in units:
        if unit["predicted"] != unit["true"]:
            print(f"{'missed' if unit['true'] else 'false alarm'}: {unit['backend']} {unit['kind']} {unit['id']}")
    for sentence in sorted(set(strange))[:60]:
        print(f"unexplained: {sentence}")
    print_table(table(units), valid)
    print(f"{len(edits) - len(valid)} of {len(edits)} edits were dropped: PyTorch's own headers do not compile with them")


if __name__ == "__main__":
    main()
