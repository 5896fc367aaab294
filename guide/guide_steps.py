# SPDX-License-Identifier: BSD-3-Clause
"""The steps of the guide: parts of the scaffold that are added one after the other.

Read from steps.ini, in the order of that file."""

import configparser
import difflib
from dataclasses import dataclass
from pathlib import Path

from new_backend import FEATURES, PARTS, files_of

STEPS = Path(__file__).resolve().parent / "steps.ini"
HEADER = "csrc/foo.h"


@dataclass
class Step:
    name: str
    parts: set
    brings: set


def read_steps(path=STEPS):
    table = configparser.ConfigParser(interpolation=None, delimiters=(":",), comment_prefixes=("#",))
    table.read_string(path.read_text(encoding="utf-8"), source=path.name)
    return [Step(name, *(set(table[name][key].split()) for key in ("parts", "brings"))) for name in table.sections()]


def number_of(name, steps):
    """The number of the step that adds this capability, operator or module, or None. The longest matching prefix of
    the name decides."""
    words = name.split(".")
    for shorter in [*(".".join(words[:count]) for count in range(len(words), 0, -1)), name.partition("::")[0]]:
        for number, step in enumerate(steps):
            if shorter in step.brings:
                return number
    return None


def files_after(steps):
    """The scaffold after these steps. The header is complete from the first step: a step compiles only its files."""
    parts = {part for step in steps for part in step.parts}
    whole = dict(files_of("foo", {*FEATURES, *PARTS}, "nobody"))
    return {**dict(files_of("foo", parts, "nobody")), HEADER: whole[HEADER]}


def patch_of(steps):
    """The last of these steps, as a patch on top of the steps before it."""
    before, after = files_after(steps[:-1]) if len(steps) > 1 else {}, files_after(steps)
    return "".join(changes_of(path, before.get(path), text) for path, text in sorted(after.items()))


def changes_of(path, before, after):
    old = f"a/{path}" if before is not None else "/dev/null"
    return "".join(difflib.unified_diff((before or "").splitlines(True), after.splitlines(True), old, f"b/{path}"))
