# SPDX-License-Identifier: BSD-3-Clause
"""The DeviceInterface, through which torch._dynamo and Inductor use the device."""

import torch
from assay.checks import Case
from suites.compile.interfaces import core, interface_of, without_interfaces

PRELOAD = ("torch._dynamo",)


class DeviceInterface(Case):
    def device_to_start_from(self):
        self.put_device_back()
        self.start_device()
        torch.accelerator.set_device_index(self.device.index)

    def answer(self, name, call):
        """Returns call(). The methods of the base class raise NotImplementedError, which violates COMP-002 here."""
        try:
            return call()
        except NotImplementedError as error:
            self.expect(False, f"the interface implements {name}()", f"raised NotImplementedError {error}")
            return None

    def test_registration(self):
        """compile.registered_interface_is_found_by_its_device"""

        class Own(core().DeviceInterface):
            pass

        find, register = core().get_interface_for_device, core().register_interface_for_device
        with without_interfaces(self.device_name):
            self.clause("COMP-001")
            error = self.expect_raises(NotImplementedError, "a device without an interface is not found", find, self.device_name)
            self.expect_equal(str(error), f"No interface for device {self.device_name}", "the error names the device")
            register(self.device_name, Own)
            self.expect_equal(find(self.device_name), Own, "the interface is found by the name of the device")
            self.clause("COMP-029")
            self.expect_equal(find(torch.device(self.device_name, 1)), Own, "the interface is found by a device with an index")
            what = "a string with an index is another key"
            self.expect_raises(NotImplementedError, what, find, f"{self.device_name}:1")
            register(f"{self.device_name}:1", Own)
            self.expect_equal(find(f"{self.device_name}:1"), Own, "the string with an index is found once it is registered")

    def test_is_registered(self):
        """compile.device_interface_is_registered"""
        interface = interface_of(self)
        is_one = isinstance(interface, type) and issubclass(interface, core().DeviceInterface)
        self.expect_true(is_one, "the interface is a class that derives from DeviceInterface", repr(interface))

    def test_methods(self):
        """compile.interface_answers_like_the_accelerator"""
        interface = interface_of(self)
        self.device_to_start_from()
        last = self.devices[-1]
        torch.accelerator.set_device_index(last.index)
        questions = {
            "current_device": (interface.current_device, last.index),
            "device_count": (interface.device_count, torch.accelerator.device_count()),
            "is_available": (interface.is_available, True),
            "synchronize": (interface.synchronize, None),
            "Worker.current_device": (interface.Worker.current_device, last.index),
        }
        for name, (call, wanted) in questions.items():
            self.expect_equal(self.answer(name, call), wanted, f"{name}() of the interface")
        interface.set_device(self.device.index)
        self.expect_equal(torch.accelerator.current_device_index(), self.device.index, "set_device() makes its device current")
        interface.Worker.set_device(last.index)
        self.expect_equal(interface.Worker.current_device(), last.index, "Worker.set_device() sets the device of the worker")
        self.expect_equal(torch.accelerator.current_device_index(), self.device.index, "Worker.set_device() switches no device")

    def test_exchange(self):
        """compile.interface_exchanges_devices"""
        interface, (first, second) = interface_of(self), [one.index for one in self.devices[:2]]
        self.device_to_start_from()
        current = torch.accelerator.current_device_index
        for name in ("exchange_device", "maybe_exchange_device"):
            exchange = getattr(interface, name)
            self.expect_equal(exchange(second), first, f"{name}() returns the previous index")
            self.expect_equal(current(), second, f"{name}() makes its device current")
            self.expect_equal(exchange(second), second, f"{name}() of the current device returns it")
            self.expect_equal(exchange(first), second, f"{name}() returns the index before it")
        interface.exchange_device(second)
        interface.maybe_exchange_device(-1)
        self.expect_equal(current(), second, "maybe_exchange_device(-1) changes nothing")
        interface.exchange_device(first)
        with core().DeviceGuard(interface, second):
            inside = current()
        self.expect_equal((inside, current()), (second, first), "a DeviceGuard of the interface switches and restores")
        with core().DeviceGuard(interface, None):
            inside = current()
        self.expect_equal((inside, current()), (first, first), "a DeviceGuard without an index changes nothing")

    def test_streams(self):
        """compile.interface_classes_derive_from_those_of_torch"""
        interface = interface_of(self)
        for name in ("Stream", "Event"):
            own, base = getattr(interface, name), getattr(torch, name)
            derived = isinstance(own, type) and issubclass(own, base)
            self.expect_true(derived, f"{name} of the interface derives from torch.{name}", repr(own))

    def test_raw_stream(self):
        """compile.interface_returns_raw_streams"""
        interface = interface_of(self)
        self.device_to_start_from()
        for device in self.devices:
            raw = interface.get_raw_stream(device.index)
            self.expect_true(isinstance(raw, int), f"get_raw_stream({device.index}) returns an int", repr(raw))
            self.expect_equal(interface.get_raw_stream(device.index), raw, "a second call returns the same stream")

    def test_workers(self):
        """compile.worker_properties_need_no_device"""
        interface = interface_of(self)
        self.device_to_start_from()

        def types():
            return [type(interface.Worker.get_device_properties(device.index)).__name__ for device in self.devices]

        interface.Worker.get_device_properties()  # as PyTorch does before it forks workers
        wanted, what = types(), "Worker.get_device_properties() works in a compile worker"
        seen = self.forked(types, what)
        self.require(self.expect_true("error" not in seen, what, f"{seen.get('error')}: {seen.get('text')}"))
        self.expect_equal(seen["value"], wanted, "a worker has the properties of its parent")

    def test_dtypes(self):
        """compile.interface_says_which_dtypes_are_supported"""
        interface = interface_of(self)
        for dtype in (torch.bfloat16, torch.float32):
            said = self.answer("is_dtype_supported", lambda: interface.is_dtype_supported(dtype))
            self.expect_true(isinstance(said, bool), f"is_dtype_supported({dtype}) returns a bool", repr(said))
        said = self.answer("is_bf16_supported", interface.is_bf16_supported)
        self.note("is_bf16_supported()", said)
        if said:
            self.ask_special_cases()
            made = torch.empty(2, dtype=torch.bfloat16, device=self.device)
            self.expect_dtype(made, torch.bfloat16, "if bfloat16 is supported, a bfloat16 tensor can be created")

    def test_triton(self):
        """compile.interface_without_triton_refuses_it"""
        interface = interface_of(self)
        capable = interface.is_triton_capable()
        self.require(self.expect_true(isinstance(capable, bool), "is_triton_capable() returns a bool", repr(capable)))
        self.note("is_triton_capable()", capable)
        if not capable:
            what = "without Triton, raise_if_triton_unavailable() raises"
            self.expect_raises(RuntimeError, what, interface.raise_if_triton_unavailable)
