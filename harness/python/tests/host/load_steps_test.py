# SPDX-License-Identifier: BSD-3-Clause
"""Tests each load step, with success and with failure, without torch."""

import os
import sys
import unittest
import unittest.mock
from pathlib import Path

from assay.host import inventory, load_steps
from harness.command.fixtures.folder_case import FolderCase


class Inventory(FolderCase):
    def test_folder_that_cannot_be_loaded_is_not_read(self):
        """dlopen: / would read the whole disk."""
        library = self.write("x.so", "")
        self.assertNotEqual(inventory.take([("dlopen", str(library), "")])["stamp"], "")
        with unittest.mock.patch.object(Path, "rglob", side_effect=AssertionError):
            self.assertEqual(inventory.take([("dlopen", str(self.folder), "")])["libraries"], [])

    def test_folder_that_vanishes_is_no_error(self):
        with unittest.mock.patch.object(Path, "rglob", side_effect=FileNotFoundError):
            self.assertEqual(inventory.take([("import", str(self.folder), "")])["stamp"], "")


class LoadSteps(FolderCase):
    def setUp(self):
        super().setUp()
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.remove, str(self.folder))

    def refusal(self, *step):
        with self.assertRaises(load_steps.StepError) as caught:
            load_steps.run(*step)
        return str(caught.exception)

    def test_import_by_name_and_by_path_runs_module(self):
        path = str(self.write("stepfoo.py", "import sys; sys.stepfoo = getattr(sys, 'stepfoo', 0) + 1"))
        load_steps.run("import", "stepfoo")
        load_steps.run("import", path)
        self.assertEqual(sys.stepfoo, 2)

    def test_import_of_missing_module_names_it(self):
        self.assertIn("ModuleNotFoundError: No module named 'nosuch'", self.refusal("import", "nosuch"))

    def test_call_calls_and_keeps_result(self):
        self.write("stepcall.py", "calls = []\nclass a:\n    b = staticmethod(lambda: calls.append(1))")
        load_steps.run("call", "stepcall:a.b")
        self.assertEqual(sys.modules["stepcall"].calls, [1])
        self.assertIn("stepcall has no c", self.refusal("call", "stepcall:c"))
        self.assertIn('"module:function"', self.refusal("call", "stepcall"))

    def test_exec_keeps_its_objects_alive(self):
        load_steps.run(
            "exec",
            "import sys, weakref\nclass Machine: pass\nmachine = Machine()\n"
            "sys.stepmachine = weakref.ref(machine)",
        )
        self.assertIsNotNone(sys.stepmachine())

    def test_exit_of_backend_is_a_refusal(self):
        self.assertIn("the backend called exit(3)", self.refusal("exec", "raise SystemExit(3)"))

    def test_entry_point_is_found_by_group_and_name(self):
        self.write("stepentry.py", "loaded = []\ndef start(): loaded.append(1)")
        self.write("stepentry-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: stepentry\nVersion: 1\n")
        self.write("stepentry-1.dist-info/entry_points.txt", "[torch.backends]\nany = stepentry:start\n")
        load_steps.run("entry_point", "any", "torch.backends")
        self.assertEqual(sys.modules["stepentry"].loaded, [1])
        self.assertIn("in group torch.backends (offered:", self.refusal("entry_point", "other"))

    def test_dlopen_of_text_gives_loaders_sentence(self):
        path = str(self.write("libstep.so", "text"))
        self.assertIn("dlopen", self.refusal("dlopen", path, "global")[:6])

    def test_unknown_step_names_the_known_ones(self):
        self.assertIn("import, call, entry_point, exec, dlopen", self.refusal("download", "x"))

    def test_stale_locks_are_found(self):
        self.write("foo/lock")
        os.environ["TORCH_EXTENSIONS_DIR"] = str(self.folder)
        self.addCleanup(os.environ.pop, "TORCH_EXTENSIONS_DIR")
        self.assertEqual(load_steps.stale_locks(), [str(self.folder / "foo/lock")])

    def test_stale_lock_in_the_package_of_a_backend_is_found(self):
        self.write("steppack/__init__.py", "raise ImportError('only looked at')")
        lock = str(self.write("steppack/kernels/lock"))
        os.environ["TORCH_EXTENSIONS_DIR"] = "/nowhere"
        self.addCleanup(os.environ.pop, "TORCH_EXTENSIONS_DIR")
        for step in (("import", "steppack.sub", ""), ("call", "steppack:f", "")):
            self.assertEqual(load_steps.stale_locks([step]), [lock])
        self.assertEqual(load_steps.stale_locks([("import", "nosuch", ""), ("exec", "x", "")]), [])


if __name__ == "__main__":
    unittest.main()
