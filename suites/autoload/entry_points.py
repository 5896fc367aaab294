# SPDX-License-Identifier: BSD-3-Clause
"""Entry points of the group torch.backends: the target's entry points, and entry points that a check adds."""

import contextlib
import importlib.metadata
import re
import sys
import tempfile
from pathlib import Path

GROUP = "torch.backends"


def of_target():
    """Entry points whose package the target has loaded. Other installed backends are ignored."""
    points = importlib.metadata.entry_points(group=GROUP)
    return [point for point in points if point.module.partition(".")[0] in sys.modules]


def is_of_another(said, name):
    """Whether `import torch` failed because of another package, or because another backend has already set its name."""
    failed = re.search(r"backend extension: (\S+?)\. ", said)
    if not failed:
        return False
    taken = re.search(r"already been set! Current backend: (\w+)", said)
    ours = failed[1].startswith("assayed") or failed[1] in [point.name for point in of_target()]
    return not ours or bool(taken and taken[1].lower() != name)


@contextlib.contextmanager
def neighbour(points, code=""):
    """Creates another package, `assayed_neighbour`, in a folder that goes to the front of sys.path.

    `points`: name -> "module:function". `code`: the source of the module. PyTorch calls the entry points of this module
    first. If such an entry point ends the process, PyTorch calls no later entry point.
    """
    with tempfile.TemporaryDirectory(prefix="assay-neighbour-") as folder:
        facts = Path(folder, "assayed_neighbour-1.0.dist-info")
        facts.mkdir()
        facts.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: assayed-neighbour\nVersion: 1.0\n")
        lines = "\n".join(f"{name} = {value}" for name, value in points.items())
        facts.joinpath("entry_points.txt").write_text(f"[{GROUP}]\n{lines}\n")
        Path(folder, "assayed_neighbour.py").write_text(code)
        yield folder
