# SPDX-License-Identifier: BSD-3-Clause
"""Builds variants of the scaffold: writes only files that changed, so that only these are compiled.

ccache, if installed, shares the results with other checkouts."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The same values as in cmake/AssayCompiler.cmake.
CACHE = {"CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1", "CCACHE_SLOPPINESS": "pch_defines,time_macros"}


def write_changed(folder, files):
    """Writes these files, pairs of path and text, to the folder, and removes other sources."""
    wanted = dict(files)
    for relative, text in wanted.items():
        path = folder / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in folder.glob("csrc/*.cc"):
        if path.relative_to(folder).as_posix() not in wanted:
            path.unlink()


def compile_in(folder):
    """Returns the folder of the package torch_foo with its library, as after an installation."""
    # Uses Ninja, because make compiles everything again when the list of files changes.
    configure = ["-G", "Ninja", "-S", ".", "-B", "compiled", f"-DPython_EXECUTABLE={sys.executable}",
                 "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON"]
    if shutil.which("ccache"):
        configure.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    for words in (configure, ["--build", "compiled", "--parallel", str(len(os.sched_getaffinity(0)))]):
        subprocess.run(["cmake", *words], cwd=folder, check=True, stdout=sys.stderr, env=os.environ | CACHE)
    package = folder / "torch_foo"
    shutil.copy(folder / "compiled/libtorch_foo.so", package / "new.so")
    (package / "new.so").rename(package / "libtorch_foo.so")  # the old library may be loaded
    return package
