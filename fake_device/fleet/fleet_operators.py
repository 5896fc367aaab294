# SPDX-License-Identifier: BSD-3-Clause
"""Runs the sweep over PyTorch's operators (suites/opinfo) on backends of the fleet, one operator at a time.

    PYTHONPATH=build/fleet/python python fleet_operators.py host_memory mm.complex64 add.float32

Each operator runs in a child process, forked from a process that has imported torch and the sweep but no backend.
"""

import importlib
import json
import os
import re
import resource
import select
import signal
import sys
import time
import traceback
import types
from pathlib import Path

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
os.environ.setdefault("SLOW_START_SECONDS", "0")

import torch  # noqa: E402
from assay.host import report
from suites.opinfo import test_sweep

DEADLINE_SECONDS = 300  # kernels may have to be compiled first
ASPECT = re.compile(r"(right|wrong|noted|refused) ")


def usable_devices(name):
    found = []
    for index in range(min(2, getattr(torch, name).device_count())):
        try:
            torch.empty(1, device=f"{name}:{index}")
        except Exception:
            continue
        found.append(index)
    return found


def tell_all(backend, identity, pipe):
    """Body of the child process. It writes the notes of the check to the pipe, one per line."""

    def tell(key, text):
        pipe.write(json.dumps([key, text]) + "\n")
        pipe.flush()

    importlib.import_module(f"torch_{backend}")
    name = torch._C._get_privateuse1_backend_name()
    check = types.SimpleNamespace(device_name=name, devices=usable_devices(name))
    report.check = lambda: check
    report.note, report.finding = tell, lambda *words: None
    report.mark = lambda place, line: tell("mark", re.search(r"\((\w+)\)", place)[1])
    test_sweep.FAMILY.case(f"opinfo.{identity}").runTest()
    tell("end", "")


def run_child(backend, identity, write):
    status = 1
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        if "ASSAY_LOUD" not in os.environ:
            os.dup2(quiet, 2)
        with os.fdopen(write, "w") as pipe:
            tell_all(backend, identity, pipe)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def read_until_end(read):
    """Returns the notes, also those of a child that crashes or must be killed."""
    deadline, text, is_over = time.monotonic() + DEADLINE_SECONDS, b"", False
    while not is_over and select.select([read], [], [], max(0, deadline - time.monotonic()))[0]:
        part = os.read(read, 65536)
        is_over, text = not part, text + part
    return [json.loads(line) for line in text.decode().splitlines()], is_over


def ask(backend, identity):
    """Returns {aspect: observation} for each aspect that is wrong, and for the aspect in which the child died."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.setpgid(0, 0)
        run_child(backend, identity, write)
    os.close(write)
    notes, is_over = read_until_end(read)
    os.close(read)
    if not is_over:
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    found = {key: text for key, text in notes if ASPECT.match(text) and not text.startswith("right")}
    if not notes or notes[-1][0] != "end":
        last = [text for key, text in notes if key == "mark"]
        found[last[-1] if last else "start"] = "ended"
    return found


def warm():
    torch.set_num_threads(1)
    test_sweep.FAMILY.warm()


if __name__ == "__main__":
    warm()
    for one in sys.argv[2:]:
        for aspect, text in ask(sys.argv[1], one).items():
            print(one, aspect, text)
