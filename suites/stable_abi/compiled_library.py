# SPDX-License-Identifier: BSD-3-Clause
"""Compiles stable_library.cc with the C++ compiler of this machine and caches the result. Used by
test_stable_library.py.

The library cannot be part of an installation of assay, because an installation contains no file that is compiled
against torch. The key in the cache covers torch, the compiler, the flags and the source."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import torch
from assay.builds import torch_builds, torch_identity
from assay.places import cache_folder

SOURCE = Path(__file__).with_name("stable_library.cc")
TORCH = Path(torch.__file__).parent
HEADER = "torch/csrc/stable/library.h"
OLDEST = 0x020B000000000000  # the oldest supported release, 2.11
LATER = ("-DASSAY_NEEDS_LATER_RELEASE",)


def words(extra):
    """The command that compiles the library, without the name of the result."""
    return [
        *torch_builds.compiler_words(), "-std=c++20", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-DTORCH_STABLE_ONLY",
        f"-DTORCH_TARGET_VERSION={OLDEST:#x}", *extra, "-isystem", str(TORCH / "include"), str(SOURCE),
        f"-L{TORCH / 'lib'}", "-ltorch_cpu",
    ]  # fmt: skip


def key(extra):
    compiler = torch_identity.of_program(torch_builds.compiler_words()[0])
    parts = [torch.__version__, torch.version.git_version, compiler, *words(extra), SOURCE.read_text(encoding="utf-8")]
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:16]


def library(case, extra=()):
    """The path of the compiled library. If this machine cannot compile the library, ends the check without a verdict on
    the backend."""
    if not (TORCH / "include" / HEADER).is_file():
        case.does_not_apply(f"this installation of torch has no header {HEADER}")
    if shutil.which(torch_builds.compiler_words()[0]) is None:
        case.does_not_apply(f"there is no C++ compiler {torch_builds.compiler_words()[0]}: install g++ 10 or newer, or set CXX")
    folder = cache_folder() or Path(tempfile.mkdtemp())
    made = folder / f"stable-library-{key(extra)}.so"
    if not made.is_file():
        compile_into(case, made, extra)
    return made


def compile_into(case, made, extra):
    """Two jobs may compile at the same time, so each writes a file of its own and renames it."""
    own = made.with_name(f".{made.name}.{os.getpid()}")
    try:
        done = subprocess.run([*words(extra), "-o", str(own)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if "error" in line] or ["no message"]
            case.does_not_apply(f"the compiler refuses the stable headers of torch: {errors[0][:300]}")
        os.replace(own, made)
    finally:
        own.unlink(missing_ok=True)
