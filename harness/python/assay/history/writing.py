# SPDX-License-Identifier: BSD-3-Clause
"""Writes a run into a history. Only differences from the previous run of the series are stored. If a run is inserted
before another run, the answers of the later run do not change. So runs can be added in any order."""

import datetime
import re

from assay.command import Refused

from .store import GONE

SEEN_MOST = 400  # bytes of an observed text
PLACES = 4096  # positions for runs of the same second, independent of the order in which they were added
DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d).*)?", re.ASCII | re.DOTALL)
RANGES = ((1970, 9999), (1, 12), (1, 31), (0, 23), (0, 59), (0, 60))
EPOCH = datetime.date(1970, 1, 1).toordinal()
FNV_START, FNV_PRIME, STEP, BITS_64 = 0xCBF29CE484222325, 0x100000001B3, 0x9E3779B97F4A7C15, (1 << 64) - 1

COLUMNS = {"series": ("target", "release", "asked"), "fact": ("kind", "name"),
           "answer": ("level", "verdict", "covers", "cause"), "words": ("text",)}
FIND = {table: f"SELECT id FROM {table} WHERE {' AND '.join(f'{column}=?' for column in columns)}"
        for table, columns in COLUMNS.items()}
ADD = {table: f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
       for table, columns in COLUMNS.items()}
ADD_RUN = ("INSERT INTO run (series, at, date, torch, git, backend, contract, digest, state, kept, total, promised, whole)"
           " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)")
STATE_AT = "SELECT fact, answer, max(at) FROM change WHERE series=? AND at<=? GROUP BY fact"
SET_CHANGE = "INSERT OR REPLACE INTO change (series, fact, at, answer, seen) VALUES (?,?,?,?,?)"


def seconds_of(date):
    """Seconds since 1970 for "2026-11-21T03:17:00Z" or "2026-11-21", or None for other texts."""
    match = DATE.fullmatch(date)
    if not match:
        return None
    numbers = [int(part or 0) for part in match.groups()]
    if not all(low <= number <= high for number, (low, high) in zip(numbers, RANGES, strict=True)):
        return None
    year, month, day, hour, minute, second = numbers
    days = datetime.date(year, month, 1).toordinal() - EPOCH + day - 1
    return ((days * 24 + hour) * 60 + minute) * 60 + second


def hash_of(*texts):
    """The FNV-1a hash of the texts, each followed by a zero byte, mixed by one step of splitmix64. This function must
    not change, because existing files contain these numbers."""
    value = FNV_START
    for byte in b"".join(text.encode() + b"\0" for text in texts):
        value = (value ^ byte) * FNV_PRIME & BITS_64
    value = (value + STEP) & BITS_64
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & BITS_64
    value = (value ^ value >> 27) * 0x94D049BB133111EB & BITS_64
    return value ^ value >> 31


def cut(text, most):
    """The longest beginning of a text with at most `most` bytes of UTF-8."""
    return text if 4 * len(text) <= most else text.encode()[:most].decode(errors="ignore")


class Writer:
    """Adds runs to an open history. Each call must be within a transaction of the caller. After a rollback, a new
    Writer is needed, because this object caches row ids."""

    def __init__(self, file):
        self.file = file
        self.numbers = {}  # (table, texts) -> id
        self.newest = (None, None, {})  # the run that was added last: its series, its position, its answers

    def one(self, sql, values):
        """The first column of the first row, or None if there is no row."""
        row = self.file.execute(sql, values).fetchone()
        return row[0] if row else None

    def number(self, table, *texts):
        """The id of a row of texts. The row is added if it is missing."""
        number = self.numbers.get((table, texts))
        if number is None:
            number = self.one(FIND[table], texts)
            if number is None:
                number = self.file.execute(ADD[table], texts).lastrowid
            self.numbers[table, texts] = number
        return number

    def numbers_of(self, change):
        """Converts a Change to (fact, (answer, seen))."""
        answer = change.answer
        return (self.number("fact", change.kind, change.name),
                (self.number("answer", answer.level, answer.verdict, " ".join(answer.covers), answer.cause),
                 self.number("words", cut(change.seen, SEEN_MOST))))

    def place(self, series, run):
        """The position of a run in its series: by date, and within a second by a hash."""
        seconds = seconds_of(run.date)
        if seconds is None:
            raise Refused(f'a run of {run.series.target[:100]} has no valid date ("{run.date[:40]}"): make it again '
                          "with assay run")
        at = seconds * PLACES + hash_of(run.torch, run.git, run.digest) % PLACES
        while self.one("SELECT 1 FROM run WHERE series=? AND at=?", (series, at)):
            at += 1
        return at

    def says_at(self, series, at):
        """Returns {fact: answer} of a series at one of its runs."""
        if self.newest[:2] != (series, at):
            said = {fact: answer for fact, answer, _ in self.file.execute(STATE_AT, (series, at or 0))}
            self.newest = (series, at, said)
        return self.newest[2]

    def put(self, run, changes):
        """Adds a run with these changes. Returns False if the history already has it."""
        return self.put_numbers(run, dict(map(self.numbers_of, changes)))

    def put_numbers(self, run, says, differ=None):
        """Like put, but with {fact: (answer, seen)}. If the caller added the previous run last, `differ` may list all
        facts whose answers may have changed."""
        series = self.number("series", run.series.target, run.series.release, run.series.asked)
        if self.one("SELECT 1 FROM run WHERE series=? AND torch=? AND git=? AND date=? AND digest=?",
                    (series, run.torch, run.git, run.date, run.digest)):
            return False
        at = self.place(series, run)
        before = self.one("SELECT max(at) FROM run WHERE series=? AND at<?", (series, at))
        behind = self.one("SELECT min(at) FROM run WHERE series=? AND at>?", (series, at))
        if differ is None or self.newest[:2] != (series, before):
            differ = says.keys() | self.says_at(series, before).keys()
        self.file.execute(ADD_RUN, (series, at, run.date, run.torch, run.git, run.backend, run.contract, run.digest,
                                    run.state, run.kept, run.total, run.promised, run.whole))
        self.put_changes(series, at, behind, says, differ)
        return True

    def put_changes(self, series, at, behind, says, facts):
        """Stores only the observed text of the first run with an answer: numbers in it differ in each run."""
        said, rows = self.newest[2], []
        for fact in facts:
            answer, seen = says.get(fact, (GONE, 0))
            old = said.get(fact, GONE)
            if answer != old:
                rows.append((series, fact, at, answer, seen))
                if behind:
                    self.keep_behind(series, fact, behind, old, answer)
                said[fact] = answer
        self.file.executemany(SET_CHANGE, rows)
        self.newest = (series, at, said)

    def keep_behind(self, series, fact, behind, old, answer):
        """Preserves the answer of the later run. If the later run inherited `old`, writes a row with `old` for it. If
        its row equals the inserted answer, deletes this row."""
        place = (series, fact, behind)
        told = self.one("SELECT answer FROM change WHERE series=? AND fact=? AND at=?", place)
        if told is None:
            self.file.execute(SET_CHANGE, (*place, old, self.words_before(series, fact, behind)))
        elif told == answer:
            self.file.execute("DELETE FROM change WHERE series=? AND fact=? AND at=?", place)

    def words_before(self, series, fact, at):
        return self.one("SELECT seen FROM change WHERE series=? AND fact=? AND at<? ORDER BY at DESC LIMIT 1",
                        (series, fact, at)) or 0
