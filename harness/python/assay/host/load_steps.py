# SPDX-License-Identifier: BSD-3-Clause
"""A table of the load steps of a target profile, with one function for each.

Backends are loaded in many ways, so the steps assume nothing about the name of a backend or the type of its module.
Objects that a step creates stay alive until the process ends. A step runs no operator and queries no device.
"""

import ctypes
import importlib
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import sys
from pathlib import Path

_kept = []  # these objects must stay alive, because their destruction would unload the backend


class StepError(Exception):
    """A load step failed. The text is one sentence for the author of the profile."""


def _import_file(path):
    """Imports a module by path. The module may be an extension whose PyInit registers the backend."""
    name = Path(path).name.split(".")[0]
    if path.endswith(".so"):
        loader = importlib.machinery.ExtensionFileLoader(name, path)
        spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    else:
        spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise StepError(f"import {path}: the file is not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def step_import(argument, _extra):
    by_path = os.sep in argument
    _kept.append(_import_file(argument) if by_path else importlib.import_module(argument))


def step_call(argument, _extra):
    module, _, path = argument.partition(":")
    if not path:
        raise StepError(f'call {argument}: write it as "module:function"')
    found = importlib.import_module(module)
    for name in path.split("."):
        if not hasattr(found, name):
            raise StepError(f"call {argument}: {module} has no {name}")
        found = getattr(found, name)
    _kept.append(found())


def step_entry_point(argument, extra):
    group = extra or "torch.backends"
    points = list(importlib.metadata.entry_points(group=group))
    chosen = [point for point in points if point.name == argument]
    if not chosen:
        names = ", ".join(sorted(point.name for point in points)) or "none"
        raise StepError(
            f"entry_point {argument}: no installed package offers it in group {group} (offered: {names})"
        )
    _kept.append(chosen[0].load()())


def step_exec(argument, _extra):
    namespace = {"__name__": "assay_load"}
    _kept.append(namespace)
    exec(compile(argument, "<load step>", "exec"), namespace)  # the profile's own code


def step_dlopen(argument, extra):
    scope = ctypes.RTLD_GLOBAL if "global" in extra else ctypes.RTLD_LOCAL
    binding = os.RTLD_NOW if "now" in extra else os.RTLD_LAZY
    _kept.append(ctypes.CDLL(argument, mode=scope | binding))


STEPS = {
    "import": step_import,
    "call": step_call,
    "entry_point": step_entry_point,
    "exec": step_exec,
    "dlopen": step_dlopen,
}


def run(kind, argument, extra=""):
    """Runs one step. An exception of the backend becomes a StepError that names the step."""
    if kind not in STEPS:
        raise StepError(f"unknown load step {kind}; there are {', '.join(STEPS)}")
    try:
        STEPS[kind](argument, extra)
    except StepError:
        raise
    except SystemExit as error:
        raise StepError(f"{kind} {argument}: the backend called exit({error.code})") from error
    except BaseException as error:
        raise StepError(f"{kind} {argument}: {type(error).__name__}: {error}") from error


def _package_folder(kind, argument):
    """Folder of the package that a step imports, found without importing it, or None."""
    if kind not in ("import", "call") or os.sep in argument:
        return None
    try:
        spec = importlib.util.find_spec(argument.partition(":")[0].split(".")[0])
    except (ImportError, ValueError):
        return None
    return Path(spec.submodule_search_locations[0]) if spec and spec.submodule_search_locations else None


def stale_locks(steps=()):
    """Finds locks that a killed compilation of kernels has left. Such a lock makes every later load hang.

    Kernels are compiled into torch's extension cache or into the backend's own package.
    """
    places = [Path(
        os.environ.get("TORCH_EXTENSIONS_DIR")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "torch_extensions"
    )]
    places += filter(None, (_package_folder(kind, argument) for kind, argument, _ in steps))
    found = set()
    for place in places:
        try:
            found.update(path for path in place.glob("**/lock") if path.is_file())
        except OSError:
            continue
    return sorted(map(str, found))
