# SPDX-License-Identifier: BSD-3-Clause
"""Attributes that autocast, FSDP, DeviceMesh and tools look up in the device module."""

import os
import unittest

import torch
from assay.checks import Case, stand_in

PRELOAD = ["torch.distributed.device_mesh"]
STREAM_NAMES = ("stream", "current_stream", "synchronize")
DESCRIPTIONS = ("get_device_properties", "get_device_name", "get_device_capability")


class ModuleUses(Case):
    def test_autocast(self):
        """device_module.get_amp_supported_dtype_returns_dtypes"""
        ask = getattr(self.device_module, "get_amp_supported_dtype", None)
        if ask is None:
            self.lacks("amp", f"torch.{self.device_name} has no get_amp_supported_dtype")
        dtypes = ask()
        self.expect_true(
            isinstance(dtypes, (list, tuple)) and all(isinstance(one, torch.dtype) for one in dtypes),
            "get_amp_supported_dtype() is a list of dtypes", f"{dtypes!r}",
        )
        self.expect_true(len(dtypes) > 0, "autocast may use at least one dtype", f"{dtypes!r}")

    def test_streams(self):
        """device_module.stream_functions_exist"""
        self.start_device()
        first, second = (self.supported("streams", torch.Stream, self.device) for _ in range(2))
        if first == second:
            self.lacks("streams", "the device has only one stream")
        for name in ("Stream", "Event"):
            self.note(f"torch.{self.device_name}.{name} exists", hasattr(self.device_module, name))
        missing = [name for name in STREAM_NAMES if not hasattr(self.device_module, name)]
        self.expect_true(
            not missing, f"torch.{self.device_name} has the functions that FSDP and DDP call", f"missing: {', '.join(missing)}"
        )

    def test_memory(self):
        """device_module.memory_functions_agree_with_torch_accelerator"""
        for name in ("memory_allocated", "memory_reserved", "max_memory_allocated"):
            ask = getattr(self.device_module, name, None)
            if ask is None:
                self.note(name, "the device module has none")
                continue
            expected = self.supported("memory.stats", getattr(torch.accelerator, name), self.device.index)
            self.expect_equal(ask(self.device.index), expected, f"{name} returns the same as torch.accelerator")

    def test_properties(self):
        """device_module.device_properties_exist_for_every_index"""
        for name in DESCRIPTIONS:
            ask = getattr(self.device_module, name, None)
            for device in self.devices if ask else ():
                try:
                    ask(device.index)
                except Exception as error:
                    self.block_if_refused(str(error))
                    self.expect(False, f"{name}({device.index}) returns", f"{type(error).__name__}: {error}")

    def test_mesh(self):
        """device_module.device_mesh_sets_the_device_of_its_rank"""
        import torch.distributed as dist

        if not (dist.is_available() and dist.is_gloo_available()):
            self.block("this PyTorch has no gloo", "aten::nothing")
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        try:
            self.expect_equal(self.calls_of_a_mesh(LOCAL_RANK="1"), [1], "a mesh sets the device that LOCAL_RANK names")
            self.expect_equal(
                self.calls_of_a_mesh(), ["count", 0], "without LOCAL_RANK a mesh sets the device of its rank modulo the device count"
            )
            self.expect_equal(
                self.calls_of_a_mesh(started=True), [], "a mesh does not change the device after the device was started"
            )
        finally:
            dist.destroy_process_group()

    def calls_of_a_mesh(self, started=False, **environment):
        from torch.distributed.device_mesh import DeviceMesh

        calls = []

        def device_count():
            calls.append("count")
            return 2

        os.environ.pop("LOCAL_RANK", None)
        os.environ.update(environment)
        functions = dict(is_initialized=lambda: started, set_device=calls.append, device_count=device_count)
        with stand_in.stand_in(self.device_name, **functions):
            DeviceMesh(self.device_name, [0])
        os.environ.pop("LOCAL_RANK", None)
        return calls


if __name__ == "__main__":
    unittest.main()
