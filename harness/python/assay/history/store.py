# SPDX-License-Identifier: BSD-3-Clause
"""The SQLite file of a history: creates its tables, rejects wrong files, and converts errors of SQLite to messages.

reading.py and writing.py read and write the rows. The tables:

  series  what is compared: a target, a release of torch, a part of the contract
  run     one run of a series; `at` orders them
  fact    the subject of a statement: a check, a clause, a capability, the stage that the target reached
  answer  a statement about a fact, as text: level, verdict, clauses, key of the cause
  words   an observed text of a run, or the text of a clause
  change  from this run on, this fact has this answer in this series; a run without changes has no row
"""

import contextlib
import sqlite3
from pathlib import Path

from assay.command import SYSTEM, Refused

FORM = 3
APPLICATION = 0x61737379  # "assy": marks the file as a history of assay
GONE = 0  # the answer for a fact that the contract lacks
PATIENCE = 10.0  # seconds to wait for another program that writes

TABLES = (
    "CREATE TABLE series (id INTEGER PRIMARY KEY, target TEXT NOT NULL, release TEXT NOT NULL,"
    " asked TEXT NOT NULL, UNIQUE (target, release, asked))",
    "CREATE TABLE run (id INTEGER PRIMARY KEY, series INTEGER NOT NULL REFERENCES series (id),"
    " at INTEGER NOT NULL, date TEXT NOT NULL, torch TEXT NOT NULL, git TEXT NOT NULL,"
    " backend TEXT NOT NULL, contract INTEGER NOT NULL, digest TEXT NOT NULL,"
    " state TEXT NOT NULL, kept INTEGER NOT NULL, total INTEGER NOT NULL,"
    " promised INTEGER NOT NULL, whole INTEGER NOT NULL, UNIQUE (series, at),"
    " UNIQUE (series, torch, git, date, digest))",
    "CREATE TABLE fact (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (kind, name))",
    "CREATE TABLE answer (id INTEGER PRIMARY KEY, level TEXT NOT NULL, verdict TEXT NOT NULL,"
    " covers TEXT NOT NULL, cause TEXT NOT NULL, UNIQUE (level, verdict, covers, cause))",
    "CREATE TABLE words (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",
    "CREATE TABLE change (series INTEGER NOT NULL, fact INTEGER NOT NULL, at INTEGER NOT NULL,"
    " answer INTEGER NOT NULL, seen INTEGER NOT NULL, PRIMARY KEY (series, fact, at)) WITHOUT ROWID",
    f"INSERT INTO answer VALUES ({GONE}, '', 'gone', '', '')",
    "INSERT INTO words VALUES (0, '')",
    f"PRAGMA application_id={APPLICATION}",
    f"PRAGMA user_version={FORM}",
)


def damaged(path):
    return Refused(f"{path}: is damaged; nothing was changed: take it from a copy, or import an export of it")


# sqlite3 raises UnicodeDecodeError if a damaged schema has names that are not UTF-8.
ERRORS = (sqlite3.Error, UnicodeDecodeError)


def explain(path, error):
    """Converts an exception in ERRORS to a Refused."""
    words = str(error)
    if words == "file is not a database":
        return Refused(f"{path}: is not a history of assay")
    # SQLite reports corruption as a plain DatabaseError. A missing table or column also counts as corruption.
    if (type(error) in (sqlite3.DatabaseError, UnicodeDecodeError) or isinstance(error, sqlite3.IntegrityError)
            or "no such" in words or "no column" in words):
        return damaged(path)
    if "locked" in words:
        return Refused(f"{path}: is in use by another program: try again when that program has ended", SYSTEM)
    return Refused(f"{path}: the history cannot be read or written: {words}", SYSTEM)


def pragma(file, name):
    return file.execute(f"PRAGMA {name}").fetchone()[0]


def is_empty(file):
    return not file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


@contextlib.contextmanager
def transaction(file):
    """Commits all changes in the block or none, even if this process is killed."""
    file.execute("BEGIN IMMEDIATE")
    try:
        yield
        file.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            file.execute("ROLLBACK")
        raise


def run_all(file, statements):
    for statement in statements:
        file.execute(statement)


def connect(path, mode):
    """`mode` is "rw", or "rwc" to create the file."""
    if not Path(path).exists() and mode == "rw":
        raise Refused(f"there is no history in {path}: assay history add makes it")
    if Path(path).exists() and not Path(path).is_file():  # opening a pipe would block until it has a writer
        raise Refused(f"{path}: is not a regular file: give --db the file of a history")
    try:
        file = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode={mode}", uri=True, timeout=PATIENCE,
                               isolation_level=None)
    except sqlite3.OperationalError as error:
        raise Refused(f"{path}: cannot be opened as a history: {error}", SYSTEM) from None
    # An older assay may have truncated a text in the middle of a character.
    file.text_factory = lambda raw: raw.decode(errors="replace")
    return file


def expect_history(file, path):
    """The form number of the file. The file must be an undamaged history of this form or an older one."""
    if pragma(file, "application_id") != APPLICATION:
        raise Refused(f"{path}: is not a history of assay")
    form = pragma(file, "user_version")
    if not 1 <= form <= FORM:
        remedy = "a newer assay" if form > FORM else "the assay that made it"
        raise Refused(f"{path}: its format is {form}, and this assay reads up to {FORM}; use {remedy}")
    if pragma(file, "quick_check(1)") != "ok":
        raise damaged(path)
    return form


@contextlib.contextmanager
def opened_to_read(path):
    """Opens the file to read one consistent state, even if other processes write to it."""
    # The mode is not ro, because a reader must roll back the unfinished transaction of a writer that was killed.
    with contextlib.closing(connect(path, "rw")) as file:
        try:
            file.execute("PRAGMA query_only=1")
            file.execute("BEGIN")
            form = expect_history(file, path)
            if form < FORM:
                raise Refused(f"{path}: is a history of form {form}: assay history upgrade --db {path} converts it to "
                              f"form {FORM}")
            yield file
        except ERRORS as error:
            raise explain(path, error) from None
