# SPDX-License-Identifier: BSD-3-Clause
"""Tests the command line of `assay drift`: exit statuses, formats, and one sentence for invalid input."""

import json
import os
import signal
import subprocess
import tempfile
import unittest
from itertools import product
from pathlib import Path

from assay.facts.dump_file import write_dump

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin/assay"
HEAD = {"torch": "2.13.0", "git": "", "side": "include", "sections": ["cxx"], "macros": [], "std": "c++20"}
METHOD = {"id": "cxx:c10::A::f()", "kind": "method", "header": "c10/a.h", "line": 3, "returns": "void", "parameters": []}


class Command(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.old = self.dump("old", METHOD)
        self.new = self.dump("new")

    def dump(self, name, *facts, **head):
        path = self.folder / f"{name}.drift.xz"
        write_dump(path, {**HEAD, **head}, {fact["id"]: fact for fact in facts}, {})
        return path

    def assay(self, *words, status=0):
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}
        done = subprocess.run([ASSAY, "drift", *words], capture_output=True, text=True, timeout=120, env=environment)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_same_dumps_are_no_news(self):
        self.assertIn("nothing that a backend must know", self.assay(self.old, self.old).stdout)

    def test_a_break_is_told_with_its_advice(self):
        text = self.assay(self.old, self.new, status=1).stdout
        self.assertIn("BREAKS\n  c10::A::f(): removed\n      c10/a.h:3", text)
        self.assertIn("do     Stop using c10::A::f()", text)

    def test_what_went_and_came_back_is_marked(self):
        earlier = self.dump("earlier", METHOD, torch="2.11.0")
        shown = ("--rank", "info", "--earlier")
        text = " ".join(self.assay(self.new, self.old, *shown, earlier).stdout.split())
        self.assertIn("It was removed and added again: 2.11.0 had it.", text)
        lacks = self.dump("lacks", torch="2.10.0")
        text = " ".join(self.assay(self.old, self.new, *shown, f"{earlier},{lacks}", status=1).stdout.split())
        self.assertIn("It was added and removed again: 2.10.0 did not have it.", text)
        self.assertNotIn("2.11.0", text)

    def test_json_goes_into_a_file_in_one_step(self):
        target = self.folder / "out.json"
        self.assay(self.old, self.new, "--format", "json", "-o", target, status=1)
        self.assertEqual(json.loads(target.read_text())["schema"], "assay/drift/1")
        self.assertEqual([], list(self.folder.glob("*.part")))

    def test_a_backend_is_told_what_it_must_do(self):
        uses = self.folder / "mine.json"
        entry = {"id": METHOD["id"], "ways": {"override": ["source"]}, "where": ["mine.cc:7"]}
        uses.write_text(json.dumps({"schema": "assay/uses/1", "name": "mine", "torch": [], "entries": [entry]}))
        text = self.assay(self.old, self.new, "--uses", uses, status=1).stdout
        self.assertIn("mine: breaks at 1, must look at 0, 0 safe\n\nBREAKS\n  c10::A::f(): removed\n      c10/a.h:3\n      use    overrides c10::A::f() (mine.cc:7). Stop using", text)
        self.assertIn("no other groups", text)
        entry["id"] = "cxx:c10::B::f()"
        uses.write_text(json.dumps({"schema": "assay/uses/1", "name": "mine", "torch": [], "entries": [entry]}))
        text = self.assay(self.old, self.new, "--uses", uses, status=0).stdout
        self.assertIn("breaks at 0, must look at 0, 1 safe", text)
        self.assertIn("other groups, which concern no given backend: 1 (1 break); --all-groups shows them", text)
        self.assertNotIn("c10::A::f()", text)
        self.assertIn("BREAKS\n  c10::A::f(): removed", self.assay(self.old, self.new, "--uses", uses, "--all-groups", status=0).stdout)

    def test_hostile_uses_are_refused_before_anything_is_parsed(self):
        uses = self.folder / "hostile.json"
        uses.write_text("[" * 100000)
        done = self.assay(self.old, self.new, "--uses", uses, status=65)
        self.assertIn("hostile.json: JSON is nested too deeply", done.stderr)

    def test_an_older_dump_without_a_section_is_undecided(self):
        both = self.dump("both", METHOD, sections=["cxx", "ops"])
        self.assertIn("undecided: ops: only one side has these facts", self.assay(self.old, both, status=2).stdout)

    def test_bad_input_is_one_sentence(self):
        self.folder.joinpath("broken.xz").write_text("no")
        rows = (
            ((), 64, "give an old and a new PyTorch"),
            ((self.old,), 64, "expected two versions of PyTorch"),
            ((self.old, self.new, self.new), 64, "expected two versions of PyTorch"),
            ((self.old, "/nowhere"), 65, "/nowhere: no such folder, wheel, interpreter or dump"),
            ((self.old, self.folder), 65, "no PyTorch there"),
            ((self.old, self.folder / "broken.xz"), 65, "not a dump of assay drift"),
            (("dump", "/nowhere"), 64, "assay drift dump SIDE -o FILE"),
            (("dump", "/nowhere", "-o", "/nowhere/a.xz"), 71, "there is no folder /nowhere"),
            ((self.old, self.new, "--sections", "cxx,all"), 64, "there is no section 'all'"),
            ((self.old, self.new, "--format", "xml"), 64, "--format is one of"),
            ((self.old, self.new, "-o", "/nowhere/a.txt"), 71, "cannot be written"),
        )
        for words, status, sentence in rows:
            with self.subTest(words):
                done = self.assay(*words, status=status)
                self.assertIn(sentence, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertLessEqual(len(done.stderr.splitlines()), 2)

    def test_what_a_terminal_must_not_see_is_not_shown(self):
        hostile = self.dump("hostile", {**METHOD, "id": "cxx:c10::\x1b[2J\ud800\u202e::f()"})
        text = self.assay(hostile, self.new, status=1).stdout
        self.assertIn("c10::\\u001b[2J?\\u202e::f(): removed", text)

    def test_what_cannot_be_written_leaves_nothing_behind(self):
        taken = self.folder / "taken"
        taken.mkdir()
        self.assertIn("taken: cannot be written", self.assay(self.old, self.new, "-o", taken, status=71).stderr)
        self.assertEqual(list(self.folder.glob("*.part")), [])

    def test_whoever_is_ended_leaves_nothing_behind(self):
        """The compiler is a stand-in that reports its start and never ends."""
        scratch, ready = self.folder / "scratch", self.folder / "ready"
        scratch.mkdir()
        os.mkfifo(ready)
        stand_in = self.folder / "facts"
        stand_in.write_text(f'#!/bin/sh\necho $$ > {ready}\nexec tail -f /dev/null\n')
        stand_in.chmod(0o755)
        (self.folder / "inc/c10/core").mkdir(parents=True)
        (self.folder / "inc/c10/core/Device.h").write_text("struct A {};\n")
        environment = {**os.environ, "ASSAY_FACTS": str(stand_in), "TMPDIR": str(scratch), "XDG_CACHE_HOME": str(self.folder / "cache")}
        both = ("dump", "inc", "-o", "a.drift.xz"), (self.old, "inc", "-o", "a.txt")
        for words, number in product(both, (signal.SIGTERM, signal.SIGPIPE)):
            before = sorted(self.folder.iterdir())
            running = subprocess.Popen([ASSAY, "drift", *words, "--sections", "cxx", "--no-cache"], env=environment, cwd=self.folder)
            compiler = int(ready.read_text())
            running.send_signal(number)
            self.assertEqual(running.wait(60), 128 + number)
            os.kill(compiler, signal.SIGKILL)
            self.assertEqual((sorted(self.folder.iterdir()), list(scratch.iterdir())), (before, []), words)

    def test_a_header_that_leans_on_others_is_told_of_dumps_made_alone(self):
        if not (ASSAY.parent / "assay-facts").is_file():
            self.skipTest("built without libclang")
        dumps = []
        for name, first in (("own", '#include "c10/core/Stream.h"\n'), ("leans", "")):
            core = self.folder / name / "c10/core"
            core.mkdir(parents=True)
            (core / "Stream.h").write_text("#pragma once\nstruct Stream {};\n")
            (core / "Event.h").write_text(f"#pragma once\n{first}struct Event {{ Stream on; }};\n")
            for alone in ((), ("--alone",)):
                dumps.append(self.folder / f"{name}{len(alone)}.drift.xz")
                self.assay("dump", self.folder / name, "-o", dumps[-1], "--sections", "cxx", "--headers", "c10/core/Stream.h,c10/core/Event.h", *alone)
        self.assertIn("nothing that a backend must know", self.assay(dumps[0], dumps[2]).stdout)
        told = self.assay(dumps[1], dumps[3]).stdout
        self.assertIn("c10/core/Event.h: no longer compiles on its own", told)
        self.assertIn("unknown type name 'Stream'", told)
        self.assertIn("nothing that a backend must know", self.assay(dumps[0], dumps[3]).stdout)

    def test_a_standard_nobody_knows_is_said(self):
        if not (ASSAY.parent / "assay-facts").is_file():
            self.skipTest("built without libclang")
        header = self.folder / "inc/c10/core/Device.h"
        header.parent.mkdir(parents=True)
        header.write_text("struct A {};\n")
        words = ("dump", self.folder / "inc", "-o", self.folder / "a.drift.xz", "--sections", "cxx", "--headers", "c10/core/Device.h")
        self.assay(*words)
        done = self.assay(*words, "--std", "c++99", status=65)
        self.assertIn("c++99", done.stderr)
        (self.folder / "taken").mkdir()
        done = self.assay(*words[:2], "-o", self.folder / "taken", *words[4:], status=71)
        self.assertIn("taken: cannot be written", done.stderr)
        self.assertEqual(list(self.folder.glob(".*.part")), [])


if __name__ == "__main__":
    unittest.main()
