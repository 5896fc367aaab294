# SPDX-License-Identifier: BSD-3-Clause
"""A history, read only. Its tables are those of reports/dashboard/history_file.c; nothing else here knows SQLite."""

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

APPLICATION = 0x61737379
FORM = 3


class Refused(Exception):
    """The file is not what it should be: one sentence for whoever gave it."""


@dataclass(frozen=True)
class Answer:
    level: str
    verdict: str
    covers: tuple
    cause: str


@dataclass
class Run:
    at: int
    date: str
    torch: str
    git: str
    backend: str
    contract: int
    digest: str
    state: str
    kept: int
    total: int
    promised: int
    whole: bool
    series: "Series" = None
    index: int = 0  # in its series

    @property
    def day(self):
        return self.date[:10]


@dataclass
class Series:
    number: int
    target: str
    release: str
    asked: str
    runs: list = field(default_factory=list)
    # (kind, name) -> [(index of the run, Answer, what was seen)], oldest first
    facts: dict = field(default_factory=dict)

    def says(self, key, index):
        """The Answer of a fact at a run, None before the first."""
        said = None
        for since, answer, _ in self.facts.get(key, ()):
            if since > index:
                break
            said = answer
        return said


def read(path):
    """Every series of the file, by target, release and what was asked."""
    if not Path(path).is_file():
        raise Refused(f"{path}: is no file: give a history that assay history add made")
    try:
        file = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True, timeout=10)
        try:
            file.execute("BEGIN")  # one moment of the file, whoever adds meanwhile
            expect_form(file, path)
            return read_series(file)
        finally:
            file.close()
    except sqlite3.Error as error:
        if "locked" in str(error):
            raise Refused(f"{path}: is held by another program: try again when that is done") from None
        raise Refused(f"{path}: cannot be read as a history ({error}): take it from a copy, or import an export of "
                      "it") from None


def expect_form(file, path):
    if file.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise Refused(f"{path}: is not a history of assay")
    form = file.execute("PRAGMA user_version").fetchone()[0]
    if form > FORM:
        raise Refused(f"{path}: is a history of form {form}, and this assay knows form {FORM}: use a newer assay")
    if form < FORM:
        raise Refused(f"{path}: is a history of form {form}: assay history upgrade --db {path} takes it over")


def read_series(file):
    answers = {number: Answer(level, verdict, tuple(covers.split()), cause) for number, level, verdict, covers, cause
               in file.execute("SELECT id, level, verdict, covers, cause FROM answer")}
    words = dict(file.execute("SELECT id, text FROM words"))
    keys = {number: (kind, name) for number, kind, name in file.execute("SELECT id, kind, name FROM fact")}
    found = []
    for row in file.execute("SELECT id, target, release, asked FROM series"):
        series = Series(*row)
        for run in file.execute("SELECT at, date, torch, git, backend, contract, digest, state, kept, total, promised,"
                                " whole FROM run WHERE series=? ORDER BY at", (series.number,)):
            series.runs.append(Run(*run, series=series, index=len(series.runs)))
        place = {run.at: run.index for run in series.runs}
        for fact, at, answer, seen in file.execute(
                "SELECT fact, at, answer, seen FROM change WHERE series=? ORDER BY fact, at", (series.number,)):
            series.facts.setdefault(keys[fact], []).append((place[at], answers[answer], words[seen]))
        if series.runs:
            found.append(series)
    return sorted(found, key=lambda one: (one.target, release_order(one.release), one.asked != "", one.asked))


def release_order(release):
    """2.9 before 2.13; what is no number, by its text, behind."""
    parts = release.split(".")
    if all(part.isdigit() for part in parts):
        return (0, [int(part) for part in parts], "")
    return (1, [], release)
