# SPDX-License-Identifier: BSD-3-Clause
"""Defects of the device module and of torch.accelerator that several backends share.

`shows_face("hostram", "cpu-device-taken", ...)` in a <name>_defects.py shows those of its list by the
functions below.
"""

import torch
from fleet_defects import now, shows


def cpu_device_taken(device):
    with getattr(torch, device).device(torch.device("cpu", 0)):
        assert torch.accelerator.current_device_index() == 0


def host_cache_crashes(device):
    torch.ones(1).to(device).cpu()
    torch.ones(1).pin_memory()
    now()
    torch.accelerator.empty_host_cache()


def pins_nothing(device):
    torch.ones(1).to(device).cpu()
    copy = torch.ones(1).pin_memory()
    assert not copy.is_pinned()


_FUNCTIONS = {
    "cpu-device-taken": (cpu_device_taken, None),
    "host-cache-crashes": (host_cache_crashes, "SIGSEGV"),
    "pins-nothing": (pins_nothing, None),
}


def shows_face(device, *names):
    for name in names:
        function, dies = _FUNCTIONS[name]
        shows(name, dies=dies)(lambda function=function: function(device))
