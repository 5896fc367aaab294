# SPDX-License-Identifier: BSD-3-Clause
"""Tests the cache of builds for one torch. The torch and the compiler are stand-ins of a few files."""

import fcntl
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from assay.builds import torch_builds
from harness.command.fixtures.folder_case import FolderCase

PROGRAM = torch_builds.__name__
PACKAGE = str(Path(torch_builds.__file__).parents[2])
COMPILER = """#!/bin/sh
echo "$@" >> "{log}"
[ -e "{folder}/refuse" ] && {{ echo "cc1plus: error: no" >&2; exit 1; }}
[ -e "{folder}/full" ] && {{ echo "as: x.o: No space left on device" >&2; exit 1; }}
for word; do [ "$last" = -o ] && echo made > "$word"; last=$word; done
"""
WAIT_S = 120  # long, because this time only ends tests that hang


class TorchBuilds(FolderCase):
    def setUp(self):
        super().setUp()
        self.python_path = self.folder
        self.log, self.cache = self.folder / "log", self.folder / "cache"
        (self.folder / "temporary").mkdir()
        self.write("torch/__init__.py", "raise ImportError('nobody asked for torch')")
        self.set_torch("2.13.0")
        self.write("torch/lib/libc10.so", "std::__cxx11::basic_string")
        self.write("data/harness/bridge/bridge_a.cc", "int a;")
        self.write("data/harness/bridge/bridge_b.cc", "int b;")
        self.write("data/harness/bridge/bridge_pch.h", "")
        self.write("data/harness/include/assay/x.h", "")
        self.write("c++", COMPILER.format(log=self.log, folder=self.folder)).chmod(0o755)

    def set_torch(self, version):
        self.write("torch/version.py", f"__version__ = '{version}'\ngit_version = 'abc'\n")

    def start(self, command, *words):
        environment = dict(
            os.environ,
            TMPDIR=str(self.folder / "temporary"),
            PYTHONPATH=os.pathsep.join([PACKAGE, str(self.python_path)]),
            PYTHONDONTWRITEBYTECODE="1",
            XDG_CACHE_HOME=str(self.cache),
            CXX=str(self.folder / "c++"),
        )
        place = [self.folder / "data", self.folder / "libraries"]
        return subprocess.Popen([sys.executable, "-m", PROGRAM, command, *place, *words], text=True,
                                env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def facts(self):
        done = self.start("facts")
        out, error = done.communicate(timeout=WAIT_S)
        self.assertEqual(done.returncode, 0, error)
        names = ("version", "git", "folder", "libpython", "remark", "bridge", "state", "fake", "fake_state")
        return dict(zip(names, out.split("\n")))

    def build(self, *words):
        done = self.start("build", "bridge", "0.1.0", *words)
        _, error = done.communicate(timeout=WAIT_S)
        return done.returncode, error

    def links(self):
        return self.log.read_text(encoding="utf-8").count("-shared")

    def test_facts_do_not_import_torch_and_say_missing_then_cached(self):
        before = self.facts()
        self.assertEqual((before["version"], before["git"]), ("2.13.0", "abc"))
        self.assertEqual(before["state"], "missing")
        self.assertEqual(self.build()[0], 0)
        after = self.facts()
        self.assertEqual(after["state"], "cached")
        self.assertEqual(after["bridge"], before["bridge"])
        self.assertEqual(Path(after["bridge"]).read_text(encoding="utf-8"), "made\n")

    def test_cache_that_cannot_be_written_is_replaced_by_a_private_folder_and_said(self):
        self.cache = Path("/dev/null/cache")  # not even root can make a folder there
        private = self.folder / f"temporary/assay-cache-{os.getuid()}"
        status, error = self.build()
        self.assertEqual(status, 0, error)
        self.assertIn(f"/dev/null/cache/assay cannot be written: caches are in {private}; set XDG_CACHE_HOME", error)
        self.assertEqual(self.facts()["state"], "cached")
        self.assertEqual(private.stat().st_mode & 0o777, 0o700)

    def test_folder_that_others_can_write_is_no_cache(self):
        self.cache = Path("/dev/null/cache")
        private = self.folder / f"temporary/assay-cache-{os.getuid()}"
        private.mkdir()
        private.chmod(0o777)
        self.assertEqual(self.facts()["state"], "missing")
        status, error = self.build()
        self.assertEqual((status, error.count("\n")), (1, 2), error)
        self.assertIn("set XDG_CACHE_HOME", error)

    def test_second_build_compiles_nothing_unless_forced(self):
        self.build()
        self.assertEqual(self.build(), (0, ""))
        self.assertEqual(self.links(), 1)
        self.assertEqual(self.build("--force")[0], 0)
        self.assertEqual(self.links(), 2)
        self.assertEqual(self.facts()["state"], "cached")

    def test_key_changes_with_torch_and_with_each_source(self):
        places = [self.facts()["bridge"]]
        self.set_torch("2.12.0")
        places.append(self.facts()["bridge"])
        self.write("data/harness/include/assay/x.h", "#define X")
        places.append(self.facts()["bridge"])
        self.write("data/harness/bridge/bridge_c.cc", "int c;")
        places.append(self.facts()["bridge"])
        self.write("torch/lib/libc10.so", "std::string")
        places.append(self.facts()["bridge"])
        self.write("torch/include/c10/a.h", "int a;")
        places.append(self.facts()["bridge"])
        self.write("torch/include/c10/a.h", "int b;")
        places.append(self.facts()["bridge"])
        self.write("torch/lib/libtorch_cpu.so", "another build of the same version")
        places.append(self.facts()["bridge"])
        self.write("c++", COMPILER.format(log=self.log, folder=self.folder) + "# a newer one")
        places.append(self.facts()["bridge"])
        self.assertEqual(len(set(places)), len(places), places)

    def test_the_same_torch_in_another_prefix_has_the_same_key(self):
        self.write("torch/include/c10/a.h", "int a;")
        before = self.facts()["bridge"]
        shutil.copytree(self.folder / "torch", self.folder / "elsewhere/torch", copy_function=shutil.copy2)
        (self.folder / "torch").rename(self.folder / "gone")
        self.python_path = self.folder / "elsewhere"
        self.assertEqual(self.facts()["bridge"], before)

    def test_of_two_torches_the_one_that_is_imported_counts(self):
        first = self.facts()["bridge"]
        shutil.copytree(self.folder / "torch", self.folder / "elsewhere/torch")
        self.write("elsewhere/torch/version.py", "__version__ = '2.15.0'\ngit_version = 'abc'\n")
        self.python_path = f"{self.folder / 'elsewhere'}:{self.folder}"
        found = self.facts()
        self.assertEqual((found["version"], found["folder"]), ("2.15.0", str(self.folder / "elsewhere/torch")))
        self.assertNotEqual(found["bridge"], first)

    def test_what_was_built_serves_where_the_compiler_is_gone(self):
        self.build()
        built = self.facts()["bridge"]
        (self.folder / "c++").unlink()
        self.assertEqual((self.facts()["bridge"], self.facts()["state"]), (built, "cached"))

    def test_full_disk_is_named_and_the_compiler_is_not_blamed(self):
        self.write("full", "")
        status, error = self.build()
        self.assertEqual(status, 1)
        self.assertRegex(error, r"assay: no space left on /\S+: free some")
        self.assertNotIn("the compiler refused", error)

    def test_a_build_is_never_silent(self):
        os.mkfifo(self.folder / "begin")
        slow = COMPILER.replace("[ -e", "[ -p {folder}/begin ] && read x < {folder}/begin; [ -e", 1)
        self.write("c++", slow.format(log=self.log, folder=self.folder)).chmod(0o755)
        process = self.start("build", "bridge", "0.1.0")
        first = process.stderr.readline()
        # The compiler waits until the test allows it to continue.
        again = [process.stderr.readline() for _ in range(2)]
        gate = os.open(self.folder / "begin", os.O_RDWR)
        os.unlink(self.folder / "begin")
        os.write(gate, b"\n" * 100)
        process.communicate(timeout=WAIT_S)
        os.close(gate)
        self.assertIn("building the bridge for torch 2.13.0, 3 files", first)
        for line in again:
            self.assertRegex(line, r"bridge: 0 of 3 files, \d+ s")
        self.assertEqual(process.returncode, 0)

    def test_library_of_the_build_is_taken_for_its_own_torch_only(self):
        self.write("libraries/assay_bridge.torch", "2.13.0 abc\n")
        found = self.facts()
        self.assertEqual(found["state"], "built")
        self.assertEqual(found["bridge"], str(self.folder / "libraries/libassay_bridge.so"))
        self.set_torch("2.13.0.dev1")
        self.assertEqual(self.facts()["state"], "missing")

    def test_two_processes_at_once_build_once(self):
        os.mkfifo(self.folder / "begin")
        slow = COMPILER.replace("[ -e", "[ -p {folder}/begin ] && read x < {folder}/begin; [ -e", 1)
        self.write("c++", slow.format(log=self.log, folder=self.folder))
        first = self.start("build", "bridge", "0.1.0")
        first.stderr.readline()  # the build process holds the lock, and its compiler waits for the test
        second = self.start("build", "bridge", "0.1.0")
        waiting = second.stderr.readline()
        # Keeps a writer open, so that readers do not see the end of the pipe.
        gate = os.open(self.folder / "begin", os.O_RDWR)
        os.unlink(self.folder / "begin")
        os.write(gate, b"\n" * 100)
        results = [process.communicate(timeout=WAIT_S)[0] for process in (first, second)]
        os.close(gate)
        self.assertIn(f"waiting for process {first.pid} since", waiting)
        self.assertEqual((first.returncode, second.returncode), (0, 0))
        self.assertEqual(results[0], results[1])
        self.assertEqual(self.links(), 1)

    def test_lock_that_is_held_too_long_names_file_and_holder(self):
        path = self.write("x.lock", "process 4711 since 2026-01-01 00:00:00")
        with open(path, "a", encoding="utf-8") as holder:
            fcntl.flock(holder, fcntl.LOCK_EX)
            with self.assertRaises(torch_builds.BuildError) as caught:
                torch_builds.Lock(path, wait_s=0.01).__enter__()
        for words in (str(path), "process 4711 since 2026", "end it and try again"):
            self.assertIn(words, str(caught.exception))

    def test_lock_of_a_dead_process_is_no_lock(self):
        lock = Path(self.facts()["bridge"]).parent
        self.write(f"cache/assay/{lock.name}.lock", "process 1 since yesterday")
        left = self.folder / "cache/assay" / f".{lock.name}-old"
        left.mkdir()
        self.assertEqual(self.build()[0], 0)
        self.assertFalse(left.exists())

    def test_refusal_of_the_compiler_leaves_nothing_and_repeats_its_words(self):
        self.write("refuse", "")
        status, error = self.build()
        self.assertEqual(status, 1)
        self.assertIn("cc1plus: error: no", error)
        self.assertIn("the compiler refused: ", error)
        left = [path.suffix for path in (self.folder / "cache/assay").iterdir() if not path.name.startswith("headers-")]
        self.assertEqual(left, [".lock"])

    def test_missing_compiler_and_missing_torch_are_one_sentence(self):
        (self.folder / "c++").unlink()
        self.assertIn("there is no C++ compiler", self.build()[1])
        (self.folder / "torch").rename(self.folder / "nothing")
        self.write("torch.py", "")  # this folder hides the interpreter's torch, but contains no torch
        self.assertIn("has no torch: install one", self.build()[1])


if __name__ == "__main__":
    unittest.main()
