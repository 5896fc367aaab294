# SPDX-License-Identifier: BSD-3-Clause
"""Tests the bare process of a host: its children behave like new interpreters, and a job that damages it does not
affect the verdict of the next job. torch is a stand-in of a few lines."""

import unittest

from harness.command.fixtures.run_fixture import RunCase
from harness.run.torture.torture_driver import MODES

TORCH = """\
import os

switch = os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD")
from importlib.metadata import entry_points
if switch == "1":
    for point in entry_points(group="torch.backends"):
        point.load()()
rest = os.getpid()
"""
ASKING = '''
import array, json, os, signal, socket, sys, tempfile, time
sys.path.insert(0, {folder!r})
from assay.host import bare_process, bare_request


def ask(program="print(6 * 7)", autoload=False, **environment):
    """Exit status and words of the program; None: there was nobody to run it."""
    files = [tempfile.TemporaryFile() for _ in range(3)]
    numbers = [file.fileno() for file in files]
    status = bare_request.run(program, numbers, {{**os.environ, **environment}}, sys.path, autoload)
    files[1].seek(0)
    return None if status is None else [os.waitstatus_to_exitcode(status), files[1].read().decode().strip()]


def bare():
    return int(ask("import os; print(os.getppid())")[1])


def send(data=b"!", *files):
    with socket.socket(fileno=os.dup(bare_process.requests())) as requests:
        numbers = array.array("i", [file.fileno() for file in files])
        extra = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)] if files else []
        requests.sendmsg([data], extra, socket.MSG_DONTWAIT)


def full():
    """Sends until there is no room."""
    kept = []
    try:
        for _ in range(300):
            kept.append(socket.socketpair())
            send(b"!", kept[-1][0])
    except OSError:
        pass
    return kept

'''
ANSWER = 'self.assertEqual(ask(), [0, "42"])'
NOBODY = "self.assertEqual(ask(), None)"
LOOP = "time.sleep(3600)"


class BareProcess(RunCase):
    def setUp(self):
        super().setUp()
        (self.folder / "torch").mkdir()
        (self.folder / "torch" / "__init__.py").write_text(TORCH)
        profile = self.folder / "nothing.yaml"
        text = profile.read_text().replace("TARGET: torture_target", "TARGET: torture_target_with_bare")
        profile.write_text(text.replace("PYTHONPATH: ", f"PYTHONPATH: {self.folder}:"))
        suite = self.folder / "data" / "suites" / "sample" / "test_sample.py"
        head, _, tests = suite.read_text().partition("import os\n")
        suite.write_text(head + ASKING.format(folder=str(self.folder)) + tests)

    def outcome(self, first, second=ANSWER, *words, isolation="fork-loaded"):
        """Returns the end records of two checks in one host: the first check executes `first`, the next one executes
        `second`."""
        self.write_check(first)
        suite = self.folder / "data" / "suites" / "sample" / "test_sample.py"
        text = suite.read_text()
        suite.write_text(text.replace('"""sample.stands_on_it"""', f'"""sample.stands_on_it"""\n        {second}'))
        self.run_target("--jobs=1", f"--isolation={isolation}", *words)
        self.ends = {row["id"]: row for row in self.records("end") if row["final"]}
        return [self.ends[name]["verdict"] for name in ("sample.passes", "sample.stands_on_it")]

    def assert_good(self, *arguments, **options):
        self.assertEqual(self.outcome(*arguments, **options), ["pass", "pass"], [self.said, self.ends])

    def test_answers_in_each_isolation(self):
        for mode in MODES:
            with self.subTest(mode):
                self.setUp()
                self.assert_good(ANSWER, isolation=mode)

    def test_child_is_what_it_is_asked_to_be(self):
        program = "import os, sys; print(os.environ['WORD'], sys.argv, os.getpgrp(), sys.stdin.read()); sys.exit(3)"
        self.assert_good(f'self.assertEqual(ask({program!r}, WORD="x"), [3, "x [\'-c\'] %d" % os.getpgrp()])')

    def test_child_has_nothing_of_the_hosts(self):
        program = "import os, sys; print([n for n in os.listdir('/proc/self/fd') if os.path.exists('/proc/self/fd/' + n)], " \
                  "[n for n in sys.modules if n.partition('.')[0] == 'assay'])"
        self.assert_good(f'self.assertEqual(ask({program!r}), [0, "[\'0\', \'1\', \'2\'] []"])')

    def test_child_dies_of_its_own_signal(self):
        self.assert_good('self.assertEqual(ask("import os; os.kill(os.getpid(), 11)"), [-11, ""])')

    def test_import_goes_on_in_the_child(self):
        """The entry points are looked up in the environment of the request, and their exceptions are raised there."""
        facts = self.folder / "point-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: point\nVersion: 1.0\n")
        (facts / "entry_points.txt").write_text("[torch.backends]\npoint = point:enter\n")
        (self.folder / "point.py").write_text("import os\ndef enter():\n    raise SystemExit(os.environ['WORD'])\n")
        program = "import sys\ntry:\n    import torch\n    print('no')\nexcept SystemExit as error:\n    print(error.code)"
        self.assert_good(f'self.assertEqual(ask({program!r}, True, WORD="left"), [0, "left"])',
                         'self.assertEqual(ask("import os, torch; print(torch.rest == os.getpid())"), [0, "True"])')

    def test_what_counts_at_birth_is_refused(self):
        self.assert_good('self.assertEqual(ask(LD_PRELOAD="x.so"), None)')

    def test_its_children_cost_the_job(self):
        burn = "import time\nwhile time.process_time() < 0.5: pass"
        self.assert_good(f"self.assertEqual(ask({burn!r})[0], 0)")
        self.assertGreater(self.ends["sample.passes"]["cpu_ms"], 450)
        self.assertLess(self.ends["sample.stands_on_it"]["cpu_ms"], 450)

    # ---- jobs that damage the bare process

    def test_killed(self):
        self.assert_good(f"os.kill(bare(), signal.SIGKILL); {NOBODY}", NOBODY)

    def test_killed_by_its_child(self):
        self.assert_good('self.assertEqual(ask("import os, time; os.kill(os.getppid(), 9); time.sleep(1)"), None)', NOBODY)

    def test_stopped(self):
        self.assert_good(f"os.kill(bare(), signal.SIGSTOP); {NOBODY}")

    def test_socket_shut(self):
        shut = "socket.socket(fileno=os.dup(bare_process.requests())).shutdown(socket.SHUT_RDWR)"
        self.assert_good(f"{shut}; {NOBODY}", NOBODY)

    def test_socket_closed(self):
        self.assert_good(f"os.close(bare_process.requests()); {NOBODY}")

    def test_socket_full(self):
        self.assert_good("self.assertGreater(len(full()), 1)")

    def test_requests_of_nonsense(self):
        self.assert_good("send(b''); send(b'x' * 9999); send(b'!', open('/dev/null')); "
                         "a, b = socket.socketpair(); send(b'!', b, b); b.close(); self.assertEqual(a.recv(1), b''); "
                         "a, b = socket.socketpair(); send(b'!', b); a.recv(1); a.send(b'x' * 99); " + ANSWER)

    def test_children_that_stay(self):
        """Three children stay: one works, one has left its group and session, and one is a fork of that child."""
        away = "import os, time\nos.setsid()\nif os.fork():\n    os._exit(0)\ntime.sleep(3600)"
        self.assert_good(
            f"ask({away!r}); a, b = socket.socketpair(); send(b'!', b); a.recv(1)",
            "self.assertEqual(os.listdir('/proc').count(str(bare())), 1); self.assertEqual(len(open("
            "'/proc/%d/task/%d/children' % (bare(), bare())).read().split()), 0)",
        )
        self.assertGreaterEqual(self.ends["sample.passes"]["left_behind"], 1)

    def test_child_is_ended_with_its_job(self):
        """The deadline of the check applies. The next check is not affected."""
        for path, before, after in ((self.folder / "nothing.yaml", "load:", "timeouts: {check: 1}\nload:"),
                                    (self.folder / "data/suites/sample/contract.yaml", "builds_on: [sample.passes], ", "")):
            path.write_text(path.read_text().replace(before, after))
        self.assertEqual(self.outcome("ask('import time; time.sleep(3600)')"), ["timeout", "pass"], self.said)


if __name__ == "__main__":
    unittest.main()
