# SPDX-License-Identifier: BSD-3-Clause
"""Reads the lists of the fleet. A line that cannot be read is reported in one sentence with file and line."""

import dataclasses
import os
import re
from pathlib import Path

from assay.releases import is_of

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("ASSAY_BUILD", HERE.parents[1] / "build"))

ASKED_MODULES = (
    "guard", "streams", "events", "allocator", "statistics", "pinned", "storage", "generator", "autograd", "amp",
    "serialization", "operators", "device_module", "accelerator", "hooks", "graphs", "naming", "autoload",
    "dataloader", "ipc", "programs", "python_objects", "dlpack", "stubs", "quantized", "opinfo", "stable_abi",
    "profiler", "distributed", "compile",
)
# The checks of these modules need dozens of operators, so most of them are blocked on a backend with few operators.
LEANING_MODULES = ("operators", "programs", "python_objects", "compile")
KINDS = ("silent-wrong", "crash", "accepts-bad", "hang", "missing", "raises")
STATES = ("missed", "blocked", "false", "share")


class ListError(Exception):
    """An invalid line. The message states the mistake, its place, and the remedy."""


@dataclasses.dataclass(frozen=True)
class Defect:
    """One row of a list of defects. `what` begins with the name of the defect: "off-by-one: randint ...". If the
    defect exists only with some releases of torch, these follow the name: "off-by-one (from 2.12, before 2.15):
    randint ..."."""

    requirements: tuple
    module: str
    kind: str
    name: str
    text: str
    releases: str = ""

    def shows_under(self, torch):
        """True if the defect exists with this release ("2.15")."""
        return is_of(self.releases, torch)


@dataclasses.dataclass(frozen=True)
class Open:
    """One line of open.tsv: a known difference that must still be removed."""

    backend: str
    state: str
    subject: str
    why: str


def read_table(path, header):
    """Yields the place (for messages) and the cells of each line after the header."""
    rows = path.read_text(encoding="utf-8").splitlines()
    if not rows or rows[0].split("\t") != header:
        raise ListError(f"{path}:1: the first line must be the header {' TAB '.join(header)}")
    for number, row in enumerate(rows[1:], 2):
        cells = row.split("\t")
        if len(cells) != len(header) or not all(cell.strip() for cell in cells):
            raise ListError(f"{path}:{number}: {len(header)} columns are needed, all filled, with tabs between")
        yield f"{path}:{number}", cells


def one_of(place, word, allowed):
    if word not in allowed:
        raise ListError(f"{place}: {word} is none of {', '.join(allowed)}")


def read_defect(place, requirement, module, kind, what):
    named = re.fullmatch(r"([a-z0-9-]+)(?: \(((?:(?:, )?(?:before|from) \d+\.\d+)+)\))?: (.+)", what)
    if not named:
        raise ListError(f"{place}: `what` begins with a name and a colon, such as \"off-by-one: ...\"")
    one_of(place, kind, KINDS)
    one_of(place, module, ASKED_MODULES)
    requirements = tuple(requirement.split(","))
    for clause in requirements:
        if not re.fullmatch(r"[A-Z]+[0-9]*-\d{3}", clause):
            raise ListError(f"{place}: {clause} is no id of a clause; several are separated by commas")
    return Defect(requirements, module, kind, named[1], named[3], named[2] or "")


def by_name(placed):
    """Converts (place, defect) pairs to {name: defect}."""
    defects = {}
    for place, defect in placed:
        if defect.name in defects:
            raise ListError(f"{place}: {defect.name} is listed twice")
        defects[defect.name] = defect
    return defects


def read_own(path):
    """(place, defect) of each line in a defects.tsv."""
    for place, cells in read_table(path, ["requirement", "module", "kind", "what"]):
        yield place, read_defect(place, *cells)


def read_shared(path=HERE / "common/shared_defects.tsv"):
    """(place, backends, defect) of the defects that several backends have."""
    for place, (names, *cells) in read_table(path, ["backends", "requirement", "module", "kind", "what"]):
        yield place, names.split(","), read_defect(place, *cells)


def defects_of(backend):
    """All defects of a backend by name, including the shared defects."""
    shared = [(place, defect) for place, names, defect in read_shared() if backend in names]
    return by_name([*read_own(HERE / backend / "defects.tsv"), *shared])


def read_open(path=HERE / "open.tsv"):
    """All lines of open.tsv."""
    lines = []
    for place, cells in read_table(path, ["backend", "state", "subject", "why"]):
        one_of(place, cells[1], STATES)
        lines.append(Open(*cells))
    return lines


@dataclasses.dataclass(frozen=True)
class Message:
    """One line of messages.tsv: text that a report must contain after a label of a failure."""

    backend: str
    check: str
    label: str
    words: str


def read_messages(path=HERE / "messages.tsv"):
    return [Message(*cells) for _, cells in read_table(path, ["backend", "check", "label", "words"])]


@dataclasses.dataclass(frozen=True)
class Shown:
    """One line of operators.tsv: the operators of PyTorch that a defect makes wrong. If no operator shows the defect,
    `operators` is "-" and `words` the reason. If `words` is "*", no operator is run."""

    backends: tuple
    defect: str
    operators: tuple
    dtypes: tuple
    aspects: tuple
    words: str

    @property
    def is_asked(self):
        return self.operators != ("-",)

    @property
    def identities(self):
        """The checks that show the defect. Empty for "-" and "*"."""
        asked = self.is_asked and self.words != "*"
        return [f"{name}.{kind}" for name in self.operators for kind in self.dtypes] if asked else []


def read_operators(path=HERE / "operators.tsv"):
    header = ["backends", "defect", "operators", "dtypes", "aspects", "words"]
    for _, (names, defect, operators, dtypes, aspects, words) in read_table(path, header):
        yield Shown(tuple(names.split(",")), defect, tuple(operators.split(",")), tuple(dtypes.split(",")),
                    tuple(aspects.split(",")), words)


def backends():
    return sorted(path.parent.name for path in HERE.glob("*/defects.tsv"))
