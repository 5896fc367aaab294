# SPDX-License-Identifier: BSD-3-Clause
"""Runs one check of the sweep in a child process, which loads a backend: the fake device with a fault or with a replaced
kernel, or a backend of the fleet."""

import importlib
import json
import os
import resource
import select
import signal
import time
import traceback
import types

DEADLINE_SECONDS = 300  # kernels may have to be compiled first
os.environ["FAKEDEV_DEVICES"] = "2"
os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"

import torch  # noqa: E402
from assay.host import report
from suites.opinfo import test_sweep

kept = []


def word_of(aspect):
    """The verdict of a difference from the CPU in this aspect."""
    return "noted " if aspect in test_sweep.operator_aspects.NOTED else "wrong "


def put(name, function, key="PrivateUse1"):
    """Replaces a kernel of the device for the rest of this process."""
    library = torch.library.Library("aten", "IMPL")
    library.impl(name, function, key, allow_override=True)
    kept.append(library)


def notes_of(identity, load):
    """Runs the check in a child process, in which load() loads a backend and returns its name and its usable devices.
    Returns the notes in order, as [key, text], and whether the check completed. The child may crash, and is killed at
    the deadline."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.setpgid(0, 0)
        _run_child(identity, load, write)
    os.close(write)
    notes, is_over = _read_until_end(read)
    os.close(read)
    if not is_over:
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    has_ended = bool(notes) and notes[-1][0] == "end"
    return notes[:-1] if has_ended else notes, has_ended


def _run_child(identity, load, write):
    """Body of the child process. Writes each note to the pipe as one line."""
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with os.fdopen(write, "w") as pipe:
            def tell(key, text):
                pipe.write(json.dumps([key, text]) + "\n")
                pipe.flush()

            name, devices = load()
            report.check = lambda: types.SimpleNamespace(device_name=name, devices=devices)
            report.note, report.finding = tell, lambda *words: tell(f"finding {words[0]}", str(words[1:3]))
            report.mark = lambda place, line: tell("mark", place)
            test_sweep.FAMILY.case(f"opinfo.{identity}").runTest()
            tell("end", "")
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _read_until_end(read):
    deadline, text, is_over = time.monotonic() + DEADLINE_SECONDS, b"", False
    while not is_over and select.select([read], [], [], max(0, deadline - time.monotonic()))[0]:
        part = os.read(read, 65536)
        is_over, text = not part, text + part
    return [json.loads(line) for line in text.decode().splitlines()], is_over


def in_child(identity, fault="", prepare=lambda: None):
    """The notes of the check on the fake device with the fault, as {aspect: text}."""

    def load():
        os.environ["FAKEDEV_FAULT"] = fault
        importlib.import_module("torch_fakedev_faulty")
        prepare()
        return "fakedev", [0, 1]

    notes, has_ended = notes_of(identity, load)
    if not has_ended:
        raise AssertionError(f"{identity} under {fault} did not end; its last note: {notes[-1:]}")
    return dict(notes)
