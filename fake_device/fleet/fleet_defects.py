# SPDX-License-Identifier: BSD-3-Clause
"""Demonstrations of defects: what a file <backend>/<backend>_defects.py and common/shared_defects.py are written with.

    @shows("off-by-one")
    def randint_reaches_its_upper_bound():
        assert 6 in torch.randint(0, 6, (1000,), device="host_memory").tolist()

A demonstration asserts that the defect *is there*, in a few lines of plain torch and without the suites. `dies="SIGABRT"` is for
a crash, `hangs=True` for a hang: the last line of the function is then the one that crashes or hangs. fleet_defects_test.py runs
each demonstration in a child process, which has loaded the backend.
"""

import ctypes
import dataclasses
import io
import os
import typing

from fleet_lists import BUILD

REACHED = b"r"  # written by the child process before the line that hangs or crashes


@dataclasses.dataclass
class Demonstration:
    function: typing.Callable
    dies: str | None = None
    hangs: bool = False


demonstrations = {}  # of one backend: the name of the defect -> its demonstration
shared = {}  # of any backend: the same, and the function takes the name of the device
to_parent = None  # a pipe, in the child process


def shows(name, **how):
    """Decorator: the function shows the defect `name` of the backend's defects.tsv."""

    def register(function):
        assert name not in demonstrations, f"{name} is shown twice"
        demonstrations[name] = Demonstration(function, **how)
        return function

    return register


def shows_on_any(**how):
    """Decorator: the function shows on the device that it is given the defect of its own name, with hyphens."""

    def register(function):
        shared[function.__name__.replace("_", "-")] = Demonstration(function, **how)
        return function

    return register


def now():
    """Called by a demonstration right before the line that hangs or crashes: everything before it must work."""
    os.write(to_parent, REACHED)


def raises(kind, call):
    """Whether `call` raises an exception of `kind`."""
    try:
        call()
    except kind:
        return True
    return False


def raised(function, *arguments, **keywords):
    """The text of the exception that the call raises, or None."""
    try:
        function(*arguments, **keywords)
    except Exception as error:
        return str(error)
    return None


def saved_and_loaded(tensor, **keywords):
    import torch  # not before the test has set how torch loads

    file = io.BytesIO()
    torch.save(tensor, file)
    file.seek(0)
    return torch.load(file, **keywords)


def core():
    """The functions of fleet_calls.cc: what a C++ program may call of torch. The backend is loaded."""
    calls = ctypes.CDLL(BUILD / "lib/fleet/libfleet_calls.so")
    calls.fleet_clone_is_equal.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return calls
