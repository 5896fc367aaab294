# SPDX-License-Identifier: BSD-3-Clause
"""assay explain --error: finds the entry of the troubleshooting tables for an error text of PyTorch.

    python -m explain_error explain error TEXT [format json] --

The comparison ignores white space and case. <words> in an entry match any text within a line.
"""

import configparser
import json
import math
import re
import sys
import textwrap
from dataclasses import asdict, dataclass, field
from pathlib import Path

from assay.command import SYSTEM, USAGE, Refused, serve

HERE = Path(__file__).resolve().parent
FOUND, ONLY_NEAR = 0, 1
MOST = 3  # largest number of entries for one text: a chain of exceptions has several
NEAR_ENOUGH = 0.35
LONGEST_TEXT = 1 << 20
WIDTH = 100


@dataclass
class Entry:
    name: str
    text: str
    cause: str
    repair: str
    page: str
    programs: list = field(default_factory=list)

    @property
    def literal(self):
        """The letters that must be present. If two entries match, the entry with more letters is more specific."""
        return len(re.sub(r"<[^<>]*>", "", self.text))


def normal(text):
    return " ".join(text.split()).casefold()


def read_entries(folder=HERE):
    entries = []
    for path in sorted(folder.glob("errors_*.ini")):
        table = configparser.ConfigParser(interpolation=None, delimiters=(":",), comment_prefixes=("#",))
        table.read_string(path.read_text(encoding="utf-8"), source=path.name)
        for name in table.sections():
            row = table[name]
            entries.append(Entry(name, row["text"], row["cause"], row["repair"], row["page"], row["from"].split()))
    return entries


def pattern_of(entry):
    """Ignores the full stop at the end, which a pasted text often lacks."""
    parts = re.split(r"<[^<>]*>", normal(entry.text).rstrip("."))
    return re.compile(".{1,300}?".join(re.escape(part) for part in parts))


def find(text, entries):
    """The entries that the text contains, the most specific first. Omits an entry that is part of another entry."""
    wanted, found = normal(text), []
    spans = []
    for entry in sorted(entries, key=lambda entry: -entry.literal):
        match = pattern_of(entry).search(wanted)
        if not match or any(first <= match.start() < last or match.start() <= first < match.end() for first, last in spans):
            continue
        spans.append(match.span())
        found.append(entry)
    return found[:MOST]


def words_of(text):
    return set(re.findall(r"[a-z_]\w+", normal(text)))


def nearest(text, entries):
    """The entry with the most rare words in common with the text, or None."""
    count = {}
    for entry in entries:
        for word in words_of(entry.text):
            count[word] = count.get(word, 0) + 1
    wanted = words_of(text)

    def share(entry):
        weights = {word: math.log(1 + len(entries) / count[word]) for word in words_of(entry.text)}
        return sum(weight for word, weight in weights.items() if word in wanted) / sum(weights.values())

    best = max(entries, key=share)
    return best if share(best) >= NEAR_ENOUGH else None


def show(label, text):
    lines = textwrap.wrap(text, WIDTH - 10, break_long_words=False, break_on_hyphens=False)
    for number, line in enumerate(lines):
        print(f"{label if number == 0 else '':9} {line}")


def show_entry(entry):
    show("error", entry.text)
    show("cause", entry.cause)
    show("repair", entry.repair)
    show("page", f"assay guide {Path(entry.page).name}")


def as_json(entry):
    row = asdict(entry)
    del row["programs"]
    return row


def explain(text, wants_json):
    entries = read_entries()
    found = find(text, entries)
    near = None if found else nearest(text, entries)
    if wants_json:
        print(json.dumps({"schema": "assay/explain/1", "error": text, "entries": [as_json(entry) for entry in found],
                          "nearest": near and as_json(near)}, indent=2))
        return FOUND if found else ONLY_NEAR
    for number, entry in enumerate(found):
        print(end="\n" * (number > 0))
        show_entry(entry)
    if not found and near:
        print("assay: no entry has this text; the nearest one is", file=sys.stderr)
        show_entry(near)
    elif not found:
        print(f"assay: none of {len(entries)} entries is similar to this text; give the last line of PyTorch's message",
              file=sys.stderr)
    return FOUND if found else ONLY_NEAR


def main(command):
    text = command.option("error")
    if text == "-":
        try:
            text = sys.stdin.buffer.read(LONGEST_TEXT).decode(errors="replace")
        except OSError as error:
            raise Refused(f"--error: cannot read standard input: {error.strerror}", SYSTEM) from None
    if not text.strip():
        raise Refused("--error: give PyTorch's error text, or - to read it from standard input", USAGE)
    return explain(text, command.option("format") == "json")


if __name__ == "__main__":
    serve(main)
