# SPDX-License-Identifier: BSD-3-Clause
"""Finds the files of an installed backend from the profile of a target, without loading it.

Reads only the load steps of a profile. harness/plan reads whole profiles, in C.
"""

import importlib.metadata
import os
import re
from importlib.util import find_spec
from pathlib import Path

from assay import places
from assay.command import Refused

STEP = re.compile(r"^\s*-\s*(import|call|dlopen|entry_point)\s*:\s*(.+?)\s*(?:#.*)?$", re.MULTILINE)
NAME = re.compile(r"\bname\s*:\s*([\w.-]+)")
GROUP = re.compile(r"\bgroup\s*:\s*([\w.-]+)")


def profile_of(word):
    """The profile that `word` names, as a path or as a name in this installation, or None."""
    if word.endswith((".yaml", ".yml")):
        return Path(word)
    for folder in (".", places.data()):
        path = Path(folder, "ci/targets", f"{word}.yaml")
        if re.fullmatch(r"[\w.-]+", word) and path.is_file():
            return path
    return None


def _module_of(kind, value):
    if kind == "import":
        return value.strip("\"'")
    if kind == "call":
        return value.strip("\"'").partition(":")[0]
    name, group = NAME.search(value), GROUP.search(value)
    for point in importlib.metadata.entry_points(group=group[1] if group else "torch.backends"):
        if name and point.name == name[1]:
            return point.value.partition(":")[0]
    return None


def _origin(module, profile):
    try:
        spec = find_spec(module.split(".")[0])
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise Refused(f"{profile}: {module} is not installed for this Python; install it, or give its sources")
    folders = list(spec.submodule_search_locations or [])
    return folders[0] if folders else spec.origin


def files_of(profile):
    """Folders and libraries that the load steps of a profile use."""
    try:
        text = profile.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise Refused(f"{profile}: cannot be read: {problem}") from None
    found = []
    for kind, value in STEP.findall(text):
        if kind == "dlopen":
            found.append(os.path.join(profile.parent, value.strip("\"'")))
            continue
        module = _module_of(kind, value)
        if module:
            found.append(_origin(module, profile))
    if not found:
        raise Refused(f"{profile}: no load step names a package or library; give the sources")
    return list(dict.fromkeys(found))
