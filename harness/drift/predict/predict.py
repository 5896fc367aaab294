# SPDX-License-Identifier: BSD-3-Clause
"""Predictions of `assay drift --uses` against a compiler: precision and recall by kind of edit.

    predict.py [--seed N] [--count N] [--batch N] [--backends a,b] [-o FILE]

A unit is (backend, entity of OLD). Predicted: the crossing says that it breaks. True: clang, over the backend's files with the edited
headers, complains about it. Both come from the same edits; the compiler never sees the files of uses, the prediction never the sources.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
sys.path[:0] = [str(HERE), str(HERE.parent), str(ROOT / "ci/uses")]
os.environ.setdefault("ASSAY_FACTS", str(BUILD / "bin/assay-facts"))

from assay_drift.dump import read_dump  # noqa: E402
from assay_drift.dump_command import dump_side  # noqa: E402
from assay_drift.make_dump import dump_of  # noqa: E402
from assay_drift.result import compare_dumps  # noqa: E402
from assay_drift.settings import Settings  # noqa: E402
from assay_drift.side import find_side  # noqa: E402
from assay_drift.uses_cross import BREAKS, cross  # noqa: E402
from assay_drift.uses_database import read_units, torch_includes  # noqa: E402
from assay_drift.uses_file import read_uses  # noqa: E402
from assay_drift.uses_sources import torch_headers  # noqa: E402
from compiler_truth import compile_all, edits_behind, precompile  # noqa: E402
from edit_tree import linked_tree  # noqa: E402
from seeded_edits import KINDS, Draw, changed_headers, word_counts  # noqa: E402
from update import BACKENDS  # noqa: E402

CLANG = os.environ.get("ASSAY_CLANG", "clang-16")
SETTINGS = Settings(sections=("cxx",))


def units_of(name):
    roots = [str(ROOT / folder) for folder in BACKENDS[name]]
    return [unit for unit in read_units(BUILD / "compile_commands.json", roots) if torch_includes(unit.flags)]


def with_tree(unit, include, tree):
    """The unit's flags with the edited headers in the place of PyTorch's."""
    return [flag.replace(str(include), str(tree), 1) if flag.startswith(str(include)) else flag for flag in unit.flags]


def common_flags(units, include, tree):
    """Flags for the headers of all units together: those of the first, and where the others find more."""
    flags = with_tree(units[0], include, tree)
    for unit in units[1:]:
        more = with_tree(unit, include, tree)
        for name, folder in zip(more, more[1:]):
            if name in ("-I", "-isystem") and folder not in flags:
                flags += ["-isystem", folder]
    return flags


class Batch:
    """Some edits in one tree: one look of drift, one of the compiler."""

    def __init__(self, base, include, edits, folder):
        self.base, self.include, self.edits, self.folder = base, include, list(edits), folder
        self.dropped = []

    def predicted(self, documents):
        """{(backend, edit)} that the crossing says break; and entries that belong to no edit."""
        tree = linked_tree(self.include, self.folder / "new", changed_headers(self.include, self.edits))
        result = compare_dumps(self.base, dump_of(find_side(str(tree), None), SETTINGS))
        found, strange = set(), []
        for backend in cross(result.entries, documents, self.base):
            for entry in backend["entries"]:
                if entry["verdict"] != BREAKS:
                    continue
                behind = [edit for edit in self.edits if self._is_about(entry["id"], edit)]
                found.update((backend["name"], edit) for edit in behind)
                strange += [] if behind else [f"{backend['name']}: {entry['id']} {entry['change']}"]
        return found, strange

    def _is_about(self, id, edit):
        """A change of a parameter is told of the old entity, an addition of the new one; what moved along with a header is its doing."""
        if edit.kind == "header moved":
            return id == f"header:{edit.header}" or self.base.facts.get(id, {}).get("header") == edit.header
        return id == edit.id or any(word in id for word in edit.words)

    def prepare(self, units):
        """Precompiles PyTorch's headers, without the edits that they themselves do not compile with. Returns the tree, the precompiled
        header and complaints that no edit explains."""
        includes = [str(self.include), str(self.include / "torch/csrc/api/include")]
        headers = torch_headers(units, includes)
        for attempt in range(4):
            tree = linked_tree(self.include, self.folder / f"stubbed{attempt}", changed_headers(self.include, self.edits, stub=True))
            moved = {edit.header for edit in self.edits if edit.kind == "header moved"}
            wanted = [name for name in headers if name not in moved]
            pch, said = precompile(CLANG, common_flags(units, self.include, tree), wanted, self.folder)
            guilty = {edit for complaint in said for edit in edits_behind(complaint, self.edits, tree)}
            if not guilty:
                break
            self.dropped += sorted(guilty, key=str)
            self.edits = [edit for edit in self.edits if edit not in guilty]
        return tree, pch, [f"{one.file}:{one.line}: {one.text}" for one in said]

    def true(self, units_by_name):
        """{(backend, edit)} that do not compile, and complaints of no edit."""
        tree, pch, strange = self.prepare([unit for group in units_by_name.values() for unit in group])
        found = set()
        for name, group in units_by_name.items():
            said = compile_all(CLANG, group, lambda unit: with_tree(unit, self.include, tree), pch)
            for complaint in (one for file in said.values() for one in file):
                behind = edits_behind(complaint, self.edits, tree)
                found.update((name, edit) for edit in behind)
                strange += [] if behind else [f"{complaint.file}:{complaint.line}: {complaint.text}"]
        return found, strange


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


def measure(base, include, edits, documents, folder):
    """Units of one batch, the edits that count, and what is strange in it."""
    batch = Batch(base, include, edits, folder)
    units = {document["name"]: units_of(document["name"]) for document in documents}
    true, unexplained = batch.true({name: group for name, group in units.items() if group})
    predicted, strange = batch.predicted(documents)
    found = [{"backend": name, "kind": edit.kind, "id": edit.id, "header": edit.header,
              "predicted": (name, edit) in predicted, "true": (name, edit) in true}
             for name, edit in sorted(predicted | true, key=str)]  # fmt: skip
    return found, batch.edits, strange + unexplained


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=36)
    parser.add_argument("--batch", type=int, default=18)
    parser.add_argument("--backends", default=",".join(BACKENDS))
    parser.add_argument("-o", "--output")
    asked = parser.parse_args()
    include = Path(find_spec("torch").origin).parent / "include"
    documents = [read_uses(ROOT / f"ci/uses/{name}.json") for name in asked.backends.split(",")]
    used = {entry["id"] for document in documents for entry in document["entries"]}
    with tempfile.TemporaryDirectory() as scratch:
        base = read_dump(dump_side(find_side(str(include), None), SETTINGS, True, Path(scratch)))
    edits = Draw(base.facts, include, used, word_counts(include)).draw(asked.seed, asked.count)
    units, valid, strange, started = [], [], [], time.monotonic()
    for at in range(0, len(edits), asked.batch):
        with tempfile.TemporaryDirectory(prefix="assay-predict-") as folder:
            found = measure(base, include, edits[at : at + asked.batch], documents, Path(folder))
        for kept, more in zip((units, valid, strange), found):
            kept += more
        print(f"{at + asked.batch} of {len(edits)} edits after {time.monotonic() - started:.0f} s", file=sys.stderr)
    for unit in units:
        if unit["predicted"] != unit["true"]:
            print(f"{'missed' if unit['true'] else 'false alarm'}: {unit['backend']} {unit['kind']} {unit['id']}")
    for sentence in sorted(set(strange))[:60]:
        print(f"unexplained: {sentence}")
    print_table(table(units), valid)
    print(f"{len(edits) - len(valid)} of {len(edits)} edits were dropped: PyTorch's own headers do not compile with them")
    if asked.output:
        Path(asked.output).write_text(json.dumps({"seed": asked.seed, "units": units, "unexplained": strange}, indent=1))


if __name__ == "__main__":
    main()
