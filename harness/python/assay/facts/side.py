# SPDX-License-Identifier: BSD-3-Clause
"""One PyTorch to read: an installed torch, a wheel, a folder of headers or a source checkout.

Finds the headers, Python files, libraries and operator schemas of this torch, but does not read them.
"""

import os
import re
import subprocess
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from assay.facts.overlay import generated_overlay
from assay.command import Refused

WHEEL_PARTS = re.compile(
    r"(torch/include/|torch/share/cmake/Torch/|torchgen/packaged/|(torch|torchgen|functorch)/.*\.pyi?$|torch/lib/lib(c10|torch_cpu|torch_python)\.so$)"
)
VERSION = re.compile(r"#define TORCH_VERSION_(MAJOR|MINOR|PATCH) (\d+)")


@dataclass
class Side:
    kind: str  # installed, wheel, include, source
    path: Path  # as the user named the side
    roots: list  # include folders; their declarations become facts
    python: Path = None  # folder that holds torch/ and torchgen/, or None
    libraries: list = field(default_factory=list)
    schemas: Path = None  # native_functions.yaml
    templates: list = field(default_factory=list)  # folders of code-generator templates
    version: str = ""
    git: str = ""
    generated: Path = None  # generated Python files, for a checkout

    def header(self, name):
        """The file of `#include <name>`, or None."""
        found = (root / name for root in self.roots)
        return next((path for path in found if path.is_file()), None)


def find_side(word, scratch, other=None):
    """Finds the side that `word` names. Files are unpacked to `scratch`. A checkout takes its generated headers from
    `other`."""
    path = Path(word)
    if path.suffix == ".whl":
        return of_wheel(path, scratch)
    if path.is_file() and os.access(path, os.X_OK):
        return installed(path, packages_of(path))
    if not path.is_dir():
        raise Refused(f"{word}: no such folder, wheel, interpreter or dump")
    if (path / "aten/src").is_dir() or ((path / ".git").exists() and (path / "torch").is_dir()):
        return of_checkout(path, scratch, other)
    for packages in (path, path.parent, *sorted(path.glob("lib/python3*/site-packages"))):
        if (packages / "torch/include/c10/core").is_dir() and (packages != path.parent or path.name == "torch"):
            return installed(path, packages)
    for include in (path, path / "include"):
        if (include / "c10/core").is_dir():
            return of_include(path, include)
    raise Refused(
        f"{word}: no PyTorch there: neither torch/include, nor c10/core, nor a checkout with aten/src; "
        "give an installed torch, a wheel, an include folder, a checkout or a stored dump"
    )


def packages_of(python):
    """The folder in which an interpreter finds torch. torch is not imported."""
    ask = "import importlib.util as u, os; s = u.find_spec('torch'); print(os.path.dirname(os.path.dirname(s.origin)) if s else '')"
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True, timeout=60)
    if done.returncode or not done.stdout.strip():
        raise Refused(f"{python}: this interpreter finds no torch")
    return Path(done.stdout.strip())


def installed(path, packages, kind="installed"):
    torch = packages / "torch"
    include = torch / "include"
    if not (include / "c10/core").is_dir():
        raise Refused(f"{path}: its torch has no headers (torch/include); install a wheel that brings them")
    packaged = packages / "torchgen/packaged"
    version, git = read_version(torch / "version.py")
    return Side(
        kind,
        path,
        [include, include / "torch/csrc/api/include"],
        python=packages,
        libraries=[p for name in ("c10", "torch_cpu", "torch_python") if (p := torch / f"lib/lib{name}.so").is_file()],
        schemas=existing(packaged / "ATen/native/native_functions.yaml"),
        templates=[f for f in (packaged / "ATen/templates", packaged / "autograd/templates") if f.is_dir()],
        version=version,
        git=git,
    )


def of_wheel(path, scratch):
    if not path.is_file():
        raise Refused(f"{path}: no such wheel")
    if not re.search(r"linux.*\.whl$", path.name):
        raise Refused(f"{path}: a wheel for another platform; drift reads Linux wheels")
    folder = scratch / path.stem
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if WHEEL_PARTS.match(name) and ".." not in name]
            archive.extractall(folder, names)
    except (zipfile.BadZipFile, OSError) as error:
        raise Refused(f"{path}: cannot be unpacked: {error}") from None
    if not (folder / "torch/include/c10/core").is_dir():
        raise Refused(f"{path}: no PyTorch headers in this wheel")
    return installed(path, folder, "wheel")


def of_include(path, include):
    return Side("include", path, [include, include / "torch/csrc/api/include"], version=version_of_headers(include))


def version_of_headers(include):
    """The version, or "" if the headers do not state it."""
    file = existing(include / "torch/headeronly/version.h") or existing(include / "torch/csrc/api/include/torch/version.h")
    found = dict(VERSION.findall(file.read_text(encoding="utf-8")) if file else [])
    return ".".join(found[part] for part in ("MAJOR", "MINOR", "PATCH")) if len(found) == 3 else ""


def of_checkout(path, scratch, other):
    for part in ("c10/core", "aten/src/ATen", "torch/csrc"):
        if not (path / part).is_dir():
            raise Refused(f"{path}: half a checkout: {part} is missing")
    if other is None or other.kind == "source":
        raise Refused(
            f"{path}: a checkout has no generated headers; give an installed torch or a wheel as the other side, or --generated SIDE"
        )
    overlay = generated_overlay(other.roots[0], scratch)
    native = path / "aten/src/ATen/native"
    return Side(
        "source",
        path,
        [path / "aten/src", path, path / "torch/csrc/api/include", overlay, overlay / "torch/csrc/api/include"],
        python=path,
        schemas=existing(native / "native_functions.yaml"),
        templates=[f for f in (path / "aten/src/ATen/templates", path / "tools/autograd/templates") if f.is_dir()],
        version=(existing(path / "version.txt") or Path(os.devnull)).read_text().strip(),
        git=git_revision(path),
        generated=other.python,
    )


def git_revision(path):
    done = subprocess.run(["git", "-C", path, "rev-parse", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip()


def read_version(path):
    text = path.read_text() if path.is_file() else ""
    found = dict(re.findall(r"^(__version__|git_version) = '([^']*)'", text, re.M))
    return found.get("__version__", ""), found.get("git_version", "")


def existing(path):
    return path if path.is_file() else None
