# SPDX-License-Identifier: BSD-3-Clause
"""A backend with two devices whose runtime takes SLOW_START_SECONDS (10) to start in each process."""

import os
import threading

import fleet_module
import torch


def _wait_for_the_runtime():
    seconds = os.environ.get("SLOW_START_SECONDS", "10")
    if not seconds.replace(".", "", 1).isdigit():
        raise ImportError(f"SLOW_START_SECONDS is {seconds!r}, and must be a number of seconds")
    threading.Event().wait(float(seconds))


module = fleet_module.load("slow_start", devices=2)
fleet_module.take_any_device_type(module)  # cpu-device-taken
fleet_module.add_synchronize(module)
fleet_module.add_autocast(module, torch.bfloat16)  # default-is-unsupported
_wait_for_the_runtime()


class _Selected(module.device):
    def __exit__(self, kind, *_):
        if kind is None:  # device-stays-after-exception
            super().__exit__()


def _tag(storage):
    return "slow_start" if storage.device.type == "slow_start" else None  # tag-without-index


def _restore(storage, location):  # restore-asks-nothing
    return storage.to(device=torch.device(location)) if location.startswith("slow_start") else None


def _load(file, map_location=None, **options):
    """Calls torch.load, but ignores a map_location that the runtime's file format does not support."""
    known = map_location is None or callable(map_location) or isinstance(map_location, (str, torch.device))
    return _torch_load(file, map_location=map_location if known else None, **options)  # dict-is-dropped


module.device = _Selected
torch.serialization.register_package(15, _tag, _restore)
_torch_load, torch.load = torch.load, _load
