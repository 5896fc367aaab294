# SPDX-License-Identifier: BSD-3-Clause
"""Tests assay probe from outside, with an interpreter that gives the answers of the test: the output, the written
files, and the handling of answers that are late, cut off or invalid. No torch."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from harness.command.fixtures.folder_case import FolderCase

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))

OBEYED_S = 2
# A stand-in for the interpreter. It prints facts about torch, an inventory, and then the content of answer.json
# beside it.
INTERPRETER = """\
#!{python}
import json, os, shutil, sys
here = os.path.dirname(os.path.abspath(__file__))


def linger(phase):
    # Where the test asks for it: says that it is there, and waits for ever.
    if os.path.exists(here + "/linger-" + phase):
        open(here + "/there", "w").close()
        os.read(os.pipe()[0], 1)


if "assay.host.probe" not in sys.argv:
    linger("torch")
    print("2.13.0\\nabcdef\\n/opt/torch\\n\\n\\n\\n\\n\\n\\n", end="")
elif json.load(open(sys.argv[-2])).get("inventory"):
    linger("inventory")
    json.dump({{"libraries": ["/nowhere/libfoo.so"], "metadata": [], "absent": ["torch_foo"]}},
              open(sys.argv[-1], "w"))
else:
    linger("questions")
    shutil.copy(sys.argv[-2], here + "/request.json")
    if os.path.exists(here + "/answer.json"):
        shutil.copy(here + "/answer.json", sys.argv[-1])
    if os.path.exists(here + "/die"):
        os.abort()
"""
PROFILE = """\
name: foo
python: {python}
env: {{FOO: "one \\\\ two"}}
load:
  - dlopen: "libfoo.so"
    flags: [global, now]
  - import: torch_foo
  - entry_point: {{group: torch.backends, name: foo}}
  - exec: "import foo\\nfoo.go()"
capabilities: {{streams: yes}}
"""
ANSWER = {
    "schema": "assay/probe/1",
    "target": "foo",
    "torch": {"version": "2.13.0", "git": "abcdef", "path": "/opt/torch"},
    "device": {
        "name": "foo",
        "count": 2,
        "usable": [0, 1],
        "names": {"bare": "foo:0", "explicit": "foo:0"},
        "module": {"kind": "absent"},
    },
    "steps": [
        {"step": "import torch_foo", "ok": True, "message": "guard, hooks", "registered": {}},
        {"step": "call foo:go", "ok": False, "message": "no such function", "registered": {}},
    ],
    "capabilities": {
        "streams": {"claim": "yes", "probed": "yes", "evidence": "probed"},
        "amp": {"claim": "unknown", "probed": "no", "evidence": "RuntimeError: no autocast"},
    },
    "changes": ["torch.add"],
    "preflight": [{"severity": "warning", "message": "an old wheel"}],
    "complete": True,
}


class Probe(FolderCase):
    def setUp(self):
        super().setUp()
        python = self.folder / "python"
        python.write_text(INTERPRETER.format(python=sys.executable))
        python.chmod(0o755)
        (self.folder / "foo.yaml").write_text(PROFILE.format(python=python))

    def probe(self, answer=None, *words, target=("--target", "./foo.yaml")):
        if answer is not None:
            text = answer if isinstance(answer, str) else json.dumps(answer)
            (self.folder / "answer.json").write_text(text)
        command = [str(BUILD / "bin" / "assay"), "probe", *target, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=200, cwd=self.folder)
        self.out, self.error = done.stdout, done.stderr
        return done.returncode

    def test_answer_is_shown(self):
        self.assertEqual(self.probe(ANSWER), 0, self.error)
        for words in (
            "foo on torch 2.13.0 (abcdef) in /opt/torch",
            "1. import torch_foo: guard, hooks",
            "2. call foo:go: FAILED: no such function",
            'device "foo", 2 devices; "foo" gives foo:0, with an index foo:0; device module: absent',
            "claimed yes",
            "RuntimeError: no autocast",
            "loading changed torch: torch.add",
            "preflight warning: an old wheel",
        ):
            self.assertIn(words, self.out)

    def test_device_that_is_not_usable_is_told_with_its_reason(self):
        device = {"name": "foo", "count": 1, "usable": [], "refusal": "a tensor to foo:0: no kernel"}
        self.assertEqual(self.probe({**ANSWER, "device": device}), 0, self.error)
        self.assertIn("\n  no device is usable: a tensor to foo:0: no kernel\n", self.out)

    def test_counts_that_disagree_are_told(self):
        for counts, told in (({"guard": 1, "hooks": 0, "module": 8}, "guard 1 hooks 0 module 8;"),
                             ({"guard": None, "hooks": 1, "module": 2}, "hooks 1 module 2;"),
                             ({"guard": 2, "hooks": 2, "module": None}, "")):
            with self.subTest(counts):
                device = {"name": "foo", "count": 1, "usable": [0], "counts": counts}
                self.assertEqual(self.probe({**ANSWER, "device": device}), 0, self.error)
                self.assertEqual("the counts of devices disagree" in self.out, bool(told), self.out)
                self.assertIn(told, self.out)

    def wait_for_the_interpreter(self):
        for _ in range(6000):
            if (self.folder / "there").exists():
                return
            select.select([], [], [], 0.01)
        self.fail("the interpreter never came to the phase")

    def test_a_signal_ends_a_probe_in_every_phase(self):
        for phase in ("torch", "inventory", "questions"):
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(phase=phase, signal=number.name):
                    self.expect_obeyed(phase, number)

    def expect_obeyed(self, phase, number):
        (self.folder / f"linger-{phase}").touch()
        probe = subprocess.Popen([str(BUILD / "bin" / "assay"), "probe", "--target", "./foo.yaml"],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.folder)
        self.wait_for_the_interpreter()
        begin = time.monotonic()
        probe.send_signal(number)
        said = probe.communicate(timeout=60)[0]
        self.assertLess(time.monotonic() - begin, OBEYED_S, said)
        self.assertNotEqual(probe.returncode, 0, said)
        for left in ("there", f"linger-{phase}"):
            (self.folder / left).unlink()

    def test_a_terminal_is_told_what_a_probe_waits_for(self):
        """No phase is silent for longer than the second between two ticks."""
        for phase in ("torch", "inventory", "questions"):
            with self.subTest(phase=phase):
                self.expect_ticks(phase)

    def expect_ticks(self, phase):
        (self.folder / f"linger-{phase}").touch()
        ours, its = pty.openpty()
        probe = subprocess.Popen([str(BUILD / "bin" / "assay"), "probe", "--target", "./foo.yaml"],
                                 stdout=its, stderr=its, cwd=self.folder)
        os.close(its)
        seen, until = "", time.monotonic() + 60
        while "00:01" not in seen or "00:02" not in seen:
            if not select.select([ours], [], [], max(0, until - time.monotonic()))[0]:
                break
            seen += os.read(ours, 4096).decode()
        probe.terminate()
        probe.wait(60)
        os.close(ours)
        (self.folder / f"linger-{phase}").unlink()
        (self.folder / "there").unlink()
        self.assertIn("00:02", seen)

    def test_json_is_the_answer(self):
        self.assertEqual(self.probe(ANSWER, "--format", "json"), 0, self.error)
        self.assertEqual(json.loads(self.out), ANSWER)

    def test_request_says_what_to_load_and_what_the_files_tell(self):
        self.probe(ANSWER)
        request = json.loads((self.folder / "request.json").read_text())
        self.assertEqual(request["claims"], {"streams": "yes"})
        kinds = [step[0] for step in request["steps"]]
        self.assertEqual(kinds, ["dlopen", "import", "entry_point", "exec"])
        told = " ".join(one["message"] for one in request["preflight"])
        self.assertIn("/nowhere/libfoo.so", told)
        self.assertIn("torch_foo is not installed", told)

    def test_written_profile_says_the_same_and_what_was_found(self):
        self.assertEqual(self.probe(ANSWER, "--write", "found.yaml"), 0, self.error)
        written = (self.folder / "found.yaml").read_text()
        for words in ("flags: [global, now]", "devices: [0, 1]", "#   amp: no", 'FOO: "one \\\\ two"'):
            self.assertIn(words, written)
        again = self.probe(ANSWER, "--write", "again.yaml", target=("--target", "./found.yaml"))
        self.assertEqual(again, 0, self.error)
        self.assertEqual((self.folder / "again.yaml").read_text(), written)
        self.assertEqual(self.probe(ANSWER, "--write", "found.yaml", target=("--target", "./found.yaml")), 65)
        self.assertIn("found.yaml: is read by this command and is not replaced", self.error)

    def test_answer_that_is_not_complete_is_65(self):
        self.assertEqual(self.probe({**ANSWER, "complete": False}), 65)

    def test_death_after_the_answer_is_told(self):
        (self.folder / "die").touch()
        self.assertEqual(self.probe({**ANSWER, "complete": False}), 65)
        self.assertIn("the probing process died of signal 6", self.error)
        self.assertIn("1. import torch_foo", self.out)

    def test_death_before_any_answer_is_told(self):
        (self.folder / "die").touch()
        self.assertEqual(self.probe(), 65)
        self.assertIn("died of signal 6", self.error)
        self.assertIn("before it could answer", self.error)

    def test_answer_that_is_none_is_refused(self):
        for text in ("{", "[]", "{}"):
            with self.subTest(text=text):
                self.assertEqual(self.probe(text), 65)
                self.assertNotEqual(self.error, "")


if __name__ == "__main__":
    unittest.main()
