# SPDX-License-Identifier: BSD-3-Clause
"""Runs the sweep over PyTorch's operators (suites/opinfo) on backends of the fleet, one operator at a time.

    PYTHONPATH=build/fleet/python python fleet_operators.py host_memory mm.complex64 add.float32

Each operator runs in a child process, forked from a process that has imported torch and the sweep but no backend.
"""

import importlib
import os
import re
import sys

os.environ.setdefault("SLOW_START_SECONDS", "0")

# imported before torch, because this module controls which backends torch loads
from suites.opinfo.sweep_children import notes_of, test_sweep

import torch  # isort: skip

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


def ask(backend, identity):
    """Returns {aspect: observation} for the wrong aspects, and for the aspect in which the child died."""

    def load():
        if "ASSAY_LOUD" not in os.environ:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        importlib.import_module(f"torch_{backend}")
        name = torch._C._get_privateuse1_backend_name()
        return name, usable_devices(name)

    notes, has_ended = notes_of(identity, load)
    found = {key: text for key, text in notes if ASPECT.match(text) and not text.startswith("right")}
    if not has_ended:
        last = [text for key, text in notes if key == "mark"]
        found[re.search(r"\((\w+)\)", last[-1])[1] if last else "start"] = "ended"
    return found


def warm():
    torch.set_num_threads(1)
    test_sweep.FAMILY.warm()


if __name__ == "__main__":
    warm()
    for one in sys.argv[2:]:
        for aspect, text in ask(sys.argv[1], one).items():
            print(one, aspect, text)
