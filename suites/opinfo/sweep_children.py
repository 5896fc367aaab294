# SPDX-License-Identifier: BSD-3-Clause
"""Runs one check of the sweep in a child process, which loads the fake device with a fault or replaces one of its
kernels."""

import importlib
import json
import os
import traceback
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

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


def answers(identity, fault, prepare):
    """The notes of the check on a device with the fault, as {aspect: text}."""
    notes = {}
    report.check = lambda: types.SimpleNamespace(device_name="fakedev", devices=[0, 1])
    report.note = notes.__setitem__
    report.finding = lambda *words: notes.setdefault(f"finding {words[0]}", str(words[1:3]))
    report.mark = lambda *words: None
    os.environ["FAKEDEV_FAULT"] = fault
    importlib.import_module("torch_fakedev_faulty")
    prepare()
    test_sweep.FAMILY.case(f"opinfo.{identity}").runTest()
    return notes


def in_child(identity, fault="", prepare=lambda: None):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with os.fdopen(write, "w") as pipe:
                json.dump(answers(identity, fault, prepare), pipe)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    status = os.waitpid(child, 0)[1]
    if status:
        raise AssertionError(f"{identity} under {fault}: wait status {status}")
    return json.loads(text)
