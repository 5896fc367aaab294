# SPDX-License-Identifier: BSD-3-Clause
"""Tests assay watch on programs that die inside an operator, in each kind of process: the operator must be reported."""

import json
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from watch_fixture import BUILD, WatchCase

CRASH = """
import ctypes
kernels = torch.library.Library("aten", "IMPL")
kernels.impl("l1_loss", lambda *given: ctypes.string_at(0), "PrivateUse1")
x = torch.ones(3, 4).to("fakedev")

def work():
    torch.nn.functional.l1_loss(x.t(), x.t())  # dies
"""
LOADED = CRASH + """
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, i):
        work()

try:
    list(torch.utils.data.DataLoader(Data(), num_workers=1))
except RuntimeError:
    pass
"""
FORKED = CRASH + """
child = os.fork()
if child == 0:
    work()
os.waitpid(child, 0)
"""
THREADED = CRASH + """
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
MODULE = CRASH + """
class Loss(torch.nn.Module):
    def forward(self, x):
        work()

Loss()(x)
"""
OP = "aten.l1_loss.default"


class Deaths(WatchCase):
    def expect_named(self, code, exit_status, words="ended by SIGSEGV during the call (float32 [4, 3] strides [1, 4], ", command=()):
        status, document = self.watch(code, command=command)
        first = document["first"]
        self.assertIsNotNone(first, self.said.stderr)
        self.assertEqual((status, document["exit"], first["op"], first["how"]), (1, exit_status, OP, "died"), document)
        self.assertIn(words, first["wrong"])
        self.assertEqual(first["line"], f"{self.folder / 'train.py'}:{self.line_of('# dies')}")
        row = self.row(document, OP)
        self.assertEqual((row["calls"], row["died"], document["operators"][0]["name"]), (1, "died", OP))
        return document

    def test_signal_in_an_operator_of_the_program(self):
        document = self.expect_named(MODULE, 139)
        self.assertEqual(document["first"]["module"], "Loss")
        self.assertEqual(document["ended"], f"the program was ended by SIGSEGV, in {OP} at {document['first']['line']}")
        _status, said = self.assay("report", self.found)
        self.assertIn(f"watch.{OP}", said)
        self.assertIn("ended by SIGSEGV during the call", said)
        status, said = self.assay("watch", "--target", "fakedev_faulty", "--read", self.found)
        self.assertEqual(json.loads((self.found / "watch.json").read_text())["first"], document["first"])

    def test_reproducer_makes_inputs_of_that_form(self):
        document = self.expect_named(CRASH + "work()", 139)
        program = Path(self.found, document["first"]["reproducer"]).with_suffix(".py")
        self.assertEqual(json.loads(program.with_suffix(".json").read_text())["op"], OP)
        said = subprocess.run([sys.executable, program], capture_output=True, text=True,
                              env={**self.environment, "PYTHONPATH": str(BUILD / "python")})
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        text = program.read_text()
        self.assertLessEqual(len(text.splitlines()), 20)
        program.write_text(text.replace("def run", "import ctypes\nkernels = torch.library.Library('aten', 'IMPL')\n"
                                        "kernels.impl('l1_loss', lambda *given: ctypes.string_at(0), 'PrivateUse1')\ndef run"))
        said = subprocess.run([sys.executable, program], capture_output=True, text=True,
                              env={**self.environment, "PYTHONPATH": str(BUILD / "python")})
        self.assertEqual((said.returncode, said.stdout), (-signal.SIGSEGV, ""), said.stderr)

    def test_signal_in_a_forked_child_whose_parent_goes_on(self):
        document = self.expect_named(FORKED, 0)
        self.assertEqual(document["signal"], "")

    def test_signal_in_a_thread(self):
        self.expect_named(THREADED, 139)

    def test_signal_in_a_worker_of_a_loader(self):
        self.expect_named(LOADED, 0)

    def test_signal_in_a_thread_of_the_driver_is_put_to_the_call_that_queued_its_work(self):
        status, document = self.watch("""
        sevens = torch.full((2,), 7).to("fakedev", torch.uint8)
        sevens.div(torch.tensor(256), rounding_mode="floor")  # 256 is 0 there
        sevens.tolist()
        """, fault="kernel.int_division_by_zero_crashes")
        first = document["first"]
        self.assertEqual((status, document["signal"], first["op"], first["how"]), (1, "SIGFPE", "aten.div.Tensor_mode", "died"))
        self.assertEqual(first["line"], f"{self.folder / 'train.py'}:{self.line_of('256 is 0')}")

    def test_signal_of_a_child_that_nobody_of_us_waits_for(self):
        program = self.folder / "train.py"
        self.expect_named(CRASH + "work()", 0, "ended for an unknown reason during the call",
                          ("sh", "-c", f"{sys.executable} {program}; true"))

    def test_end_without_clean_up_in_an_operator_and_beside_one(self):
        leaving = CRASH.replace("ctypes.string_at(0)", "os._exit(7)")
        self.expect_named(leaving + "work()", 7, "ended with status 7 during the call")
        self.setUp()
        beside = CRASH.replace("ctypes.string_at(0)", "threading.Event().wait()").replace('"fakedev")\n', '"fakedev")\n', 1)
        status, document = self.watch(beside + """
threading.Thread(target=work, daemon=True).start()
while not os.path.exists("never"):
    os._exit(0)
""")
        self.assertEqual((status, document["first"]), (0, None))

    def test_program_that_hangs_in_an_operator_and_is_killed(self):
        code = CRASH.replace("ctypes.string_at(0)", "os.kill(os.getpid(), signal.SIGKILL)") + "import signal\nwork()"
        status, document = self.watch(code)
        first = document["first"]
        self.assertEqual((status, document["cut_off"], first["op"], first["how"]), (2, True, OP, "stopped"))
        self.assertRegex(first["wrong"], r"ended by SIGKILL \d+\.\d s after it began, during the call")
        self.assertIn(f", in {OP} at ", document["ended"])

    def test_signal_between_two_operators_accuses_none(self):
        status, document = self.watch(CRASH + "x.exp()  # last\nctypes.string_at(0)")
        self.assertEqual((status, document["signal"], document["first"]), (1, "SIGSEGV", None))
        self.assertIn(f"outside of any operator; the last one was aten.exp.default at {self.folder / 'train.py'}:", document["ended"])


if __name__ == "__main__":
    unittest.main()
