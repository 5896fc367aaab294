# SPDX-License-Identifier: BSD-3-Clause
"""Reads the runs of a history into memory, for the pages, `export` and `merge`."""

from dataclasses import dataclass, field
from typing import NamedTuple

from .store import damaged, opened_to_read


class Answer(NamedTuple):
    level: str
    verdict: str
    covers: tuple
    cause: str


class Change(NamedTuple):
    """The answer of a fact from this run on."""

    kind: str
    name: str
    answer: Answer
    seen: str


@dataclass
class Series:
    target: str
    release: str
    asked: str  # the part of the contract: "" for all of it, else the selection and the shard
    number: int = 0
    runs: list = field(default_factory=list)
    # (kind, name) -> [(index of the run, Answer, observed text)], oldest first
    facts: dict = field(default_factory=dict)

    def says(self, key, index):
        """The Answer of a fact in a run, or None in runs before its first Answer."""
        said = None
        for since, answer, _ in self.facts.get(key, ()):
            if since > index:
                break
            said = answer
        return said

    def changes(self):
        """For each run, the list of its Changes."""
        found = [[] for _ in self.runs]
        for (kind, name), history in sorted(self.facts.items()):
            for index, answer, seen in history:
                found[index].append(Change(kind, name, answer, seen))
        return found


@dataclass
class Run:
    """The fields have the same names and order as the columns. An unknown text is ""."""

    date: str
    torch: str
    git: str
    backend: str
    contract: int
    digest: str
    state: str
    kept: int  # number of musts that were satisfied
    total: int  # number of musts in the run
    promised: int  # number of musts in the contract
    whole: bool  # False for a run of an older assay that stored only failing checks
    series: Series
    index: int = 0  # position in its series

    @property
    def day(self):
        return self.date[:10]


def read(path):
    """Every series of the file, sorted by target, release and part of the contract."""
    with opened_to_read(path) as file:
        return read_series(file, path)


def read_series(file, path):
    expect_declared_types(file, path)
    answers = {number: Answer(level, verdict, tuple(covers.split()), cause) for number, level, verdict, covers, cause
               in file.execute("SELECT id, level, verdict, covers, cause FROM answer")}
    words = dict(file.execute("SELECT id, text FROM words"))
    keys = {number: (kind, name) for number, kind, name in file.execute("SELECT id, kind, name FROM fact")}
    found = []
    for number, *names in file.execute("SELECT id, target, release, asked FROM series"):
        series = Series(*names, number)
        place = {}
        for at, *columns, whole in file.execute("SELECT at, date, torch, git, backend, contract, digest, state, kept, total,"
                                                " promised, whole FROM run WHERE series=? ORDER BY at", (number,)):
            place[at] = len(series.runs)
            series.runs.append(Run(*columns, bool(whole), series, place[at]))
        changes = file.execute("SELECT fact, at, answer, seen FROM change WHERE series=? ORDER BY fact, at", (number,))
        try:
            for fact, at, answer, seen in changes:
                series.facts.setdefault(keys[fact], []).append((place[at], answers[answer], words[seen]))
        except KeyError:  # raised if a row refers to a run, fact, answer or text that does not exist
            raise damaged(path) from None
        if series.runs:
            found.append(series)
    return sorted(found, key=lambda one: (one.target, release_order(one.release), one.asked != "", one.asked))


def expect_declared_types(file, path):
    """SQLite allows a value of any type in a column, so the types are verified here."""
    for table in ("series", "run", "fact", "answer", "words", "change"):
        columns = [(name, declared.lower()) for _, name, declared, *_ in file.execute(f"PRAGMA table_info({table})")]
        wrong = " OR ".join(f"typeof({name}) != '{declared}'" for name, declared in columns) or "1"
        if file.execute(f"SELECT 1 FROM {table} WHERE {wrong} LIMIT 1").fetchone():
            raise damaged(path)


def release_order(release):
    """Sort key that puts 2.9 before 2.13. Releases that are not version numbers come last and are sorted as text."""
    parts = release.split(".")
    if all(part.isdecimal() for part in parts):
        return (0, [(len(digits), digits) for digits in (part.lstrip("0") for part in parts)], "")
    return (1, [], release)
