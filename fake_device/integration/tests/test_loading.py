# SPDX-License-Identifier: BSD-3-Clause
"""Tests how the package is loaded, where the suites have no check. Each test runs in its own process."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import torch_fakedev

from in_child import output, run

# Prints the calls whose exit status differs from the expected one (1: RuntimeError).
EACH_IN_A_FORK = """
import os, torch
for call in {calls}:
    pid = os.fork()
    if pid == 0:
        try:
            eval(call)
        except RuntimeError as error:
            os._exit(1)
        os._exit(0)
    outcome = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if outcome != {expected}:
        print(call, outcome)
"""
PACKAGE = Path(torch_fakedev.__file__).parent


class Library(unittest.TestCase):
    def test_library_has_no_python_symbol(self):
        listing = subprocess.run(
            ["nm", "-D", "--undefined-only", PACKAGE / "libtorch_fakedev.so"],
            capture_output=True, text=True, check=True).stdout
        names = [line.split()[-1] for line in listing.splitlines()]
        self.assertGreater(len(names), 100)
        self.assertEqual([], [n for n in names if n.startswith(("Py", "_Py", "THP"))])

    def test_mistyped_variant_is_refused(self):
        done = run("import torch; print('on')", FAKEDEV_VARIANT="typo")
        self.assertEqual((78, ""), (done.returncode, done.stdout))
        self.assertIn("typo", done.stderr)

    def test_library_of_another_torch_is_refused(self):
        done = run("""
            import torch
            torch.__version__ = "2.99.0"
            import torch_fakedev
        """, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
        self.assertEqual(1, done.returncode)
        self.assertIn("but this is torch 2.99.0; rebuild it", done.stderr)

    def test_module_as_an_object(self):
        self.assertEqual("_DeviceObject True", output("""
            import torch
            torch.ones(2, device="fakedev")
            print(type(torch.fakedev).__name__, torch.fakedev._initialized)
        """, FAKEDEV_VARIANT="class_module"))


class KernelCache(unittest.TestCase):
    """A killed process leaves its lock file. The next process is not blocked, and builds the missing files."""

    def test_kernels_are_built_once_for_all_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "kernels.lock").touch()
            kept = Path(folder, "kernels.txt")
            output("import torch; torch.ones(1, device='fakedev')", FAKEDEV_KERNELS=folder)
            self.assertIn("kernels of", kept.read_text(encoding="utf-8"))
            kept.write_text("built before", encoding="utf-8")
            output("import torch; torch.ones(1, device='fakedev')", FAKEDEV_KERNELS=folder)
            self.assertEqual("built before", kept.read_text(encoding="utf-8"))
            self.assertEqual(["kernels.lock", "kernels.txt"], sorted(os.listdir(folder)))


class NoDevice(unittest.TestCase):
    def test_use_raises(self):
        calls = [
            "torch.ones(2, device='fakedev')", "torch.Stream('fakedev')",
            "torch.Generator('fakedev')", "torch.accelerator.current_stream()",
            "torch.accelerator.set_device_index(0)", "torch.fakedev.init()",
        ]
        self.assertEqual("", output(EACH_IN_A_FORK.format(calls=calls, expected=1), FAKEDEV_DEVICES="0"))


if __name__ == "__main__":
    unittest.main()
