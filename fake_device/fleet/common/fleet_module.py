# SPDX-License-Identifier: BSD-3-Clause
"""The device module of a backend: `torch.<name>` without defects.

A package of the fleet calls `load`, adds the parts that its design supports, and replaces or deletes the parts with
defects. The build copies this file into each package.
"""

import contextlib
import types
from pathlib import Path

import torch


class DeviceModule(types.ModuleType):
    """The mandatory part: counts and selects devices."""

    def __init__(self, name, devices):
        super().__init__(f"torch.{name}", f"The device module of {name}.")
        self._name, self._devices = name, devices
        self.device = type("device", (_Selected,), {"module": self})
        self.current_device = torch.accelerator.current_device_index

    def is_available(self):
        return True

    def is_initialized(self):
        return True

    def device_count(self):
        return self._devices

    def set_device(self, device):
        torch.accelerator.set_device_index(self._index(device))

    def _index(self, device=None):
        """Converts a user's argument to an index. An argument without an index means the current device, as in
        torch.cuda."""
        if isinstance(device, int):
            return device
        device = torch.device(device if isinstance(device, (str, torch.device)) else self._name)
        if device.type != self._name:
            raise ValueError(f"{self._name}: {device} is another device")
        return self.current_device() if device.index is None else device.index


class _Selected:
    """`with torch.<name>.device(1):`"""

    def __init__(self, device):
        self._index = self.module._index(device)

    def __enter__(self):
        self._before = self.module.current_device()
        self.module.set_device(self._index)
        return self

    def __exit__(self, *_exception):
        self.module.set_device(self._before)


class OneDeviceModule(DeviceModule):
    """The device module of a backend in Python that has one device and no guard of its own."""

    def __init__(self, name):
        super().__init__(name, 1)
        self.current_device = lambda: 0

    def set_device(self, device):
        if self._index(device) not in (0, -1):
            raise ValueError(f"{self._name}: there is one device, which is {self._name}:0, and no {device}")


def library(name):
    """Path of the library that is built from the backend's C++."""
    return Path(__file__).resolve().parents[2] / f"lib/fleet/{name}.so"


def load(name, devices):
    """Loads the library, names the device and registers its device module."""
    torch.ops.load_library(library(name))
    torch.utils.rename_privateuse1_backend(name)
    module = DeviceModule(name, devices)
    torch._register_device_module(name, module)
    return module


def take_any_device_type(module):
    """A defect of several backends: torch.device("cpu", 1) is accepted as device 1 (cpu-device-taken)."""

    def index_of(device=None):
        index = torch.device(device).index if isinstance(device, (str, torch.device)) else device if isinstance(device, int) else None
        return module.current_device() if index is None else index

    module._index = index_of


def add_synchronize(module):
    module.synchronize = lambda device=None: torch.accelerator.synchronize(module._index(device))


def add_streams(module):
    add_synchronize(module)
    module.current_stream = lambda device=None: torch.accelerator.current_stream(module._index(device))
    module.stream = lambda stream: contextlib.nullcontext() if stream is None else stream
    module.Stream, module.Event = torch.Stream, torch.Event


def add_generators(module, generator=None):
    """Adds functions for random states. `generator(index)` returns the default generator of a device."""
    generator = generator or torch.ops.fleet.default_generator

    def of(device=None):
        return generator(module._index(device))

    def every():
        return [generator(index) for index in range(module.device_count())]

    module._initialized = True  # torch.utils.checkpoint saves the random state of a module with this attribute
    module._is_in_bad_fork = lambda: False
    module.manual_seed = lambda seed: of().manual_seed(int(seed))
    module.manual_seed_all = lambda seed: [one.manual_seed(int(seed)) for one in every()]
    module.seed = lambda: of().seed()
    module.initial_seed = lambda: of().initial_seed()
    module.get_rng_state = lambda device=None: of(device).get_state()
    module.set_rng_state = lambda state, device=None: of(device).set_state(state)
    module.get_rng_state_all = lambda: [one.get_state() for one in every()]
    module.set_rng_state_all = lambda states: [one.set_state(state) for one, state in zip(every(), states)]


def add_autocast(module, *dtypes):
    """Adds the dtypes for torch.autocast. torch.utils.checkpoint also uses these dtypes."""
    module.get_amp_supported_dtype = lambda: list(dtypes)
