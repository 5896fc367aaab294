# SPDX-License-Identifier: BSD-3-Clause
"""Shows the defects of a backend in a few lines of plain torch each, without the suites.

`<backend>/<backend>_defects.py` has one function for each line of `<backend>/defects.tsv`:

    @shows("off-by-one")
    def randint_reaches_its_upper_bound():
        assert 6 in torch.randint(0, 6, (1000,), device="hostram").tolist()

It asserts that what is wrong *is there*. `dies="SIGABRT"` is for a crash, `hangs=True` for a hang: the
last line of the function is then the one that crashes or hangs. Each runs in a child forked from a
process that has imported torch and nothing else; the child loads the backend.
"""

import ctypes
import importlib
import io
import os
import select
import signal
import sys
import traceback
import unittest
from pathlib import Path

from fleet_lists import read_defects

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # so this file is imported before torch

BUILD = Path(os.environ.get("ASSAY_BUILD", Path(__file__).resolve().parents[2] / "build"))
DEADLINE_SECONDS = 120
HANG_SECONDS = 4
REACHED = b"r"  # said by the child when it comes to the line that is to hang


class Demonstration:
    def __init__(self, function, dies, hangs):
        self.function, self.dies, self.hangs = function, dies, hangs


demonstrations = {}
_to_parent = None


def shows(name, dies=None, hangs=False):
    """Decorator: the function shows the defect `name` of defects.tsv."""

    def register(function):
        assert name not in demonstrations, f"{name} is shown twice"
        demonstrations[name] = Demonstration(function, dies, hangs)
        return function

    return register


def now():
    """Called by a demonstration right before the line that hangs or crashes: all before it must work."""
    os.write(_to_parent, REACHED)


def raises(kind, call):
    """Whether `call` raises an exception of `kind`."""
    try:
        call()
    except kind:
        return True
    return False


def raised(function, *arguments, **keywords):
    """The text of the exception that the call raises, or None."""
    try:
        function(*arguments, **keywords)
    except Exception as error:
        return str(error)
    return None


def saved_and_loaded(tensor, **keywords):
    import torch  # not before this file has set how it loads

    file = io.BytesIO()
    torch.save(tensor, file)
    file.seek(0)
    return torch.load(file, **keywords)


def core():
    """The functions of fleet_calls.cc: what a C++ program may ask of torch. The backend is loaded."""
    calls = ctypes.CDLL(BUILD / "lib/fleet/libfleet_calls.so")
    calls.fleet_clone_is_equal.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return calls


def run_child(package, demonstration, to_parent):
    """Body of the child; never returns. Status 0: the defect was seen."""
    global _to_parent
    _to_parent = to_parent
    status = 1
    try:
        importlib.import_module(package)
        demonstration.function()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def outcome(package, demonstration):
    """(reached, what): whether now() was called, and "seen", "not seen", a signal's name or "hangs"."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.close(read_end)
        run_child(package, demonstration, write_end)
    os.close(write_end)
    said = wait_for(read_end, DEADLINE_SECONDS)
    reached = said == REACHED
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
    """The next byte, b"" at the end of the child, None at the deadline."""
    ready, _, _ = select.select([read_end], [], [], seconds)
    return os.read(read_end, 1) if ready else None


def main(script):
    """Makes one test of each defect of the backend whose demonstrations `script` holds."""
    import torch  # once, here: the children are forked from it

    folder = Path(script).resolve().parent
    sys.path.insert(0, str(BUILD / "fleet" / folder.name))
    defects = read_defects(folder / "defects.tsv")

    class Defects(unittest.TestCase):
        def test_each_line_of_the_list_is_shown(self):
            self.assertEqual(sorted(demonstrations), sorted(defects))

    for name in demonstrations.keys() & {defect.name for defect in defects.values() if defect.shows_under(torch.__version__)}:
        setattr(Defects, f"test_{name.replace('-', '_')}", make_test(f"torch_{folder.name}", name))
    sys.modules["__main__"].Defects = Defects
    unittest.main()


def make_test(package, name):
    def test(self):
        demonstration = demonstrations[name]
        wanted = "hangs" if demonstration.hangs else demonstration.dies or "seen"
        reached, what = outcome(package, demonstration)
        self.assertEqual(what, wanted, f"{name} is not there")
        if wanted != "seen":
            self.assertTrue(reached, f"{name}: now() was never called")

    return test
