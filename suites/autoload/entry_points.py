# SPDX-License-Identifier: BSD-3-Clause
"""Entry points of the group torch.backends: those of the target, and one of a check's own beside them."""

import contextlib
import importlib.metadata
import re
import sys
import tempfile
from pathlib import Path

GROUP = "torch.backends"


def of_target():
    """Those whose package the target has loaded: other backends may be installed, too."""
    points = importlib.metadata.entry_points(group=GROUP)
    return [point for point in points if point.module.partition(".")[0] in sys.modules]


def is_of_another(said, name):
    """Whether import torch ended over a package that is not the target's, or over the place it has taken."""
    failed = re.search(r"backend extension: (\S+?)\. ", said)
    if not failed:
        return False
    taken = re.search(r"already been set! Current backend: (\w+)", said)
    ours = failed[1].startswith("assayed") or failed[1] in [point.name for point in of_target()]
    return not ours or bool(taken and taken[1].lower() != name)


@contextlib.contextmanager
def neighbour(points, code=""):
    """A folder with another package, `assayed_neighbour`, to stand first on sys.path.

    `points`: name -> "module:function"; `code`: the text of the module. It is found before all others, so
    an entry point of it that ends the process keeps them out.
    """
    with tempfile.TemporaryDirectory(prefix="assay-neighbour-") as folder:
        facts = Path(folder, "assayed_neighbour-1.0.dist-info")
        facts.mkdir()
        facts.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: assayed-neighbour\nVersion: 1.0\n")
        lines = "\n".join(f"{name} = {value}" for name, value in points.items())
        facts.joinpath("entry_points.txt").write_text(f"[{GROUP}]\n{lines}\n")
        Path(folder, "assayed_neighbour.py").write_text(code)
        yield folder
