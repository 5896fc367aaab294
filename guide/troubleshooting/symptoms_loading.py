# SPDX-License-Identifier: BSD-3-Clause
"""Symptoms of building and loading: wrong PyTorch, wrong order, entry points, two backends."""

import ctypes
import subprocess
import tempfile
from pathlib import Path

import torch
from breaking import alone, package, python, with_backend
from torch.utils import cpp_extension


def compile_library(folder, source, *words):
    """Compiles a shared library that another interpreter may load."""
    (Path(folder) / "it.cc").write_text(source)
    made = Path(folder) / "it.so"
    told = subprocess.run(["c++", "-std=c++20", "-shared", "-fPIC", "it.cc", "-o", made, *words], cwd=folder,
                          capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"})
    if told.returncode != 0:
        raise ChildProcessError(told.stderr)
    return made


@alone
def include_path_missing(whole):
    with tempfile.TemporaryDirectory() as folder:
        words = [f"-I{path}" for path in cpp_extension.include_paths()] if whole else []
        compile_library(folder, "#include <c10/core/DeviceType.h>\n", *words)


@alone
def undefined_symbol(whole):
    """Calls a function of another release, as an example for all changed functions."""
    source = "namespace c10 { int of_another_release(int); }\nextern \"C\" int use() { return c10::of_another_release(1); }\n"
    defined = "namespace c10 { int of_another_release(int one) { return one; } }\n"
    with tempfile.TemporaryDirectory() as folder:
        ctypes.CDLL(str(compile_library(folder, source + (defined if whole else ""))))


@with_backend
def library_before_torch(whole):
    first = "import torch\n" if whole else ""
    python(f"{first}import ctypes\nctypes.CDLL({str(package() / 'libtorch_foo.so')!r})")


def entry_point(folder, name, source):
    """Writes a package with an entry point of the group torch.backends, as pip does."""
    (Path(folder) / f"{name}.py").write_text(source)
    info = Path(folder) / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[torch.backends]\n{name} = {name}:_autoload\n")


AUTOLOAD = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "1"}


def import_torch(source, first="torch", **variables):
    """Imports torch with the package of this source installed, and no other backend."""
    with tempfile.TemporaryDirectory() as folder:
        entry_point(folder, "torch_bar", source)
        only = ("import importlib.metadata as m\nall = m.entry_points\n"
                "m.entry_points = lambda **w: [e for e in all(**w) if e.value.startswith('torch_bar')]\n")
        python(f"{only}import {first}", folder, **{**AUTOLOAD, **variables})


@alone
def autoload_fails(whole):
    body = "pass" if whole else "import a_driver_that_is_not_installed"
    import_torch(f"def _autoload():\n    {body}\n")


@alone
def autoload_function_missing(whole):
    import_torch("def _autoload():\n    pass\n" if whole else "")


@alone
def autoload_circle(whole):
    function = "def _autoload():\n    pass\n"
    import_torch(f"{function}import torch\n" if whole else f"import torch\n{function}", first="torch_bar")


@alone
def two_backends(whole):
    second = "" if whole else "torch.utils.rename_privateuse1_backend('baz')"
    import_torch("def _autoload():\n    import torch\n    torch.utils.rename_privateuse1_backend('bar')\n    " + second)


@alone
def constructed_device_of_index(whole):
    torch.utils.rename_privateuse1_backend("foo")
    torch.device("foo:1" if whole else "foo:x")
