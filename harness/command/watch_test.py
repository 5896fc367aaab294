# SPDX-License-Identifier: BSD-3-Clause
"""assay watch on programs as users have them: a right device, a wrong kernel, a child, an end by os._exit."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from cli_test import mismatches

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
BEGIN = """
import os, threading
import torch
import torch_fakedev_faulty
"""
TRAIN = """
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)).to("fakedev")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(6, 4).to("fakedev")
for _ in range(5):
    optimizer.zero_grad()
    model(x).square().mean().backward()  # the line of all of it
    optimizer.step()
"""
SCHEMA = json.loads((ROOT / "reports/schema/watch.schema.json").read_text(encoding="utf-8"))


class Watch(unittest.TestCase):
    def setUp(self):
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.room, self.found = Path(room.name), Path(room.name, "found")
        # The clean device stays out of the way of the one with faults, as in ci/targets/fakedev_faulty.yaml.
        self.environment = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}

    def watch(self, code, *words, fault=""):
        """Exit status, and the document."""
        program = self.room / "train.py"
        program.write_text(BEGIN + textwrap.dedent(code), encoding="utf-8")
        said = subprocess.run(
            [BUILD / "bin/assay", "watch", "--target", "fakedev_faulty", "--out", self.found, "--format", "json", *words,
             "--", sys.executable, program],
            env={**self.environment, **({"FAKEDEV_FAULT": fault} if fault else {})}, capture_output=True, text=True)
        self.assertTrue(Path(self.found, "watch.json").is_file(), said.stdout + said.stderr)
        document = json.loads(Path(self.found, "watch.json").read_text(encoding="utf-8"))
        self.assertEqual(list(mismatches(document, SCHEMA)), [])
        return said.returncode, document

    def line_of(self, words):
        lines = (self.room / "train.py").read_text(encoding="utf-8").splitlines()
        return next(number for number, line in enumerate(lines, 1) if words in line)

    def row(self, document, name):
        return next((row for row in document["operators"] if row["name"] == name), None)

    def test_right_device_is_called_right_forward_and_backward(self):
        status, document = self.watch(TRAIN)
        self.assertEqual((status, document["exit"], document["first"]), (0, 0, None))
        for name in ("aten.addmm.default", "aten.tanh_backward.default"):
            row = self.row(document, name)
            self.assertEqual((row["wrong"], row["compared"] > 0), (0, True), row)
        self.assertIn("seen before", [one["reason"] for one in document["uncompared"]])

    def test_all_compares_every_call(self):
        _status, document = self.watch(TRAIN, "--all")
        for row in document["operators"]:
            if row["name"] == "aten.addmm.default":
                self.assertEqual(row["compared"], row["calls"])
        self.assertNotIn("seen before", [one["reason"] for one in document["uncompared"]])

    def test_wrong_kernel_is_named_with_line_module_and_reproducer(self):
        status, document = self.watch(TRAIN, fault="kernel.matmul_ignores_beta")
        first = document["first"]
        self.assertEqual((status, first["op"], first["module"], first["backward"]),
                         (1, "aten.addmm.default", "Sequential.0", False))
        self.assertEqual(first["line"], f"{self.room / 'train.py'}:{self.line_of('the line of all')}")
        wrong = [row["name"] for row in document["operators"] if row["wrong"]]
        self.assertEqual(wrong, ["aten.addmm.default"])
        self.expect_reproduced(Path(self.found, first["reproducer"]).with_suffix(".py"), "kernel.matmul_ignores_beta")

    def expect_reproduced(self, program, fault):
        """It shows the operator alone, and nothing on a right device."""
        environment = {**self.environment, "PYTHONPATH": str(BUILD / "python")}
        for wanted, name in ((1, fault), (0, "")):
            environment["FAKEDEV_FAULT"] = name
            said = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True)
            self.assertEqual(said.returncode, wanted, said.stdout + said.stderr)

    def test_backward_has_the_line_of_its_forward(self):
        code = """
        x = torch.ones(5, 2).to("fakedev")[:, 0].clone().requires_grad_()
        y = x[torch.tensor([1, 1, 1]).to("fakedev")]  # three times the same row
        y.backward(torch.ones(3).to("fakedev"))
        """
        status, document = self.watch(code, fault="kernel.scatter_accumulate_overwrites")
        first = document["first"]
        self.assertEqual((status, first["backward"]), (1, True), first)
        self.assertEqual(first["line"], f"{self.room / 'train.py'}:{self.line_of('three times')}")

    def test_threads_and_forked_children_are_watched(self):
        code = """
        def work():
            torch.ones(3, 3).to("fakedev").exp().cpu()

        child = os.fork()
        if child == 0:
            work()
            os._exit(0)
        os.waitpid(child, 0)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        """
        status, document = self.watch(code)
        self.assertEqual(status, 0)
        self.assertEqual(self.row(document, "aten.exp.default")["compared"], 2)

    def test_end_without_clean_up_is_told_and_what_was_seen_is_there(self):
        status, document = self.watch('torch.ones(3).to("fakedev").exp().cpu()\nos._exit(7)')
        self.assertEqual((status, document["exit"]), (2, 7))
        self.assertEqual(self.row(document, "aten.exp.default")["compared"], 1)

    def test_random_operators_are_counted_as_not_compared(self):
        _status, document = self.watch('torch.rand(3, device="fakedev").cpu()')
        self.assertIn({"reason": "random", "calls": 1}, document["uncompared"])


if __name__ == "__main__":
    unittest.main()
