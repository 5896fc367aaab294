# SPDX-License-Identifier: BSD-3-Clause
"""Finds the files that a profile's steps will load, without loading them. The preflight uses the list.

Finds modules by their spec, which imports only the parent packages of dotted names. Also finds the shared objects in
the folders of these modules and the metadata of their distributions.
"""

import hashlib
import importlib.metadata
import importlib.util
import os
from pathlib import Path

MOST_LIBRARIES = 64
MOST_FILES = 20000  # if a target has more files, it has no stamp


def _origin(module):
    """Folder or file of the top-level package, or None if it is not installed."""
    try:
        spec = importlib.util.find_spec(module.split(".")[0])
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    folders = list(spec.submodule_search_locations or [])
    return folders[0] if folders else spec.origin


def _libraries_in(place):
    path = Path(place)
    if path.is_file():
        return [str(path)] if path.suffix == ".so" else []
    return sorted(str(found) for found in _below(path, "*.so*") if found.is_file())[:MOST_LIBRARIES]


def _below(folder, pattern):
    """The files below a folder. Python before 3.13 raises an error if a folder vanishes during the walk."""
    try:
        return list(folder.rglob(pattern))
    except OSError:
        return []


def _module_of(kind, argument, extra):
    if kind == "import" and os.sep not in argument:
        return argument
    if kind == "call":
        return argument.partition(":")[0]
    if kind == "entry_point":
        for point in importlib.metadata.entry_points(group=extra or "torch.backends"):
            if point.name == argument:
                return point.value.partition(":")[0]
    return None


def _metadata_of(module):
    """METADATA files of the distributions that contain the module."""
    names = importlib.metadata.packages_distributions().get(module.split(".")[0], [])
    found = []
    for name in names:
        path = getattr(importlib.metadata.distribution(name), "_path", None)
        if path is not None and (Path(path) / "METADATA").is_file():
            found.append(str(Path(path) / "METADATA"))
    return found


def _files_in(place):
    """Code files of a module that only a new build changes, without files that Python or the target writes."""
    path = Path(place)
    if path.is_file():
        return [path]
    return [file for file in _below(path, "*") if file.suffix in (".py", ".so") or ".so." in file.name]


def stamp_of(places):
    """A text that changes when a file at or below these places changes, or "" if the files are unknown."""
    digest, count = hashlib.sha256(), 0
    for place in dict.fromkeys(places):
        for file in sorted(_files_in(place)):
            try:
                facts = file.stat()
            except OSError:
                return ""
            digest.update(f"{file} {facts.st_mtime_ns} {facts.st_size}\n".encode("utf-8", "surrogateescape"))
            count += 1
    return digest.hexdigest() if 0 < count <= MOST_FILES else ""


def take(steps):
    """Returns {"libraries": [...], "metadata": [...], "absent": [...], "stamp": ...} for the steps."""
    libraries, metadata, absent, places = [], [], [], []
    anything = False  # an earlier snippet may have changed the search path
    for kind, argument, extra in steps:
        anything = anything or kind == "exec"
        if kind == "dlopen" or (kind == "import" and os.sep in argument):
            libraries += [argument] if ".so" in argument else []
            if kind != "dlopen" or not os.path.isdir(argument):  # a folder such as / would be read completely
                places.append(argument)
            continue
        module = _module_of(kind, argument, extra)
        if module is None:
            continue
        origin = _origin(module)
        if origin is None:
            if not anything:
                absent.append(module)
            continue
        places.append(origin)
        libraries += _libraries_in(origin)
        metadata += _metadata_of(module)
    return {
        "libraries": list(dict.fromkeys(libraries)),
        "metadata": list(dict.fromkeys(metadata)),
        "absent": list(dict.fromkeys(absent)),
        # A snippet may load any file.
        "stamp": "" if anything or absent else stamp_of(places),
    }
