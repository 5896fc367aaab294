# SPDX-License-Identifier: BSD-3-Clause
"""Functions for demonstrations of defects in <backend>/<backend>_defects.py and common/shared_defects.py.

    @shows("off-by-one")
    def randint_reaches_its_upper_bound():
        assert 6 in torch.randint(0, 6, (1000,), device="host_memory").tolist()

A demonstration asserts that the defect exists, in a few lines of plain torch and without the suites. If the last line
of the function crashes the process, `dies="SIGABRT"` names the signal. If the last line hangs, `hangs=True` is given.
fleet_defects_test.py runs each demonstration in a child process that has loaded the backend.
"""

import ctypes
import dataclasses
import io
import os
import typing

from fleet_lists import BUILD

REACHED = b"r"  # the child process writes this before the line that hangs or crashes


@dataclasses.dataclass
class Demonstration:
    function: typing.Callable
    dies: str | None = None
    hangs: bool = False


demonstrations = {}  # for one backend: name of the defect -> its demonstration
shared = {}  # for all backends: like `demonstrations`, but the functions take the name of the device
to_parent = None  # a pipe; set in the child process


def shows(name, **how):
    """Decorator of a function that shows the defect `name` in the backend's defects.tsv."""

    def register(function):
        assert name not in demonstrations, f"{name} is shown twice"
        demonstrations[name] = Demonstration(function, **how)
        return function

    return register


def shows_on_any(**how):
    """Decorator of a function that shows a defect on the device given to it. The name of the function, with hyphens,
    is the name of the defect."""

    def register(function):
        shared[function.__name__.replace("_", "-")] = Demonstration(function, **how)
        return function

    return register


def now():
    """A demonstration calls this before the line that hangs or crashes. All lines before this call must work."""
    os.write(to_parent, REACHED)


def raises(kind, call):
    """True if `call` raises an exception of `kind`."""
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
    import torch  # imported late, because the test must first set TORCH_DEVICE_BACKEND_AUTOLOAD

    file = io.BytesIO()
    torch.save(tensor, file)
    file.seek(0)
    return torch.load(file, **keywords)


def core():
    """The functions of fleet_calls.cc, which call torch as a C++ program does. Loads the backend."""
    calls = ctypes.CDLL(BUILD / "lib/fleet/libfleet_calls.so")
    calls.fleet_clone_is_equal.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return calls
