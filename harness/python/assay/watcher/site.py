# SPDX-License-Identifier: BSD-3-Clause
"""Each Python that a watched program starts finds this file as sitecustomize.py. The import of torch then starts the
watch.

If a process does not import torch, only the ends of its children are recorded. This file hides another sitecustomize,
so it runs that file as well.
"""

import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.dirname(os.environ.get("ASSAY_WATCH", ""))  # the folder of the run


class _AfterTorch(importlib.abc.MetaPathFinder):
    """Import hook that finds torch as Python does and starts the watch after torch is loaded."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module):
                # Removes the hook only here, because some programs search for torch without importing it.
                sys.meta_path.remove(self)
                execute(module)
                _begin()

            spec.loader.exec_module = exec_module
        return spec


def _begin():
    """Starts the watch. If this fails, the program continues without a watch, and the folder records the reason."""
    try:
        from assay.watcher import install as watch_install

        watch_install.begin()
    except Exception as error:
        path = os.path.join(FOLDER, f"process-{os.getpid()}.jsonl")
        with contextlib.suppress(OSError), open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"unwatched": f"{type(error).__name__}: {error}"}) + "\n")


def _run_the_hidden_one():
    elsewhere = [path for path in sys.path if os.path.abspath(path or ".") != HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def _see_ends():
    """Records the ends of children. Must be installed before other code takes a reference to os.waitpid."""
    with contextlib.suppress(Exception):
        from assay.watcher import ends as watch_ends

        watch_ends.hook(FOLDER)


if "ASSAY_WATCH" in os.environ:
    sys.meta_path.insert(0, _AfterTorch())
    _see_ends()
_run_the_hidden_one()
