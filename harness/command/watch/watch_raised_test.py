# SPDX-License-Identifier: BSD-3-Clause
"""Tests assay watch on operators that raise: broken operators are reported, refusals and errors of the program are
not."""

import subprocess
import sys
import unittest
from pathlib import Path

from watch_fixture import BUILD, WatchCase

KERNEL = """
kernels = torch.library.Library("aten", "IMPL")
x, numbers = torch.ones(3, 4).to("fakedev"), torch.arange(4).to("fakedev")

def tried(call):
    try:
        return call()
    except Exception as error:
        print(type(error).__name__, error, flush=True)

def kernel(name, run):
    kernels.impl(name, run, "PrivateUse1")

def raises(error):
    def run(*given, **named):
        raise error
    return run
"""
OP = "aten.l1_loss.default"


class Raised(WatchCase):
    def line(self, words):
        return f"{self.folder / 'train.py'}:{self.line_of(words)}"

    def test_operator_that_raises_is_named_with_its_line_and_reproducer(self):
        status, document = self.watch("""
        x = torch.ones(2, 3).to("fakedev").t()
        try:
            torch.linalg.inv(torch.eye(3).to("fakedev")[:, :2])  # the CPU does not take it either
        except RuntimeError:
            pass
        x = torch.ones(3, 4).to("fakedev")
        torch.nn.functional.l1_loss(x, x)
        """)
        self.assertEqual((status, document["first"]), (0, None), self.said.stderr)
        self.setUp()
        status, document = self.watch(KERNEL + """
kernel("l1_loss", raises(RuntimeError("shape '[7]' is invalid")))
tried(lambda: torch.nn.functional.l1_loss(x, x))  # breaks
""")
        first = document["first"]
        self.assertEqual((status, first["op"], first["how"], first["line"]), (1, OP, "raised", self.line("# breaks")), self.said)
        self.assertEqual(first["wrong"], "raised RuntimeError, the CPU does not: shape '[7]' is invalid")
        self.assertEqual((self.row(document, OP)["raised"], self.row(document, OP)["calls"]), (1, 1))
        self.assertIn(f"FAIL watch.{OP}", self.assay("report", self.found)[1])
        program = Path(self.found, first["reproducer"]).with_suffix(".py")
        said = subprocess.run([sys.executable, program], capture_output=True, text=True,
                              env={**self.environment, "PYTHONPATH": str(BUILD / "python")})
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def test_copy_that_raises_is_named_whoever_asks_for_it(self):
        breaks = KERNEL + """
y = torch.ones(3, 4)
kernel("_copy_from", raises(RuntimeError("no way")))
"""
        for call, where in (("tried(lambda: y.to('fakedev'))  # breaks", "raised RuntimeError"), ("x.neg()  # breaks", "an input of aten.neg.default cannot be")):
            _status, document = self.watch(breaks + call)
            first = document["first"]
            self.assertEqual((first["op"], first["how"], first["line"]), ("aten._to_copy.default", "raised", self.line("# breaks")), self.said)
            self.assertIn(where, first["wrong"])
            self.setUp()

    def test_refusal_is_counted_and_a_call_that_the_cpu_raises_too_is_not_told(self):
        status, document = self.watch(KERNEL + """
kernel("l1_loss", raises(NotImplementedError("l1_loss is not there")))
kernel("huber_loss", raises(RuntimeError("float64 is left out")))
kernel("hinge_embedding_loss", raises(torch.OutOfMemoryError("no memory")))
kernel("kl_div", raises(KeyboardInterrupt()))
tried(lambda: torch.nn.functional.l1_loss(x, x))
tried(lambda: torch.nn.functional.huber_loss(x.double(), x.double()))  # not plain
tried(lambda: torch.nn.functional.hinge_embedding_loss(x, x))
tried(lambda: torch.mm(x, x))
torch.manual_seed(3)
state = torch.get_rng_state()
kernel("bernoulli.p", raises(NotImplementedError("no numbers")))
tried(lambda: torch.bernoulli(x, 0.5))
assert torch.equal(state, torch.get_rng_state())
try:
    torch.nn.functional.kl_div(x, x)
except KeyboardInterrupt:
    print("stopped")
""")
        self.assertEqual((status, document["first"], document["exit"]), (0, None, 0), self.said.stderr)
        refused = {row["name"]: row["refused"] for row in document["operators"] if row["refused"]}
        self.assertEqual(refused, {OP: 1, "aten.huber_loss.default": 1, "aten.bernoulli.p": 1}, document)
        reasons = {one["reason"]: one["calls"] for one in document["uncompared"]}
        self.assertEqual(reasons["the device is out of memory"], 1)

    LATE = KERNEL + """
def run(*given):
    x.flatten()[numbers + 100]  # fails on the device, some time
    return torch.zeros(()).to("fakedev")

"""

    def test_error_that_comes_at_the_next_wait_is_put_to_its_call_and_raised_once(self):
        status, document = self.watch(self.LATE + """
kernel("l1_loss", run)
tried(lambda: torch.nn.functional.l1_loss(x, x))  # breaks
print("and then", tried(lambda: torch.fakedev.synchronize()))
""")
        first = document["first"]
        self.assertEqual((status, first["op"], first["how"], first["line"]), (1, OP, "raised", self.line("# breaks")), self.said)
        self.assertIn("while assay waited for its results, the CPU does not: ", first["wrong"])
        raised, then, *_ = self.said.stdout.splitlines()
        self.assertTrue(raised.startswith("AcceleratorError"), raised)
        self.assertEqual(then, "and then None")

    def test_error_that_the_cpu_raises_at_once_is_the_program_s(self):
        for words in ((), ("--all",)):
            status, document = self.watch(KERNEL + """
for _ in range(4):
    tried(lambda: (x.flatten()[numbers + 100], torch.fakedev.synchronize()))
print("end")
""", *words)
            self.assertEqual((status, document["first"], document["exit"]), (0, None, 0), self.said.stderr)
            self.assertEqual(self.said.stdout.split("\nend")[0].count("\n"), 3, self.said.stdout)
            self.setUp()


if __name__ == "__main__":
    unittest.main()
