# SPDX-License-Identifier: BSD-3-Clause
"""Functions by which a Python check reports. A native check calls the same functions through its host table.

Outside a host (plain `python -m unittest`), `active()` is False and nothing can be reported. Then the test base
raises an exception instead.
"""


class Ended(BaseException):
    """Ends a check whose finding is already reported. This class is not derived from Exception, so that `except
    Exception` does not catch it."""


FAIL, SKIP, BLOCKED, UNOBSERVABLE, BROKEN, FALLBACK, NOTED = range(1, 8)
NO, YES, UNKNOWN = range(3)

_library = None
_check = None
_failed = False
_said = 0
_clause = None
_kept = None


def _bytes(value):
    return None if value is None else str(value).encode("utf-8", "backslashreplace")


def attach(library):
    global _library
    _library = library


def begin(check):
    global _check, _failed, _said, _clause
    _check, _failed, _said, _clause = check, False, 0, None


def active():
    return _check is not None


def check():
    """The running check (host_library.Check), or None."""
    return _check


def failed():
    """True if the running check has failed so far."""
    return _failed


def said():
    """Number of findings that the running check has reported."""
    return _said


def keep_findings():
    """Keeps further findings in the returned list and does not write them. For a forked child of a check: the evidence
    has one writer, so the parent reports the findings of the child."""
    global _kept
    _kept = []
    return _kept


def finding(kind, what, seen=None, subject=None, file=None, line=0):
    global _failed, _said
    if _kept is not None:
        _kept.append((kind, what, seen, subject, file, line))
        return
    _failed |= kind == FAIL
    _said += 1
    _library.hn_python_report(
        kind, _bytes(what), _bytes(seen), _bytes(subject), _bytes(file), line or 0
    )


def note(key, text):
    """Records a measured value next to the verdict."""
    _library.hn_python_note(_bytes(key), _bytes(text))


def under_way(text):
    """Sets the text that the report shows if the check later crashes or hangs."""
    note("under way", text)


def clause(identity):
    """Sets the clause of the following findings: a clause that the check covers, or None for all of them. Returns the
    previous value."""
    global _clause
    before, _clause = _clause, identity
    _library.hn_python_clause(_bytes(identity))
    return before


def clause_under_way():
    """The clause that the check named last, or None for all of its clauses."""
    return _clause


def mark(file, line):
    """Records the current line. The record survives the death of the process."""
    _library.hn_python_mark(_bytes(file), line)


def milliseconds_left():
    return _library.hn_python_milliseconds_left()


def capability(name):
    return _library.hn_python_capability(_bytes(name))


def order(name):
    """The value of an order of this run for its jobs, or None. The table of orders is in orders.c."""
    said = _library.hn_host_order_named(_bytes(name)) if _library else None
    return None if said is None else said.decode("utf-8", "surrogateescape")


def fact(key, text):
    _library.hn_host_fact(_bytes(key), _bytes(text))
