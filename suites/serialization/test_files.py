# SPDX-License-Identifier: BSD-3-Clause
"""Files and modules: memory-mapped files, state dicts, TorchScript, distributed checkpoints, and a process without the
backend."""

import os
import subprocess
import sys
import unittest
import warnings

import torch
from assay.host import SAFE
from suites.serialization.checkpoint import Saving

COUNTED = torch.arange(12.0)
LOAD_WITHOUT_BACKEND = """
import sys, torch
seen = torch.load(sys.argv[1], map_location="cpu")
assert seen.device.type == "cpu" and seen.tolist() == list(range(12)), seen
try:
    torch.load(sys.argv[1])
except RuntimeError as error:
    assert "don't know how to restore data location" in str(error), error
    assert sys.argv[2] in str(error), error
else:
    raise AssertionError("loaded without map_location and without a backend")
"""


class Affine(torch.nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.weight = torch.nn.Parameter(weight)

    def forward(self, x):
        return x + self.weight


class Files(Saving):
    def test_without_backend(self):
        """serialization.file_loads_on_the_cpu_without_the_backend"""
        self.need_tensors_with_storage()  # without a storage, PyTorch itself writes the device into the file
        path, tensor = self.file(), self.counting()
        torch.save(tensor, path)
        done = subprocess.run(
            [sys.executable, *SAFE, "-c", LOAD_WITHOUT_BACKEND, path, str(tensor.device)],
            env={**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}, capture_output=True, text=True,
        )
        self.expect_equal(
            done.returncode, 0,
            "a saved file loads with map_location='cpu' where the backend is not installed, and "
            f"is refused clearly without ({done.stderr.strip()[-300:]})",
        )

    def test_mapped(self):
        """serialization.memory_mapped_load_restores_the_values"""
        self.need_moving_storages()
        path = self.file()
        torch.save({"a": COUNTED.clone(), "b": torch.arange(100000)}, path)
        loaded = torch.load(path, mmap=True, map_location=str(self.device))
        os.remove(path)
        self.expect_device(loaded["a"], self.device, "map_location applies to a mapped file")
        self.expect_tensor(loaded["a"], COUNTED, "a mapped file has the saved values")
        self.expect_tensor(loaded["b"], torch.arange(100000), "the values remain after the file was deleted")

    def test_file_view(self):
        """serialization.views_of_mapped_files_copy_exactly"""
        path, raw = self.file(), bytearray((COUNTED - 20).to(torch.int32).view(torch.uint8).tolist())
        with open(path, "wb") as file:
            file.write(raw)
        views = (
            torch.from_file(path, size=12, dtype=torch.int32)[3:11],
            torch.frombuffer(raw, dtype=torch.int32, offset=12, count=8),
        )
        expected = torch.arange(-17, -9, dtype=torch.int32)
        for view in views:
            moved = self.op("aten::_copy_from", view.to, self.device)
            self.expect_tensor(moved, expected, "a view of a file or buffer is copied exactly")
            self.op("aten::fill_", moved.fill_, 0)
            self.expect_tensor(view, expected, "a write to the copy does not change the file or buffer")

    def test_state_dict(self):
        """serialization.state_dict_loads_in_both_directions"""
        matrix = COUNTED.reshape(4, 3).t()
        blank = torch.zeros(3, 4)
        for assign in (False, True):
            for here, there in (("cpu", self.device), (self.device, "cpu")):
                module = Affine(blank.clone().to(here))
                values = matrix if there == "cpu" else self.transposed_on_device()
                module.load_state_dict({"weight": values}, assign=assign)
                place = torch.device(there if assign else here)
                way = f"load_state_dict(assign={assign}) from {there} into a module on {here}"
                self.expect_device(module.weight, place, way)
                self.expect_tensor(module.weight, matrix.contiguous(), way)

    def transposed_on_device(self):
        flat = self.on_device(COUNTED.clone())
        return self.op("aten::as_strided", flat.as_strided, (3, 4), (1, 3), 0)

    def test_script(self):
        """serialization.script_module_round_trips"""
        self.need_moving_storages()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # TorchScript is deprecated
            for device in self.devices[:2]:
                module = torch.jit.script(Affine(COUNTED.clone().to(device)))
                path = self.file()
                torch.jit.save(module, path)
                same = torch.jit.load(path)
                to_cpu = torch.jit.load(path, map_location="cpu")
                self.expect_device(same.weight, device, "a scripted module is loaded on its device")
                self.expect_tensor(same.weight, COUNTED, "its parameters keep their values")
                self.expect_device(to_cpu.weight, torch.device("cpu"), "map_location is honoured")
                self.expect_tensor(to_cpu.weight, COUNTED, "its parameters keep their values")

    refusal = None

    def test_distributed_checkpoint(self):
        """serialization.distributed_checkpoint_round_trips"""
        from torch.distributed import checkpoint

        state = {"a": self.counting(), "b": self.transposed()}
        self.add_to_each(state, 1)
        self.checkpointed(state)  # lazy initialization happens here
        with self.held_if_offered(torch.accelerator.current_stream(self.device)):
            self.add_to_each(state, 63)
            folder = self.checkpointed(state)
        blank = {"a": torch.zeros(12), "b": torch.zeros(3, 4)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch warns that only one process saves
            checkpoint.load(blank, checkpoint_id=folder, no_dist=True)
        self.expect_tensor(blank["a"], COUNTED + 64, "the checkpoint contains the results of earlier kernels")
        self.expect_tensor(
            blank["b"], torch.arange(1.0, 13.0).reshape(4, 3).t().contiguous() + 64,
            "the checkpoint contains the values of a view",
        )
        if self.refusal is not None:
            self.block(str(self.refusal), "module.current_stream")

    def add_to_each(self, state, number):
        for tensor in state.values():
            self.op("aten::add_", tensor.add_, number)

    def checkpointed(self, state):
        """Returns the folder of a distributed checkpoint, or ends the check if saving fails. If the device module has
        no current_stream, sets `refusal` and saves with two threads, because only saving with one thread calls that
        function."""
        from torch.distributed import checkpoint

        folder = os.path.dirname(self.file())
        cause = self.what_keeps_from_saving(state, checkpoint.FileSystemWriter(folder))
        if self.refused_means(cause) == "module.current_stream":
            self.refusal = cause
            cause = self.what_keeps_from_saving(state, checkpoint.FileSystemWriter(folder, thread_count=2))
        if cause:
            what = "a distributed checkpoint of device tensors is saved"
            self.require(self.expect(False, what, f"{type(cause).__name__}: {str(cause)[-300:]}"))
        return folder

    def what_keeps_from_saving(self, state, writer):
        """Returns the exception of saving, or None."""
        from torch.distributed import checkpoint

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # PyTorch warns that only one process saves
                checkpoint.save(state, storage_writer=writer, no_dist=True)
        # the second exception type is not derived from Exception
        except (Exception, checkpoint.CheckpointException) as error:
            return getattr(error, "failures", {0: [error]})[0][0]
        return None


if __name__ == "__main__":
    unittest.main()
