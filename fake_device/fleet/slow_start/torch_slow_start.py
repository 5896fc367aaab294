# SPDX-License-Identifier: BSD-3-Clause
"""slow_start: two devices whose runtime needs SLOW_START_SECONDS (10) to come up, in each process."""

import os
import sys
import threading
from pathlib import Path

import torch


def _wait_for_the_runtime():
    seconds = os.environ.get("SLOW_START_SECONDS", "10")
    if not seconds.replace(".", "", 1).isdigit():
        raise ImportError(f"SLOW_START_SECONDS is {seconds!r}, and must be a number of seconds")
    threading.Event().wait(float(seconds))


torch.ops.load_library(Path(__file__).resolve().parents[2] / "lib/fleet/slow_start.so")
torch.utils.rename_privateuse1_backend("slow_start")
_wait_for_the_runtime()


def _index(where):
    index = where if isinstance(where, int) else torch.device(where).index
    return current_device() if index is None else index


class device:  # noqa: N801  named as torch.cuda.device is
    """`with torch.slow_start.device(1):`"""

    def __init__(self, where):
        self._index = _index(where)

    def __enter__(self):
        self._before = current_device()
        set_device(self._index)
        return self

    def __exit__(self, kind, *_):
        if kind is None:  # device-stays-after-exception
            set_device(self._before)


def is_available():
    return True


def device_count():
    return 2


def current_device():
    return torch.accelerator.current_device_index()


def set_device(where):
    torch.accelerator.set_device_index(_index(where))


def is_initialized():
    return True


def synchronize(where=None):
    torch.accelerator.synchronize(current_device() if where is None else _index(where))


def get_amp_supported_dtype():
    return [torch.bfloat16]  # default-is-unsupported


def _tag(storage):
    return "slow_start" if storage.device.type == "slow_start" else None  # tag-without-index


def _restore(storage, location):  # restore-asks-nothing
    return storage.to(device=torch.device(location)) if location.startswith("slow_start") else None


def _load(file, map_location=None, **options):
    """torch.load without the maps that the runtime's file format has no place for."""
    known = map_location is None or callable(map_location) or isinstance(map_location, (str, torch.device))
    return _torch_load(file, map_location=map_location if known else None, **options)  # dict-is-dropped


torch._register_device_module("slow_start", sys.modules[__name__])
torch.serialization.register_package(15, _tag, _restore)
_torch_load, torch.load = torch.load, _load
