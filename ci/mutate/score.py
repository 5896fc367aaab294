# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the results by part, theme and file. People list known facts about survivors in two files.
`equivalent.tsv`: the key of a mutant that changes nothing, and the reason. `survivors.tsv`: key, class and what a kill
would need. The classes are (b) a clause is missing, (c) a clause is tested too narrowly, (d) only an instrument could
detect the mutant, (e) the device is still legal, so that a failing check would be a false alarm. The reason of class
(e) begins with a word of GROUNDS."""

import collections
import dataclasses
from pathlib import Path

from themes import JUDGED, PARTS, row_of

HERE = Path(__file__).parent
CLASSES = "bcde"
GROUNDS = {  # grounds for class (e)
    "random": "other numbers, distributed alike and as reproducible",
    "nan": "which NaN or which zero it is, or infinities of which PyTorch's own devices differ",
    "rounding": "the last bits, or the order of a sum",
    "undefined": "undefined on the CPU as well: it crashes, or reads memory of others",
    "words": "only the words of an error",
    "refusal": "what an output holds after a call that was refused",
    "speed": "only time, or memory that is kept a little longer",
    "core": "only calls that core keeps to itself show it",
    "differs": "PyTorch's own devices differ there, or more is served than anybody promised",
}
KEY_FIELDS = 5


def read_list(path, reasons=True):
    """Maps the key of a mutant to the rest of its line, which ends with a reason."""
    known = {}
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        key, rest = "\t".join(fields[:KEY_FIELDS]), fields[KEY_FIELDS:]
        if reasons and (not rest or not rest[-1].strip()):
            raise ValueError(f"{path.name}: no reason for {key}")
        known[key] = rest
    return known


def read_known(folder=HERE):
    equivalent, survivors = read_list(folder / "equivalent.tsv"), read_list(folder / "survivors.tsv")
    for key, rest in survivors.items():
        if rest[0] not in tuple(CLASSES):
            raise ValueError(f"survivors.tsv: the class of {key} is {rest[0]!r}, none of {', '.join(CLASSES)}")
        if rest[0] == "e" and rest[-1].partition(":")[0] not in GROUNDS:
            raise ValueError(f"survivors.tsv: {key} is legal on no ground: {', '.join(GROUNDS)}")
        if key in equivalent:
            raise ValueError(f"{key} is equivalent and a survivor")
    return equivalent, survivors


@dataclasses.dataclass
class Count:
    drawn: int = 0
    killed: int = 0
    deep: int = 0  # killed only by `assay ops --deep`
    equivalent: int = 0
    legal: int = 0
    unreached: int = 0
    undecided: int = 0

    @property
    def raw(self):
        return percent(self.killed, self.drawn - self.undecided)

    @property
    def adjusted(self):
        return percent(self.killed, self.drawn - self.undecided - self.equivalent)

    @property
    def of_wrong(self):
        """The killed share of the mutants that make the device wrong."""
        return percent(self.killed, self.drawn - self.undecided - self.equivalent - self.legal)


def percent(part, whole):
    return 100 * part / whole if whole else 0.0


def add(count, row, known):
    equivalent, legal = known
    count.drawn += 1
    count.killed += row["verdict"] == "killed"
    count.deep += row["verdict"] == "killed" and bool(row.get("deep"))
    count.undecided += row["verdict"] == "undecided"
    count.unreached += row["verdict"] == "unreached"
    count.equivalent += row["verdict"] != "killed" and row["key"] in equivalent
    count.legal += row["verdict"] != "killed" and row["key"] in legal


def counts_by(rows, name, known):
    """name(row) -> Count, sorted by name. `known` are the keys of equivalent and of legal mutants."""
    counts = collections.defaultdict(Count)
    for row in rows:
        add(counts[name(row)], row, known)
    return dict(sorted(counts.items()))


def legal_of(survivors):
    return {key for key, rest in survivors.items() if rest[0] == "e"}


def part_of(row):
    return row_of(row["file"])[0]


def theme_of(row):
    return row_of(row["file"])[1]


def line_of(title, count):
    return (f"{title:44} {count.drawn:6} {count.killed:7} {count.deep:6} {count.unreached:11} {count.equivalent:10} {count.legal:5}"
            f" {count.raw:6.1f} {count.adjusted:10.1f} {count.of_wrong:10.1f}" + (f"  {count.undecided} undecided" if count.undecided else ""))  # fmt: skip


def tables(rows, known):
    head = f"{'':44} {'drawn':>6} {'killed':>7} {'by ops':>6} {'not reached':>11} {'equivalent':>10} {'legal':>5}"
    head += f" {'raw %':>6} {'adjusted %':>10} {'of wrong %':>10}"
    for part, title in PARTS.items():
        mine = [row for row in rows if part_of(row) == part]
        if not mine:
            continue
        yield from ("", title, head)
        for theme, count in counts_by(mine, theme_of, known).items():
            yield line_of("  " + theme, count)
        yield line_of("  all", counts_by(mine, lambda _: "", known)[""])
        for file, count in counts_by(mine, lambda row: row["file"].removeprefix("fake_device/"), known).items():
            yield line_of("    " + file, count)
    yield ""
    yield from by_rule(rows, known)


def by_rule(rows, known):
    judged = [row for row in rows if part_of(row) in JUDGED]
    yield "judged, by rule"
    for rule, count in counts_by(judged, lambda row: row["rule"], known).items():
        yield line_of("  " + rule, count)


def survivors_of(rows, equivalent, survivors):
    """One line for each judged mutant that survived and is not known to be equivalent."""
    for row in rows:
        if row["verdict"] == "killed" or part_of(row) not in JUDGED or row["key"] in equivalent:
            continue
        known = survivors.get(row["key"], ["?", "not reviewed yet"])
        yield f"({known[0]}) {theme_of(row)}: {row['file']}:{row['line']} {row['verdict']}: {row['key']}  {known[-1]}"
