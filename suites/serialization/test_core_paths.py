# SPDX-License-Identifier: BSD-3-Clause
"""Code of PyTorch itself that affects the users of a backend. The clauses have `subject: core`, and patched functions
of PyTorch prove that the checks can fail."""

import codecs
import unittest
from unittest import mock

import torch
from suites.serialization.checkpoint import Saving, saved

COUNTED = torch.arange(12.0)


class Old:
    """A value in the form in which old versions of a backend pickled their tensors."""

    def __init__(self, values, device):
        self.state = (values, torch.float32, device, False)

    def __reduce__(self):
        return torch._utils._rebuild_device_tensor_from_numpy, self.state


def restored(tag):
    return torch.serialization.default_restore_location(COUNTED.clone().untyped_storage(), tag)


class CorePaths(Saving):
    def refused(self, what, words, tag=None):
        error = self.expect_raises(RuntimeError, what, restored, tag or str(self.device))
        self.expect_true(words in str(error), f"{what} with a clear message", str(error))

    def test_no_module(self):
        """serialization.load_without_the_device_module_raises"""
        module = self.device_module
        delattr(torch, self.device_name)
        try:
            self.refused(
                "loading without a device module is refused",
                f"The {self.device_name.upper()} device module is not registered.",
            )
            self.expect_raises(
                AssertionError, "moving a storage without a device module is refused",
                COUNTED.clone().untyped_storage().to, device=self.device,
            )
        finally:
            setattr(torch, self.device_name, module)

    def test_unavailable(self):
        """serialization.load_on_an_unavailable_device_raises"""
        with mock.patch.object(self.device_module, "is_available", lambda: False, create=True):
            self.refused(
                "loading while the device is not available is refused",
                f"Attempting to deserialize object on a {self.device_name.upper()} device",
            )

    def test_own_index(self):
        """serialization.device_module_determines_the_loaded_index"""
        self.need_moving_storages()
        utils = mock.Mock()
        utils._get_device_index.return_value = self.devices[-1].index
        with mock.patch.object(self.device_module, "_utils", utils, create=True):
            placed = restored(str(self.device))
        self.expect_device(placed, self.devices[-1], "_utils._get_device_index decides the index")

    def test_registered_first(self):
        """serialization.package_with_the_lower_priority_number_is_used"""
        self.need_tensors_with_storage()
        registry = torch.serialization._package_registry
        built_in = {priority for priority, _, _ in registry}
        self.expect_true(23 in built_in, "the built-in entry has priority 23", f"{built_in}")
        with mock.patch.object(torch.serialization, "_package_registry", list(registry)):
            torch.serialization.register_package(
                min(built_in) - 1, lambda storage: "assay" if storage.device == self.device else None,
                lambda storage, tag: storage if tag == "assay" else None,
            )
            tag = torch.serialization.location_tag(self.counting().untyped_storage())
        self.expect_equal(tag, "assay", "an entry with a lower priority number is used")

    def test_old_name(self):
        """serialization.location_tag_from_before_the_rename_is_rejected"""
        if self.device_name == "privateuseone":
            self.does_not_apply("the backend was not renamed")
        self.refused("a location tag from before the rename is refused", "don't know how to restore", "privateuseone:0")

    def test_no_storage(self):
        """serialization.tensor_without_storage_is_saved"""
        self.need_core_pickling()
        tensor = self.counting()
        with mock.patch.object(torch._C, "_has_storage", lambda _: False):
            self.clause("SER-020")
            buffer = saved(tensor)
            self.clause("SER-021")
            with torch.serialization.skip_data():
                error = self.expect_raises(RuntimeError, "skip_data refuses a tensor without storage", saved, tensor)
        self.expect_true("no storage" in str(error), "the error names the reason", str(error))
        self.clause("SER-020")
        loaded = torch.load(buffer, weights_only=False)
        self.expect_device(loaded, self.device, "a tensor without storage is loaded on its device")
        self.expect_tensor(loaded, COUNTED, "the loaded tensor has its values")

    def test_skip_data(self):
        """serialization.skip_data_keeps_the_shape"""
        self.need_tensors_with_storage()
        saved(self.counting())
        self.ask_special_cases()
        with torch.serialization.skip_data():
            buffer = saved(self.counting())
        loaded = torch.load(buffer)
        self.expect_device(loaded, self.device, "a tensor that was saved under skip_data is loaded on its device")
        self.expect_equal(tuple(loaded.shape), (12,), "the loaded tensor has its shape")

    def test_from_numpy(self):
        """serialization.old_numpy_files_load"""
        try:
            import numpy

            values = COUNTED.numpy()
        except (ImportError, RuntimeError) as error:
            self.does_not_apply(f"no NumPy: {error}")
        buffer = saved(Old(values, str(self.device)))
        rebuild = values.__reduce__()[0]  # NumPy has moved this function between releases
        allowed = [numpy.ndarray, numpy.dtype, type(values.dtype), codecs.encode, rebuild]
        with torch.serialization.safe_globals(allowed):
            loaded = torch.load(buffer, weights_only=True)
        self.expect_device(loaded, self.device, "a tensor of an old file is loaded on its device")
        self.expect_tensor(loaded, COUNTED, "the loaded tensor has its values")


if __name__ == "__main__":
    unittest.main()
