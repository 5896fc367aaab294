# SPDX-License-Identifier: BSD-3-Clause
"""A backend with two devices in another process, which starts at the first use. Also names the devices in files."""

import atexit
import sys
from pathlib import Path

import fleet_module
import torch

module = fleet_module.load("remote_memory", devices=2)
_link = torch.ops.remote_memory
_link.serve_with(sys.executable, str(Path(__file__).resolve().parent / "remote_memory_server.py"))
atexit.register(_link.disconnect)  # otherwise the server would wait for the last thread of this process

fleet_module.add_streams(module)
module.stream = lambda stream: stream  # no-stream-is-no-block
fleet_module.add_generators(module)  # _is_in_bad_fork() always returns false: no-bad-fork
fleet_module.add_autocast(module, torch.bfloat16)  # default-type-not-offered
module.is_initialized = _link.is_connected


def _tag(storage):
    return "remote_memory" if storage.device.type == "remote_memory" else None  # location-without-index


def _restore(storage, location):
    return storage.to(device="remote_memory") if location.startswith("remote_memory") else None


torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
torch.serialization.register_package(15, _tag, _restore)
