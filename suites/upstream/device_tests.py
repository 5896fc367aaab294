# SPDX-License-Identifier: BSD-3-Clause
"""Finds the device-generic tests of PyTorch in a folder, imports them unchanged, and names them.

A file is device-generic if it passes its classes to instantiate_device_type_tests. Such a file queries the device
while it is imported. So it is imported only after the backend is loaded and `announce` has registered the backend
with PyTorch's test base.
"""

import importlib.util
import os
import re
import sys
import unittest
from dataclasses import dataclass
from pathlib import Path

from suites.upstream import vendor_lists

MARK = "instantiate_device_type_tests("
ONLY_FOR = "PYTORCH_TESTING_DEVICE_ONLY_FOR"


class Refused(Exception):
    """Raised with one sentence that says why a file or the whole folder has no test."""


class NotDeviceGeneric(Refused):
    """Raised if the file has tests, but none for a selectable device."""


@dataclass(frozen=True)
class Test:
    id: str
    file: str
    case: type
    method: str
    cpu: tuple | None  # (case, method) of the same test on the CPU
    generic: vendor_lists.GenericName


def announce(device_name, first_device=0):
    """Must be called before the first file is imported. Tests that PyTorch finds the backend, and restricts PyTorch to
    the backend and the CPU. Returns the tests that the vendor excludes."""
    import torch

    os.environ[ONLY_FOR] = "cpu,privateuse1"
    try:
        from torch.testing._internal import common_device_type
    except ImportError as error:
        raise Refused(
            f"torch.testing cannot be imported ({error}): install what it needs into the interpreter "
            "of the target"
        ) from error
    base = common_device_type.PrivateUse1TestBase
    if base not in common_device_type.device_type_test_bases:
        raise Refused(
            f"PyTorch's tests do not see the backend: torch.{device_name}.is_available() must be "
            "there and true once the backend is loaded (clause OPI-001)"
        )
    base.device_type = device_name
    base.device_mod = getattr(torch, device_name)
    base.primary_device = f"{device_name}:{first_device}"
    return vendor_lists.take()


# ---- files ---------------------------------------------------------------------------------------


def place_of_tests(folder):
    """The folder of tests: `test` of a PyTorch checkout, or any folder of test files."""
    folder = Path(folder).resolve()
    inside = folder / "test"
    return inside if (inside / "test_torch.py").exists() else folder


def find_files(folder):
    """Maps the first part of each test id to the path of its file, for all test files below the folder."""
    if not Path(folder).exists():
        raise Refused(f"{folder} is not there: give a checkout of PyTorch, or a folder of test files")
    if Path(folder).is_file():
        path = Path(folder).resolve()
        return {path.stem: path}
    place = place_of_tests(folder)
    paths = sorted(place.rglob("test_*.py"))
    if not paths:
        raise Refused(f"{folder}: there is no test_*.py below it")
    return {".".join(path.relative_to(place).with_suffix("").parts): path for path in paths}


def wanted_files(folder, selection):
    """The files that a selection of checks may include. Importing the other files would cost minutes."""
    files = find_files(folder)
    words = re.findall(r"upstream\.([\w.]+)", selection or "")
    wanted = {
        file: path
        for file, path in files.items()
        if any(file.startswith(word) or word.startswith(file + ".") for word in words)
    }
    if words and not wanted:
        raise Refused(f"{folder}: --select {selection!r} matches no file")
    return wanted or files


def import_id(file):
    return word(f"upstream.{file}.import")


def why_not_generic(path):
    """Returns why a file is not imported at all, or None if the file may have tests for any device."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    if MARK not in text:
        return "it is not device-generic: it never calls instantiate_device_type_tests"
    return None


def import_file(path):
    """The module of the file."""
    name = path.stem
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    # Files of PyTorch's tests import modules beside them, as with `python test_x.py`.
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        sys.modules.pop(name, None)
        if isinstance(error, KeyboardInterrupt):
            raise
        first = str(error).split("\n")[0]
        raise Refused(f"it cannot be imported: {type(error).__name__}: {first}") from error
    return module


# ---- names ---------------------------------------------------------------------------------------


def _cases(module):
    for value in list(vars(module).values()):
        if isinstance(value, type) and issubclass(value, unittest.TestCase):
            if value.__module__ == module.__name__:
                yield value


def plain_class(name, devices):
    """TestViewOpsFAKEDEV -> TestViewOps: the suffix is the device for which the class was generated."""
    for device in devices:
        if name.endswith(device.upper()):
            return name[: -len(device)]
    return name


def plain_method(name, devices):
    """test_conj_fakedev_complex64 -> test_conj_complex64: the device name comes before the dtypes."""
    for device in devices:
        found = re.fullmatch(rf"(.+)_{re.escape(device)}((?:_[a-z0-9]+)*)", name)
        if found:
            return found[1] + found[2]
    return name


def word(text):
    """Ids contain only letters, digits, dots and underscores."""
    return re.sub(r"[^A-Za-z0-9_.]", "_", text)


def tests_of(module, file, device_name):
    """The tests of the file for the device, each with the same test for the CPU."""
    from torch.testing._internal import common_device_type as bases

    mine, cpu = {}, {}
    for case in _cases(module):
        is_mine = issubclass(case, bases.PrivateUse1TestBase)
        if not is_mine and not issubclass(case, bases.CPUTestBase):
            continue
        devices = (device_name, "privateuse1") if is_mine else ("cpu",)
        for method in unittest.TestLoader().getTestCaseNames(case):
            key = (plain_class(case.__name__, devices), plain_method(method, devices))
            (mine if is_mine else cpu)[key] = (case, method)
    if not mine:
        raise NotDeviceGeneric("none of its classes has a test for a PrivateUse1 backend")
    return [
        Test(word(f"upstream.{file}.{key[0]}.{key[1]}"), file, case, method, cpu.get(key),
             vendor_lists.generic_name(getattr(case, method), *key))
        for key, (case, method) in mine.items()
    ]
