# SPDX-License-Identifier: BSD-3-Clause
"""Judges a pull request from its headers only: `assay drift` of the two surfaces, combined with the uses of a
backend, and `assay gate --drift` before anything is built. Needs libclang."""

import json
import unittest

import scratch_repository

ALLOCATOR = "upstream/include/c10/core/Allocator.h"
CONST = [("virtual void *allocate(size_t bytes) const = 0;", "virtual void *allocate(size_t bytes) = 0;")]


@unittest.skipUnless((scratch_repository.BUILD / "bin/assay-facts").is_file(), "built without libclang")
class EarlyWarning(scratch_repository.Replay):
    def drift(self, branch, status, *words):
        """Compares the headers of main and of the branch. Returns the file that the gate reads."""
        target = self.folder / f"{branch}.json"
        sides = [self.repository.checkout(name) / "upstream/include" for name in ("main", branch)]
        said = self.repository.assay("drift", *sides, "--sections", "cxx", "--format", "json", "-o", target,
                                     *words, XDG_CACHE_HOME=str(self.folder))  # fmt: skip
        self.assertEqual(said.returncode, status, said.stderr)
        return target

    def uses(self):
        """Returns the uses of PyTorch by the backend of main, made in the same way as by a vendor."""
        path = self.folder / "scratch.uses.json"
        if not path.exists():
            tree = self.repository.checkout("main")
            flags = ["c++", "-std=c++17", "-I", str(tree / "upstream/include")]
            commands = [{"directory": str(tree), "file": str(file), "arguments": [*flags, str(file)]} for file in (tree / "backend").glob("*.cpp")]
            database = self.folder / "compile_commands.json"
            database.write_text(json.dumps(commands))
            said = self.repository.assay("uses", database, tree / "backend", "--name", "scratch", "-o", path)
            self.assertEqual(said.returncode, 0, said.stderr)
        return path

    def judge_early(self, drift):
        out = self.folder / "early.json"
        said = self.repository.assay("gate", "--drift", drift, "--out", out)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.decision = json.loads(out.read_text())
        self.said = said.stdout
        return self.decision["labels"]

    def propose(self, name, edits):
        branches = self.repository.folder / "trees"
        return name if (branches / name).exists() else self.repository.propose(name, edits)

    def test_a_virtual_that_lost_its_const_is_named_before_a_build(self):
        branch = self.propose("const", {ALLOCATOR: CONST})
        labels = self.judge_early(self.drift(branch, 1, "--uses", self.uses()))
        self.assertEqual((labels["add"], labels["remove"]), ([scratch_repository.LABEL], []))
        cause = self.cause("adapt_drift")
        self.assertEqual(cause["kind"], "adaptation")
        self.assertIn("c10::Allocator::allocate(unsigned long) const: const changed (breaks scratch)", cause["text"])
        self.assertIn("Write overrides of allocate as", cause["text"])
        self.assertIn("nothing was built or run yet; backends must adapt", self.decision["summary"])

    def test_with_the_backend_of_the_tree_adapted_others_must_still_follow(self):
        adapted = [("void *allocate(size_t bytes) const override", "void *allocate(size_t bytes) override")]
        branch = self.propose("adapted", {ALLOCATOR: CONST, "backend/allocators.cpp": adapted})
        drift = self.drift(branch, 1, "--uses", self.uses())
        status = self.gate(self.repository.run(branch), self.repository.run("main"), drift=drift)
        self.assert_decided(status, "pass", "add")
        self.assertIn("allocate", self.cause("adapt_drift")["interface"])

    def test_a_change_that_no_backend_uses_gives_no_label(self):
        unused = [("virtual void block(int stream) const = 0;", "virtual void block(int stream) = 0;")]
        branch = self.propose("unused", {"upstream/include/c10/core/Device.h": unused})
        labels = self.judge_early(self.drift(branch, 0, "--uses", self.uses()))
        self.assertEqual((labels["add"], labels["remove"], self.decision["causes"]), ([], [], []))
        labels = self.judge_early(self.drift(branch, 1))
        self.assertEqual(labels["add"], [scratch_repository.LABEL])

    def test_a_comment_gives_no_label(self):
        branch = self.propose("comment", {ALLOCATOR: [("Stand-in", "A stand-in")]})
        self.assertEqual(self.judge_early(self.drift(branch, 0))["add"], [])

    def test_a_hostile_comparison_brings_no_markup_and_no_label_of_its_own(self):
        group = {"id": "G1", "title": "<b>@all\u202e\n#1", "rank": "break", "count": 1, "internal": False}
        entry = {"group": "G1", "advice": "[x](http://x)\x1b[31m"}
        document = {"schema": "assay/drift/1", "groups": [group], "entries": [entry], "backends": []}
        path = self.folder / "hostile.json"
        path.write_text(json.dumps(document))
        labels = self.judge_early(path)
        self.assertEqual(labels["add"], [scratch_repository.LABEL])
        self.assertNotIn("\x1b", self.said)
        self.assertNotIn("\u202e", json.dumps(self.decision, ensure_ascii=False))

    def test_what_is_no_comparison_is_refused(self):
        for text in ("", "[]", '{"schema": "assay/drift/2"}', '{"schema": "assay/drift/1", "groups": 5}', "[" * 100):
            path = self.folder / "bad.json"
            path.write_text(text)
            said = self.repository.assay("gate", "--drift", path)
            self.assertEqual((said.returncode, len(said.stderr.splitlines())), (65, 1), said.stderr)
        self.assertEqual(self.repository.assay("gate", "--drift", path, "--base", path).returncode, 64)


if __name__ == "__main__":
    unittest.main()
