# SPDX-License-Identifier: BSD-3-Clause
"""The devices on which tensors are created, and operators while another device is current."""

import unittest

import torch
from assay.checks import Case
from assay.values.closeness import each_offered

accelerator = torch.accelerator


class GuardPlacement(Case):
    def ways(self):
        """Ways to create a tensor that every backend must support: (operator, function of the device)."""
        return (
            ("aten::empty.memory_format", lambda where: torch.empty(3, 4, device=where)),
            ("aten::empty_strided", lambda where: torch.empty_strided((3,), (2,), device=where)),
            ("aten::empty.memory_format", lambda where: torch.empty(0, device=where)),
            ("aten::_copy_from", lambda where: torch.ones(3).to(where)),
            ("aten::_copy_from", lambda where: torch.tensor([1.0, 2.0], device=where)),
            ("aten::fill_.Scalar", lambda where: torch.zeros(3, device=where)),
            ("aten::fill_.Scalar", lambda where: torch.full((3,), 2.0, device=where)),
        )

    def expect_made_on(self, tensor, device, what, clause):
        """One clause states on which device the tensor is. Another clause states that this device has an index."""
        self.clause("DEV-034")
        named = self.expect_different(tensor.device.index, None, f"{what}; its device has an index")
        self.clause(clause)
        if named:
            self.expect_on(tensor, device, what)

    def expect_on(self, tensor, device, what):
        self.expect_device(tensor, device, what)
        self.expect_storage(tensor, device, f"{what}; so is its storage")

    def test_bare_device_is_the_current_one(self):
        """guard.device_without_index_is_the_current_device"""
        self.put_device_back()
        for device in self.devices[:2]:
            accelerator.set_device_index(device.index)
            for operator, make in self.ways():
                tensor = self.op(operator, make, self.bare_device)
                what = "a tensor for the device without index is on the current device"
                self.expect_made_on(tensor, device, what, "DEV-027")

    def test_index_is_honoured(self):
        """guard.factories_use_the_given_index"""
        first, second = self.devices[:2]
        accelerator.set_device_index(first.index)
        makers = {f"{name} ({n})": make for n, (name, make) in enumerate(self.ways())}
        for _, tensor in each_offered(self, makers, lambda make: make(second)):
            self.expect_made_on(tensor, second, "a tensor for a device is on that device", "DEV-028")
            self.expect_equal(accelerator.current_device_index(), first.index, "the current device is unchanged")

    def test_bad_index_raises(self):
        """guard.factories_reject_bad_indices"""
        self.put_device_back()
        last = self.devices[-1]
        if len(self.devices) > 1:
            accelerator.set_device_index(last.index)
        count = accelerator.device_count()
        self.clause("DEV-029")
        for index in {count, 127} - set(range(count)):
            self.expect_raises(
                (RuntimeError, ValueError),
                f"torch.empty on index {index} raises if deviceCount() is {count}",
                self.empty_sample,
                4,
                f"{self.device_name}:{index}",
            )
        self.clause("DEV-033")
        self._wrapped_index(count)
        self.clause("DEV-029")
        tensor = self.op("aten::empty.memory_format", self.empty_sample, 4, last)
        self.expect_device(tensor, last, "a factory works after a factory with a bad index has raised")
        self.expect_equal(accelerator.current_device_index(), last.index, "a factory that raises does not change the current device")

    def _wrapped_index(self, count):
        """PyTorch truncates indices to int8: 128 becomes negative, and 256 becomes 0."""
        for index in (128, 255, 256):
            try:
                tensor = self.empty_sample(4, torch.device(self.device_name, index))
            except (RuntimeError, ValueError, TypeError):
                continue
            seen = tensor.device.index
            self.expect_true(
                seen is not None and 0 <= seen < count,
                f"index {index} is refused, or PyTorch truncates it to a device that exists",
                f"the tensor is on {tensor.device}",
            )

    def test_operators_elsewhere(self):
        """guard.operators_are_exact_while_another_device_is_current"""
        first, second = self.devices[:2]
        values = torch.arange(24.0)
        grows = self.in_child(lambda: self.grows_here(values))
        self.note("resize_ works on the current device", grows)
        empties = self.in_child(lambda: self.empties_here(values))
        accelerator.set_device_index(first.index)
        self.op("aten::fill_.Scalar", self.on_device(values).fill_, 7)  # here the tensor is on the current device
        self.on_cpu(self.on_device(values))
        self.ask_special_cases()
        tensor = self.on_device(values, 1)
        self.expect_tensor(tensor, values, "copies work with another device current")
        self.op("aten::fill_.Scalar", tensor.fill_, 7)
        self.expect_tensor(tensor, torch.full_like(values, 7), "fill_ works with another device current")
        if grows:
            self.op("aten::resize_", tensor.resize_, 4000)
            self.expect_on(tensor, second, "resize_ leaves a tensor on its device")
            self.expect_tensor(tensor[:24], torch.full_like(values, 7), "resize_ keeps the contents of the tensor")
        if empties:
            self.op("aten::set_", tensor.set_)
            self.expect_on(tensor, second, "set_() leaves a tensor on its device")
        what = "none of copy, fill_, resize_ and set_ changes the current device"
        self.expect_equal(accelerator.current_device_index(), first.index, what)

    def grows_here(self, values):
        """Calls resize_ on the current device. If that fails, a failure on another device says nothing."""
        accelerator.set_device_index(self.device.index)
        grown = self.on_device(values).resize_(4000)
        return torch.equal(grown[:24].cpu(), values)

    def empties_here(self, values):
        accelerator.set_device_index(self.device.index)
        return self.on_device(values).set_().numel() == 0

    def failing(self, first, other):
        """Calls that must fail. Other checks test that these calls raise."""
        vector = self.on_device(torch.arange(6.0), self.devices.index(other))
        matrix = self.on_device(torch.ones(2, 3), self.devices.index(other))

        def event_of(device):
            with accelerator.device_index(device.index):
                event = torch.Event(device, enable_timing=True)
                event.record()
                event.synchronize()
            return event

        return {
            "view of another size": lambda: vector.view(4, 4),
            "copy_ of another size": lambda: vector.copy_(torch.ones(5)),
            "add of another size": lambda: vector + vector[:4],
            "mm of shapes that do not fit": lambda: torch.mm(matrix, matrix),
            "cat of shapes that do not fit": lambda: torch.cat((matrix, matrix[:, :2])),
            "an index out of range": lambda: matrix[5],
            "a factory with a negative size": lambda: torch.empty(-1, device=other),
            "empty_strided with a negative stride": lambda: torch.empty_strided((3,), (-1,), device=other),
            "a factory that cannot pin": lambda: torch.empty(3, device=other, pin_memory=True),
            "elapsed_time of events of two devices": lambda: event_of(other).elapsed_time(event_of(first)),
            "elapsed_time of these events in reverse order": lambda: event_of(first).elapsed_time(event_of(other)),
            # This call is the last one: if a failed call leaks memory (ALLOC-018), no later call can allocate.
            "a factory beyond all memory": lambda: torch.empty((1 << 46) + 4096, device=other),
        }

    def test_error_leaves_all_as_it_was(self):
        """guard.failing_operator_keeps_device_and_stream"""
        first, other = self.devices[0], self.devices[-1]
        accelerator.set_device_index(first.index)
        stream = accelerator.current_stream()
        raised = [
            name
            for name, call in self.failing(first, other).items()
            if self.leaves_all_as_it_was(name, call, first, stream)
        ]
        self.note("calls that raised", ", ".join(raised))

    def leaves_all_as_it_was(self, name, call, first, stream):
        """Returns whether the call raised. A call that raises must not change the current device and stream."""
        try:
            call()
        except Exception:
            self.expect_equal(
                accelerator.current_device_index(),
                first.index,
                f"{name} raises and leaves the current device unchanged",
            )
            accelerator.set_device_index(first.index)
            self.expect_equal(
                accelerator.current_stream(), stream, f"{name} raises and leaves the current stream unchanged"
            )
            if not name.endswith("memory"):
                values = self.sample(6)
                self.expect_tensor(self.on_device(values), values, f"an operator after {name} works")
            return True
        return False

    def sweep(self, calls):
        """Runs each call on the first device and, if that works, on the second."""
        first, second = self.devices[:2]
        accelerator.set_device_index(first.index)
        served, refused = [], {}
        for name, call in calls:
            try:
                if _of_elements(call(first)) is None:
                    continue
            except Exception as error:
                refused[name] = error, self.refused_means(error) or name
                continue
            tensor = _result(call, second)
            served.append(name)
            what = f"the result of {name} for a device is on that device"
            if tensor is None:
                self.expect(False, what, f"it works on {first} and raises on {second}")
            elif tensor.device.type == self.device_name:
                self.expect_device(tensor, second, what)
                self.expect_storage(tensor, second, f"{what}, as is its storage")
            self.expect_equal(
                accelerator.current_device_index(), first.index, f"{name} leaves the current device unchanged"
            )
            accelerator.set_device_index(first.index)
        self.note("served", f"{len(served)}: {', '.join(served)}")
        self.undecided_if_mostly_refused(refused, [*served, *refused])

    def expect_storage(self, tensor, device, what):
        """If the tensor has no storage, only its device is checked."""
        try:
            storage = tensor.untyped_storage()
        except (RuntimeError, NotImplementedError):
            return
        self.expect_equal(storage.device, device, what)

    def test_every_factory(self):
        """guard.every_factory_uses_the_given_index"""
        self.sweep(_factories())


# A value for each type of argument without a default. Two numbers in a row are the bounds of a range.
_VALUES = {"int": 3, "List[int]": [3], "number": 2, "float": 0.5, "bool": True}
_NAMED = {"end": 7, "stride": [1], "physical_layout": [0]}


def _factories():
    """(name, function of a device) of all public operators that create a tensor from numbers only."""
    for schema in torch._C._jit_get_all_schemas():
        names = [argument.name for argument in schema.arguments]
        public = schema.name.startswith("aten::") and not schema.name.startswith("aten::_")
        if public and "device" in names and not {"names", "generator"} & set(names):
            call = _factory(schema)
            if call is not None and _result(call, torch.device("cpu")) is not None:
                yield f"{schema.name}.{schema.overload_name}".rstrip("."), call


def _factory(schema):
    operator = getattr(torch.ops.aten, schema.name.removeprefix("aten::"), None)
    overload = getattr(operator, schema.overload_name or "default", None)
    needed = [one for one in schema.arguments if not one.has_default_value()]
    values = {one.name: _NAMED.get(one.name, _VALUES.get(str(one.type))) for one in needed}
    if overload is None or None in values.values():
        return None
    return lambda device: overload(**values, device=device)


def _result(call, device):
    """Returns the tensor that the call creates, or None if this tensor has no elements or the call raises."""
    try:
        return _of_elements(call(device))
    except Exception:
        return None


def _of_elements(tensor):
    whole = isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided
    return tensor if whole and tensor.numel() > 0 else None


if __name__ == "__main__":
    unittest.main()
