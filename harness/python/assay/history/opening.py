# SPDX-License-Identifier: BSD-3-Clause
"""Opens a history for writing. A missing file is created, and an older form is converted.

Form 2 stored only those checks of a run that did not pass, and used older numbers for verdicts and levels. The verdicts
that form 2 did not store become "unrecorded", which counts as neither good nor bad. Form 1 also did not store which
part of the contract a run covered. The part becomes "?", and no such run counts as compatible."""

import contextlib

from .store import ERRORS, FORM, TABLES, connect, expect_history, explain, is_empty, pragma, run_all, transaction
from .reading import Answer, Change, Run, Series
from .writing import Writer

# The numbers in files of form 2. These numbers must never change.
VERDICTS = ("crash", "timeout", "fail", "broken", "incomplete", "notrun", "slow", "blocked", "fallback", "skip",
            "unobservable", "flaky", "noted", "pass")
LEVELS = ("must", "should", "may", "advisory")
STATES = ("compatible", "incompatible", "undecided", "partial")

FROM_FORM_1 = ("ALTER TABLE run ADD COLUMN asked TEXT NOT NULL DEFAULT '?'", "UPDATE run SET state = 3 WHERE state = 0")
OLD_RUNS = ("SELECT id, target, release, asked, date, torch, git, contract, digest, state, kept, total"
            " FROM old_run ORDER BY date, id")
# Selects every check that ever failed in the series of a run, with its mark in this run, if any.
OLD_MARKS = ("SELECT every.check_id, m.level, m.verdict, coalesce(m.seen, '') FROM"
             " (SELECT DISTINCT check_id FROM old_mark JOIN old_run ON old_run.id = old_mark.run"
             "  WHERE target=?2 AND release=?3 AND asked=?4) every"
             " LEFT JOIN old_mark m ON m.run=?1 AND m.check_id = every.check_id")


def word(words, number):
    return words[number] if isinstance(number, int) and 0 <= number < len(words) else "unrecorded"


def old_change(name, level, verdict, seen):
    level = "" if verdict is None else word(LEVELS, level)
    return Change("check", name, Answer(level, word(VERDICTS, verdict), (), ""), seen)


def convert(file, form):
    """Converts an open file. The caller opens the transaction."""
    if form == 1:
        run_all(file, FROM_FORM_1)
    if form <= 2:
        run_all(file, ("ALTER TABLE run RENAME TO old_run", "ALTER TABLE mark RENAME TO old_mark", *TABLES))
        writer = Writer(file)
        for number, *place, date, torch, git, contract, digest, state, kept, total in file.execute(OLD_RUNS).fetchall():
            run = Run(date, torch, git, "", int(contract), digest, word(STATES, state), kept, total, 0, False, Series(*place))
            writer.put(run, [old_change(*mark) for mark in file.execute(OLD_MARKS, (number, *place))])
        run_all(file, ("DROP TABLE old_mark", "DROP TABLE old_run"))


@contextlib.contextmanager
def opened(path, make=False):
    """Opens the file for writing. With `make`, a missing or empty file becomes an empty history."""
    with contextlib.closing(connect(path, "rwc" if make else "rw")) as file:
        try:
            if make and is_empty(file):
                with transaction(file):
                    if is_empty(file):  # another process may have created the tables meanwhile
                        run_all(file, TABLES)
            if expect_history(file, path) < FORM:
                with transaction(file):
                    convert(file, pragma(file, "user_version"))
            yield file
        except ERRORS as error:
            raise explain(path, error) from None
