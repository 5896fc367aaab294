# SPDX-License-Identifier: BSD-3-Clause
"""Tests that each listed defect of a backend exists, by demonstrations in plain torch.

    PYTHONPATH=build/fleet/python FLEET_BACKEND=host_memory python fleet_defects_test.py -v

Each demonstration runs in a child process, forked from a process that has imported only torch. The child loads the
backend.
"""

import importlib
import os
import select
import signal
import sys
import traceback
import unittest

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # must be set before torch is imported

import fleet_defects
from fleet_lists import defects_of

DEADLINE_SECONDS = 120
HANG_SECONDS = 4
BACKEND = os.environ["FLEET_BACKEND"]


def run_child(demonstration, to_parent):
    """Body of the child process; never returns. Status 0 means that the defect was seen."""
    import torch

    fleet_defects.to_parent = to_parent
    status = 1
    try:
        importlib.import_module(f"torch_{BACKEND}")
        is_shared = demonstration in fleet_defects.shared.values()
        demonstration.function(*([torch._C._get_privateuse1_backend_name()] if is_shared else []))
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def outcome(demonstration):
    """Returns (reached, result): whether now() was called, and "seen", "not seen", the name of a signal or "hangs"."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.close(read_end)
        run_child(demonstration, write_end)
    os.close(write_end)
    said = wait_for(read_end, DEADLINE_SECONDS)
    reached = said == fleet_defects.REACHED
    if reached:
        said = wait_for(read_end, HANG_SECONDS if demonstration.hangs else DEADLINE_SECONDS)
    os.close(read_end)
    if said is None:
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return reached, "hangs" if said is None else what_ended(status)


def what_ended(status):
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return "seen" if os.WEXITSTATUS(status) == 0 else "not seen"


def wait_for(read_end, seconds):
    """The next byte, b"" after the end of the child, None at the deadline."""
    ready, _, _ = select.select([read_end], [], [], seconds)
    return os.read(read_end, 1) if ready else None


class Defects(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import torch  # imported once here, because the children are forked from this process

        importlib.import_module("fake_device.fleet.common.shared_defects")
        importlib.import_module(f"fake_device.fleet.{BACKEND}.{BACKEND}_defects")
        cls.listed = defects_of(BACKEND)
        cls.release = torch.__version__

    def test_each_demonstration_is_of_a_listed_defect(self):
        self.assertLessEqual(fleet_defects.demonstrations.keys(), self.listed.keys())

    def test_each_listed_defect_is_there(self):
        for name, defect in self.listed.items():
            if defect.shows_under(self.release):
                with self.subTest(name):
                    self.show(fleet_defects.demonstrations.get(name) or fleet_defects.shared[name])

    def show(self, demonstration):
        wanted = "hangs" if demonstration.hangs else demonstration.dies or "seen"
        reached, what = outcome(demonstration)
        self.assertEqual(what, wanted)
        self.assertTrue(reached or wanted == "seen", "now() was never called")


if __name__ == "__main__":
    unittest.main()
