# SPDX-License-Identifier: BSD-3-Clause
"""torch.save and torch.load of device tensors: every property must be restored."""

import unittest
from unittest import mock

import torch
from assay.checks.memory_in_use import bytes_in_use
from suites.serialization.checkpoint import Saving, reloaded, saved

DTYPES = (
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32,
    torch.int16, torch.int8, torch.uint8, torch.bool, torch.complex64, torch.complex128,
)
REFUSED = (RuntimeError, TypeError)


class SaveLoad(Saving):
    def expect_same(self, seen, original, what):
        self.expect_device(seen, original.device, f"{what} is on the device it was saved from")
        self.expect_dtype(seen, original.dtype, f"{what} keeps its dtype")
        self.expect_equal(tuple(seen.shape), tuple(original.shape), f"{what} keeps its shape")
        self.expect_equal(seen.stride(), original.stride(), f"{what} keeps its strides")
        self.expect_equal(seen.requires_grad, original.requires_grad, f"{what} keeps requires_grad")
        self.expect_tensor(seen, original, f"{what} keeps its values")

    def test_location_tag(self):
        """serialization.location_tag_names_the_device"""
        self.need_tensors_with_storage()
        for device in self.devices:
            storage = self.op("aten::empty", torch.empty, 2, device=device).untyped_storage()
            self.expect_equal(
                torch.serialization.location_tag(storage), str(device),
                "the location tag of a storage is name:index of its device",
            )

    def test_plain(self):
        """serialization.plain_tensor_round_trips"""
        tensor = self.counting()
        try:
            loaded = reloaded(tensor)
        except Exception as error:
            if not self.refusal_in(error):
                raise
            self.lacks("serialization", f"{type(error).__name__}: {str(error).splitlines()[0]}")
        self.expect_equal(loaded.device.type, self.device_name, "a loaded tensor is on the device")
        self.expect_tensor(loaded, torch.arange(12.0), "the loaded tensor has its values")

    def things(self):
        """Objects that programs save, by name."""
        plain, leaf = self.counting(), self.counting().requires_grad_()
        layer = torch.nn.Linear(2, 3).to(self.device)
        return {"a tensor": plain, "a tensor that requires grad": leaf,
                "a Parameter": torch.nn.Parameter(self.counting()), "a state dict": layer.state_dict(),
                "a list with one tensor twice": [plain, plain], "a module's Parameters": [*layer.parameters()]}

    def test_loads_what_it_saved(self):
        """serialization.saved_files_can_be_loaded"""
        for name, thing in self.things().items():
            try:
                file = saved(thing)
            except Exception as error:
                self.note(name, f"saving is refused: {error}")
                continue
            self.expect_loads(name, file)

    def expect_loads(self, name, file):
        """Returns the loaded object, or None after a refusal in PyTorch's own words. Any other error is a failure,
        because users would meet it only when they need the file."""
        try:
            torch.load(file)
        except Exception as error:
            clean = self.refusal_in(error)
            first = f"{type(error).__name__}: {str(error).splitlines()[:1]}"
            self.note(name, f"loading is refused: {first}")
            self.expect_true(clean, f"{name} that was saved can be loaded, or saving it is refused", first)

    def test_round_trip(self):
        """serialization.round_trip_keeps_strides_and_requires_grad"""
        plain = self.counting()
        self.expect_same(reloaded(plain), plain, "a loaded tensor")
        self.ask_special_cases()
        wanting = self.counting().requires_grad_()
        self.expect_same(reloaded(wanting), wanting, "a loaded tensor that requires grad")
        self.expect_same(reloaded(self.transposed()), self.transposed(), "a loaded view")
        scalar = self.on_device(torch.tensor(7.5))
        self.expect_same(reloaded(scalar), scalar, "a loaded scalar")
        nothing = self.op("aten::empty", torch.empty, (0, 3), device=self.device)
        self.expect_same(reloaded(nothing), nothing, "a loaded tensor without elements")

    def test_dtypes(self):
        """serialization.every_dtype_round_trips"""
        for dtype in DTYPES:
            try:
                tensor = self.counting(dtype=dtype)
            except REFUSED as error:
                self.note(f"{dtype}", f"not supported by this device: {error}"[:80])
                continue
            self.expect_same(reloaded(tensor), tensor, f"a loaded {dtype} tensor")

    def test_shared_storage(self):
        """serialization.shared_storage_stays_shared"""
        whole = self.counting()
        part = self.op("aten::as_strided", whole.as_strided, (4,), (1,), 3)
        loaded_whole, loaded_part = reloaded([whole, part])
        self.expect_tensor(loaded_part, self.on_cpu(part), "a loaded view keeps its values")
        self.expect_equal(loaded_part.storage_offset(), 3, "a loaded view keeps its offset")
        self.op("aten::fill_", loaded_part.fill_, 63)
        written = torch.arange(12.0)
        written[3:7] = 63
        what = "tensors that share a storage share one after loading"
        self.expect_tensor(loaded_whole, written, what)

    def test_each_device(self):
        """serialization.tensors_return_to_their_device"""
        for number, device in enumerate(self.devices[:2]):
            tensor = self.counting(number=number)
            self.clause("SER-002")
            loaded = reloaded(tensor)
            self.clause("SER-001")
            self.expect_device(loaded, device, f"a tensor of device {device.index} is saved with the location tag of that device")
            self.clause("SER-002")
            self.expect_same(loaded, tensor, f"a tensor of device {device.index}")

    def test_weights_only(self):
        """serialization.weights_only_load_accepts_state_dicts"""
        parameter = torch.nn.Parameter(self.counting())
        thing = {"weight": parameter, "buffer": self.transposed(), "step": 3}
        try:
            loaded = torch.load(saved(thing), weights_only=True)
        except Exception as error:
            self.expect(False, "a state dict of device tensors loads with weights_only=True",
                        f"{type(error).__name__}: {str(error)[:300]}")
            return
        self.expect_equal(type(loaded["weight"]), type(parameter), "a Parameter is loaded as a Parameter")
        for name in ("weight", "buffer"):
            self.expect_equal(loaded[name].device.type, self.device_name, f"a loaded {name} is on the device")
            self.expect_tensor(loaded[name], thing[name], f"a loaded {name} keeps its values")

    def test_legacy(self):
        """serialization.legacy_format_round_trips"""
        self.need_core_pickling()
        self.need_tensors_with_storage()  # without a storage, PyTorch creates the tensor before it has read the file
        for tensor in (self.counting(), self.transposed()):
            buffer = saved(tensor, _use_new_zipfile_serialization=False)
            self.expect_same(torch.load(buffer), tensor, "a tensor from a file of the old format")

    def test_save_waits(self):
        """serialization.saving_waits_for_pending_kernels"""
        tensor = self.op("aten::empty", torch.empty, 1000, device=self.device)
        self.op("aten::fill_", tensor.fill_, 3)
        read, copies = torch.UntypedStorage.cpu, []

        def keep(storage):
            """Keeps the copied memory alive, because a late copy to freed memory would kill the process."""
            copies.append(read(storage))
            return copies[-1]

        with mock.patch.object(torch.UntypedStorage, "cpu", keep):
            saved(tensor)  # lazy initialization happens here
            with self.held(torch.accelerator.current_stream(self.device)):
                tensor.fill_(63)
                self.expect_tensor(
                    torch.load(saved(tensor), map_location="cpu"), torch.full((1000,), 63.0),
                    "saving waits for the kernels that write the tensor",
                )
            torch.accelerator.synchronize(self.device)

    def test_memory(self):
        """serialization.saving_does_not_leak_memory"""

        def step():
            reloaded({"weight": self.counting(1000)})

        step()
        before = bytes_in_use(self)
        for _ in range(20):
            step()
        self.expect_equal(bytes_in_use(self), before, "the memory in use after 20 saves and loads is that after one")

    def test_refused_save(self):
        """serialization.failed_save_changes_nothing"""
        tensor, path = self.counting(), self.file()
        things = [tensor, lambda: 0]
        self.expect_raises(Exception, "an object that cannot be pickled is refused", torch.save, things, path)
        same = things[0] is tensor
        self.expect_true(same, "a refused save does not change the caller's list", f"the list contains a tensor on {things[0].device}")
        self.expect_tensor(tensor, torch.arange(12.0), "a refused save does not change the tensor")


if __name__ == "__main__":
    unittest.main()
