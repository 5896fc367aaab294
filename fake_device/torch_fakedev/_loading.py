# SPDX-License-Identifier: BSD-3-Clause
"""Loads libtorch_fakedev.so, or refuses with one sentence.

Guard, hooks and allocator are virtual classes that may change between torch releases. In a library built for
another minor release, calls would reach the wrong virtual functions. Serves: HOOK-020.
"""

import ctypes
import os

import torch

from .build_facts import TORCH_VERSION, VERSION

__all__ = ["VERSION", "load_library"]


def _minor(version):
    return version.split(".")[:2]


def load_library():
    if _minor(torch.__version__) != _minor(TORCH_VERSION):
        raise ImportError(
            f"torch_fakedev {VERSION} was built for torch {TORCH_VERSION}, "
            f"but this is torch {torch.__version__}; rebuild it"
        )
    ctypes.CDLL(os.path.join(os.path.dirname(__file__), "libtorch_fakedev.so"))
