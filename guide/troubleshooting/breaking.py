# SPDX-License-Identifier: BSD-3-Clause
"""Reproduces error texts of PyTorch: each program runs twice, broken and correct, in separate processes.

A program is a function. A `taking_away` program uses a backend that lacks a piece. The other programs get a flag that
selects the correct or the broken variant. A broken program ends with the text; a correct one prints nothing.
"""

import ctypes
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

import torch

PROGRAMS = {}
PATIENCE = 240  # seconds, after which the alarm ends a program that hangs


@dataclass
class Program:
    name: str
    body: object
    pieces: str | None  # None: the program gets the flag
    needs_backend: bool


def taking_away(pieces):
    """A program for a backend without these pieces; the correct run has all pieces."""

    def keep(body):
        PROGRAMS[body.__name__] = Program(body.__name__, body, pieces, True)
        return body

    return keep


def with_backend(body):
    """A program that loads parts of the backend itself."""
    PROGRAMS[body.__name__] = Program(body.__name__, body, None, True)
    return body


def alone(body):
    """A program that needs only PyTorch."""
    PROGRAMS[body.__name__] = Program(body.__name__, body, None, False)
    return body


def package():
    return Path(os.environ["FOO_PACKAGE"])


def load_library():
    return ctypes.CDLL(str(package() / "libtorch_foo.so"))


def make_module(library):
    spec = importlib.util.spec_from_file_location("device_module", package() / "device_module.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.make(library)


def load_backend(module=True):
    """Does everything that importing the package does."""
    library = load_library()
    torch.utils.rename_privateuse1_backend("foo")
    if module:
        torch._register_device_module("foo", make_module(library))
    torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)


def python(source, folder=None, **variables):
    """Runs another interpreter, which writes to stderr; raises that output if it failed."""
    path = os.pathsep.join(str(part) for part in (folder, os.environ.get("PYTHONPATH")) if part)
    told = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=PATIENCE,
                          env=os.environ | {"PYTHONPATH": path} | variables)
    print(told.stderr, file=sys.stderr)
    if told.returncode != 0:
        raise ChildProcessError(told.stderr)


def perform(program, whole):
    if program.pieces is None:
        program.body(whole)
        return
    os.environ["FOO_WITHOUT"] = "" if whole else program.pieces
    load_backend()
    program.body()


def child(program, whole, said):
    """Runs the program in the child process, whose output goes into the file."""
    status = 1
    os.dup2(said.fileno(), 1)
    os.dup2(said.fileno(), 2)
    try:
        warnings.simplefilter("always")
        perform(program, whole)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def run(program, whole):
    """Returns the exit status of the process (negative: a signal) and its output."""
    with tempfile.TemporaryFile() as said:
        sys.stdout.flush()
        process = os.fork()
        if process == 0:
            signal.alarm(PATIENCE)
            child(program, whole, said)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        said.seek(0)
        return status, said.read().decode(errors="replace")
