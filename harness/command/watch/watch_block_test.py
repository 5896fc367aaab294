# SPDX-License-Identifier: BSD-3-Clause
"""Tests `with assay.watch():` on kernels that the watched program registers. Nothing may be reported but lost values,
changed values and wrong random values."""

import json
import os
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path

from harness.command.fixtures.folder_case import FolderCase
from harness.command.fixtures.schemas import validate
from watch_fixture import BUILD, ROOT

BEGIN = """
import json, os, sys, threading
import torch
import torch_fakedev_faulty
import assay

library = torch.library.Library("aten", "IMPL")
x = torch.rand(3, 3).to("fakedev").requires_grad_()


def kernel(name, afterwards=lambda first: None):
    '''One of the backend for an operator that core composes: right numbers, by way of the CPU.'''
    right = getattr(torch.ops.aten, name)

    def run(*arguments):
        result = right(*(one.cpu() if isinstance(one, torch.Tensor) else one for one in arguments)).to("fakedev")
        afterwards(arguments[0])
        return result

    library.impl(name, run, "PrivateUse1")


def told(found):
    return {"document": found.document, "verdict": found.verdict, "first": found.first, "folder": str(found.folder)}
"""

# broken() calls an operator of the device that changes its input tensors before it uses them.
BROKEN = """
        keys = torch._C.DispatchKeySet(torch._C.DispatchKey.PrivateUse1)

        def broken(name, change):
            kernel = torch.library.get_kernel("aten::" + name, "PrivateUse1")

            def run(*given):
                return kernel.call_boxed(keys, *(change(one) if torch.is_tensor(one) and not one.is_cpu else one for one in given))

            library.impl(name, run, "PrivateUse1")
"""


class Blocks(FolderCase):
    def answer(self, code, fault=""):
        """Returns the variable `answer` of the program."""
        program = self.folder / "cell.py"
        program.write_text(BEGIN + textwrap.dedent(code) + "\nprint(json.dumps(answer))\n", encoding="utf-8")
        paths = [str(ROOT / "harness/python"), str(BUILD / "python")]
        said = subprocess.run([sys.executable, program], capture_output=True, text=True, cwd=self.folder, env={
            **os.environ, "PYTHONPATH": os.pathsep.join(paths), "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "FAKEDEV_FAULT": fault})
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.said = said
        return json.loads(said.stdout)

    def line_of(self, words):
        lines = (self.folder / "cell.py").read_text(encoding="utf-8").splitlines()
        return f"{self.folder / 'cell.py'}:{next(number for number, line in enumerate(lines, 1) if words in line)}"

    def test_block_names_the_wrong_operator_and_leaves_nothing_behind(self):
        answer = self.answer("""
        began = threading.Thread._bootstrap_inner, torch.ctc_loss, torch.accelerator.synchronize
        with assay.watch() as found:
            torch.addmm(x, x, x)  # wrong
            thread = threading.Thread(target=lambda: x.detach().exp())
            thread.start()
            thread.join()
        after = threading.Thread._bootstrap_inner, torch.ctc_loss, torch.accelerator.synchronize
        torch.addmm(x, x, x)
        answer = {**told(found), "same": began == after}
        try:
            with assay.watch(quiet=True, out="second") as found:
                x.exp()
                raise KeyError("of the program")
        except KeyError:
            answer["ended"] = found.document["ended"]
        with assay.watch(quiet=True):
            with assay.watch(quiet=True) as found:
                x.exp()
            answer["inner"] = found.document["ended"]
        """, "kernel.matmul_ignores_beta")
        document = answer["document"]
        validate(document, "watch")
        self.assertEqual((answer["first"]["op"], answer["first"]["line"]), ("aten.addmm.default", self.line_of("# wrong")))
        self.assertEqual({row["name"]: row["calls"] for row in document["operators"]},
                         {"aten.addmm.default": 1, "aten.exp.default": 1, "aten.detach.default": 1})
        self.assertTrue(answer["same"])
        self.assertIn("wrong: 1 of 3 operators", self.said.stderr)
        self.assertIn("KeyError", answer["ended"])
        self.assertIn("an outer watch", answer["inner"])
        self.expect_reproduced(Path(self.folder, answer["folder"], "aten_addmm_default.py"))
        self.expect_a_run(self.folder / answer["folder"])

    def test_attention_of_the_device_is_compared_with_what_the_cpu_composes(self):
        answer = self.answer("""
        rows, mask = torch.rand(1, 2, 4, 8).to("fakedev"), torch.zeros(4, 4)
        mask[1] = torch.finfo(torch.float32).min
        with assay.watch(quiet=True) as found:
            torch.nn.functional.scaled_dot_product_attention(rows, rows, rows)
            torch.nn.functional.scaled_dot_product_attention(rows, rows, rows, mask.to("fakedev"))  # zeros
        answer = told(found)
        """, "ops.lowest_mask_hides_all")
        name = "aten._scaled_dot_product_fused_attention_overrideable.default"
        self.assertEqual((answer["first"]["op"], answer["first"]["line"]), (name, self.line_of("# zeros")))
        row = next(row for row in answer["document"]["operators"] if row["name"] == name)
        self.assertEqual((row["compared"], row["wrong"]), (2, 1))

    def expect_reproduced(self, program):
        environment = {**os.environ, "PYTHONPATH": str(BUILD / "python"), "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
        said = subprocess.run([sys.executable, program], env={**environment, "FAKEDEV_FAULT": "kernel.matmul_ignores_beta"},
                              capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stderr), (1, ""), said.stdout)

    def expect_a_run(self, folder):
        environment = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
        said = subprocess.run([BUILD / "bin/assay", "watch", "--target", "fakedev_faulty", "--read", folder], env=environment,
                              capture_output=True, text=True)
        self.assertEqual(said.returncode, 1, said.stderr)
        self.assertTrue((folder / "journal.jsonl").is_file())

    def test_gradient_that_is_lost_is_named_and_one_that_the_program_gives_up_is_not(self):
        answer = self.answer("""
        kernel("cosine_similarity")
        with assay.watch(quiet=True) as found:
            y = x * 2
            y.detach_()
            kept = x.detach().sign(), x > 0, x.argmax(), torch.zeros_like(x), y.exp()
            with torch.no_grad():
                kept += (x * 3,)
            z = torch.nn.functional.cosine_similarity(x, x)  # lost
            w = x.to(torch.float64)  # not recorded
        answer = told(found)
        """, "autograd.copy_not_recorded")
        self.assertEqual((answer["first"]["op"], answer["first"]["line"]),
                         ("aten.cosine_similarity.default", self.line_of("# lost")))
        self.assertIn("a gradient is lost", answer["first"]["wrong"])
        rows = {row["name"]: row for row in answer["document"]["operators"] if row["wrong"]}
        self.assertEqual(set(rows), {"aten.cosine_similarity.default", "aten._to_copy.default"})
        self.assertEqual(rows["aten._to_copy.default"]["where"], self.line_of("# not recorded"))

    def test_input_that_is_changed_is_named_and_memory_that_the_program_writes_is_not(self):
        answer = self.answer("""
        z = torch.rand(3, 3).to("fakedev")
        kernel("hinge_embedding_loss", lambda first: first.detach().zero_())
        kernel("l1_loss", lambda first: z.zero_())  # nobody sees that
        with assay.watch(quiet=True, everything=True) as found:
            for _ in range(3):
                z.add_(1)
                z.exp()
                torch.nn.functional.l1_loss(x.detach(), x.detach())
                z.exp()
            torch.nn.functional.hinge_embedding_loss(x.detach(), torch.ones(3, 3).to("fakedev"))
        answer = told(found)
        """)
        self.assertEqual([row["name"] for row in answer["document"]["operators"] if row["wrong"]],
                         ["aten.hinge_embedding_loss.default"], answer)
        self.assertIn("input 0 (self) was changed, which this operator must not do", answer["first"]["wrong"])

    def test_input_that_a_fallback_does_not_bring_back_is_named_as_the_schema_does(self):
        answer = self.answer("""
        def by_fallback(*arguments):
            given = (one.cpu() if isinstance(one, torch.Tensor) else one for one in arguments)
            return tuple(one.to("fakedev") for one in torch.native_batch_norm(*given))

        library.impl("native_batch_norm", by_fallback, "PrivateUse1")
        layer = torch.nn.BatchNorm1d(3).to("fakedev")
        with assay.watch(quiet=True, everything=True) as found:
            layer(torch.rand(8, 3).to("fakedev"))
        answer = told(found)
        """)
        self.assertEqual(answer["first"]["op"], "aten.native_batch_norm.default", answer)
        self.assertIn("input 3 (running_mean) has a wrong value after the call", answer["first"]["wrong"])
        self.assertIn("a fallback to the CPU does not copy it back", answer["first"]["wrong"])

    def test_device_that_ignores_offsets_is_not_read_by_its_own_copies(self):
        answer = self.answer(BROKEN + """
        for name in ("_copy_from", "add.Tensor"):
            broken(name, lambda one: one.as_strided(one.shape, one.stride(), 0))
        y = torch.arange(8.).to("fakedev")
        with assay.watch(quiet=True) as found:
            z = y[2:4] + y[2:4]  # [0, 2] there
            z + z
        answer = told(found)
        """)
        self.assertEqual((answer["first"]["op"], answer["first"]["line"]), ("aten.add.Tensor", self.line_of("# [0, 2] there")))
        self.assertIn("expected 4.0", answer["first"]["wrong"])
        rows = {row["name"]: (row["compared"], row["wrong"]) for row in answer["document"]["operators"]}
        self.assertEqual(rows, {"aten.add.Tensor": (2, 1), "aten.slice.Tensor": (2, 0)})
        program = Path(self.folder, answer["folder"], answer["first"]["reproducer"]).with_suffix(".py").read_text()
        self.assertIn("x1 = s0.as_strided((2,), (1,), 2)", program)

    def test_offsets_are_checked_on_a_device_that_copies_only_contiguous_views(self):
        answer = self.answer(BROKEN + """
        def at_the_storage(one):
            if not one.is_contiguous():
                raise NotImplementedError("strided tensors are not supported")
            return one.as_strided(one.shape, one.stride(), 0)

        for name in ("_copy_from", "add.Tensor"):
            broken(name, at_the_storage)
        y = torch.arange(8.).to("fakedev")
        with assay.watch(quiet=True) as found:
            y[2:4] + y[2:4]
        answer = told(found)
        """)
        self.assertEqual((answer["first"] or {}).get("op"), "aten.add.Tensor", answer)
        self.assertIn("expected 4.0", answer["first"]["wrong"])

    def test_device_whose_copies_are_wrong_is_not_judged(self):
        answer = self.answer(BROKEN + """
        y = torch.arange(8.).to("fakedev")
        broken("_copy_from", lambda one: one + 1)
        with assay.watch(quiet=True) as found:
            y.exp()
        answer = told(found)
        """)
        self.assertIsNone(answer["first"])
        self.assertIn("nothing was compared", answer["verdict"])
        self.assertEqual(answer["document"]["uncompared"],
                         [{"reason": "a tensor that is copied to the device and back has other values", "calls": 1}])

    def test_refusal_of_memory_that_is_read_and_written_is_the_cpu_s_as_well(self):
        answer = self.answer("""
        y, refused = torch.arange(8.).to("fakedev"), 0
        with assay.watch(quiet=True) as found:
            for call in (lambda: y[1:].add_(y[:-1]), lambda: y[:1].expand(3).add_(1)):
                try:
                    call()
                except RuntimeError:
                    refused += 1
        answer = {**told(found), "refused": refused}
        """)
        self.assertEqual((answer["first"], answer["refused"]), (None, 2))

    def test_random_operators_are_judged_once_enough_was_drawn(self):
        answer = self.answer("""
        torch.manual_seed(5)

        def dropout(x, p, train):
            kept, mask = torch.ops.aten.native_dropout(x.cpu(), p, train)
            return (kept * 0.9).to("fakedev"), mask.to("fakedev")

        library.impl("native_dropout", dropout, "PrivateUse1")
        with assay.watch(quiet=True) as found:
            torch.ops.aten.native_dropout(x.detach(), 0.3, True)
            for _ in range(9):
                torch.rand(9000, device="fakedev")
                torch.randint(3, 9, (9000,), device="fakedev")
                torch.randn(50, device="fakedev")
        answer = told(found)
        """, "random.integer_includes_high")
        rows = {row["name"]: row for row in answer["document"]["operators"]}
        self.assertEqual((rows["aten.rand.default"]["compared"], rows["aten.rand.default"]["wrong"]), (8, 0))
        self.assertEqual((rows["aten.native_dropout.default"]["wrong"], answer["first"]["op"]), (1, "aten.native_dropout.default"))
        self.assertIn("expected", answer["first"]["wrong"])
        self.assertIn("numbers from 3 to 9, expected from 3 to 8", rows["aten.randint.low"]["seen"])
        self.assertIn({"reason": "it draws random numbers", "calls": 9 + 1 + 1}, answer["document"]["uncompared"])


if __name__ == "__main__":
    unittest.main()
