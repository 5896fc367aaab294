# SPDX-License-Identifier: BSD-3-Clause
"""Found, as sitecustomize.py, by each Python that a watched program starts: watches once torch is imported there.

A process that never does is left alone. The sitecustomize that this one hides is run as well.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


class _AfterTorch(importlib.abc.MetaPathFinder):
    """Finds torch as the others do, and has its loader begin the watch at the end."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                from assay_host import watch_mode

                watch_mode.begin()

            spec.loader.exec_module = exec_module
        return spec


def _run_the_hidden_one():
    elsewhere = [path for path in sys.path if os.path.abspath(path or ".") != HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if "ASSAY_WATCH" in os.environ:
    sys.meta_path.insert(0, _AfterTorch())
_run_the_hidden_one()
