# SPDX-License-Identifier: BSD-3-Clause
"""How a Python check reports: the same calls a native check makes through its host table.

Outside a host (plain `python -m unittest`) `active()` is False and nothing may be reported: the test
base then raises instead.
"""


class Ended(BaseException):
    """Ends a check whose finding is already reported. Not an Exception: no handler may swallow it."""


FAIL, SKIP, BLOCKED, UNOBSERVABLE, BROKEN, FALLBACK, NOTED = range(1, 8)
NO, YES, UNKNOWN = range(3)

_library = None
_check = None
_failed = False
_said = 0
_clause = None


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
    """The check under way (host_library.Check), or None."""
    return _check


def failed():
    """Whether the check under way has failed so far."""
    return _failed


def said():
    """How many findings the check under way has reported."""
    return _said


def finding(kind, what, seen=None, subject=None, file=None, line=0):
    global _failed, _said
    _failed |= kind == FAIL
    _said += 1
    _library.hn_python_report(
        kind, _bytes(what), _bytes(seen), _bytes(subject), _bytes(file), line or 0
    )


def note(key, text):
    """Records a measured value beside the verdict."""
    _library.hn_python_note(_bytes(key), _bytes(text))


def under_way(text):
    """Names the question from here on; it is told of a check that dies or hangs."""
    note("under way", text)


def clause(identity):
    """From here on the check is about this clause of those it covers (None: of all); returns the one before."""
    global _clause
    before, _clause = _clause, identity
    _library.hn_python_clause(_bytes(identity))
    return before


def clause_under_way():
    """The one that the check said last that it is about; None: all of them."""
    return _clause


def mark(file, line):
    """Remembers the line reached; survives any death of the process."""
    _library.hn_python_mark(_bytes(file), line)


def milliseconds_left():
    return _library.hn_python_milliseconds_left()


def capability(name):
    return _library.hn_python_capability(_bytes(name))


def order(name):
    """The order of that name that the run gave this process (the table is orders.c); None: nothing."""
    said = _library.hn_host_order_named(_bytes(name)) if _library else None
    return None if said is None else said.decode("utf-8", "surrogateescape")


def fact(key, text):
    _library.hn_host_fact(_bytes(key), _bytes(text))
