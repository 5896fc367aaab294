# SPDX-License-Identifier: BSD-3-Clause
"""Tests the texts of messages that readers did not understand in former versions, in one table.

A row has a fault, the check that finds it, text that the report must contain, and former text that it must not
contain."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin/assay"
ROWS = (
    ("device.set_accepts_out_of_range", "guard.every_index_argument_is_range_checked",
     ("setDevice(-128) leaves the current device unchanged", "getDevice() is device -128"),
     ("doors[door]", "bridge_", "One door")),
    ("hooks.primary_context_raises", "hooks.primary_context_exists_after_first_use",
     ("hasPrimaryContext(device) raised: ",), ("bridge_hooks_has_context", "is -2, expected 0")),
    ("ops.nested_sizes_missing", "operators.nested_tensors_with_gradients_do_not_crash",
     ("said c10::NotImplementedError: Could not run 'aten::_nested_tensor_size'", "set_history (libtorch_cpu.so)",
      "wanted torch.nested.as_nested_tensor of two tensors that require a gradient works or is refused",
      "likely This is core's behaviour: autograd calls _nested_tensor_size in a place where an exception ends the process"),
     ("PythonDispatcher: registered", "core's behaviour: no backend")),
    ("ops.conj_physical_without_stub", "operators.in_place_conjugation_conjugates_or_is_refused",
     ("likely This is core's behaviour: its implementation of conj_physical_ has precedence over any fallback",), ()),
    ("fallback.overlap_unchecked", "operators.overlapping_output_is_rejected",
     ("likely This is core's behaviour: at::native::cpu_fallback passes copies to the CPU", "fallback ran in the case that is shown: aten::"), ()),
    ("hooks.pointer_is_on_current_device", "hooks.get_device_from_ptr_finds_the_device",
     ("It must not return the current device or a device without an index",), ("only where blocks begin",)),
)


def report_of(fault, check, folder):
    run = Path(folder, "run")
    subprocess.run([ASSAY, "run", "--target", "fakedev_faulty", "--arm", fault, "--select", f"check:{check}", "--quiet",
                    "--isolation", "fork-loaded", "--no-block", "--timeout-scale", "4", "--out", run], timeout=300)
    done = subprocess.run([ASSAY, "report", run], capture_output=True, text=True, timeout=60, check=True)
    return " ".join(done.stdout.split())


class Told(unittest.TestCase):
    maxDiff = None

    def test_messages_show_what_the_backend_did(self):
        for fault, check, wanted, unwanted in ROWS:
            with self.subTest(check), tempfile.TemporaryDirectory(prefix="assay-told-") as folder:
                told = report_of(fault, check, folder)
                for words in wanted:
                    self.assertIn(words, told)
                for words in unwanted:
                    self.assertNotIn(words, told)


if __name__ == "__main__":
    unittest.main()
