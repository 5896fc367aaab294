# SPDX-License-Identifier: BSD-3-Clause
"""Tests that each aspect finds a fault of the fake device, and finds nothing without the fault.

A row has a fault, an operator and dtype that the fault breaks, and the aspect that must find it. Each row runs in a
child process, which loads the device with the fault.
"""

import functools
import unittest
from pathlib import Path

import yaml
# imported before torch, because this module controls what torch loads
from suites.opinfo.sweep_children import in_child, put, test_sweep, word_of

import list_checks  # isort: skip
import torch  # isort: skip
from suites.opinfo.wrong_kernels import KERNELS as WRONG

FAULTS = [
    ("kernel.matmul_ignores_beta", "addmm", "float32", "forward"),
    ("fallback.hidden_writes_lost", "nn_functional_batch_norm", "float32", "inputs"),
    ("autograd.in_place_keeps_version", "add", "float32", "in_place"),
    ("ops.conj_output_ignored", "mm", "complex64", "out_conj_view"),
    ("kernel.ignores_strides", "mul", "float32", "strided"),
    ("kernel.ignores_strides", "mul", "float32", "in_place_strided"),
    ("kernel.ignores_strides", "mul", "float32", "many_dimensions"),
    ("kernel.ignores_strides", "mul", "float32", "out_strided"),
    ("fallback.overlap_unchecked", "cumprod", "float32", "out_overlapping"),
    ("ops.resize_leaves_new_memory", "resize_", "float32", "filled"),
    ("kernel.nan_lost_in_max", "maximum", "float32", "special_values"),
    ("kernel.nan_lost_in_max", "maximum", "float32", "nan_kept"),
    ("ops.empty_tensor_crashes", "clone", "float32", "empty"),
    ("kernel.ignores_strides", "nn_functional_pixel_shuffle", "float32", "channels_last"),
    ("ops.copy_ignores_strides", "clone", "float32", "neg_view"),
    ("ops.products_ignore_conj", "mm", "complex64", "conj_view"),
    ("autograd.slope_wrong", "tanh", "float32", "gradients"),
    ("autograd.slope_wrong", "tanh", "float32", "forward_mode"),
    ("ops.needs_its_device_current", "mul", "float32", "second_device"),
]
CLEAN = ["mul.float32", "mm.complex64", "addmm.float32", "native_batch_norm.float32", "zeros.float32", "gather.int64",
         "tanh.float32", "nn_functional_conv2d.float32", "sum.bool", "tensor_split.float32", "clone.float32",
         "bernoulli.float32", "linalg_svd.complex64", "index_put.int64", "add.bool", "conj_physical.float32",
         "linalg_solve_triangular.complex64", "index_select.float32"]


def refuses_nothing(tensor, *more, out):
    return out.resize_(tensor.shape).copy_(tensor.cpu().asin())


def is_no_view(tensor, dimension):
    return tensor.clone().view(torch.unsqueeze(tensor.cpu(), dimension).shape)


drawn = []


def drifts(tensor):
    drawn.append(tensor)
    return (tensor.cpu().asin() + len(drawn)).to(tensor.device)


def takes_any_output(tensor, dimension, index, *, out):
    return out


def orders_and_answers_late():
    """Replaces asin: the call itself raises nothing, but the next call that waits raises the refusal."""
    ordered = []

    def asin(tensor):
        ordered.append("the board has no aten::asin")
        return tensor.clone()

    def synchronize(*_):
        if ordered:
            raise NotImplementedError(ordered.pop())

    put("asin", asin)
    torch.accelerator.synchronize = synchronize
    setattr(*LACKS["addresses"])


# Kernels that replace the device's own, for defects that no fault of the device has.
KERNELS = [
    ("asin.out", refuses_nothing, "asin", "float32", "out_whole_numbers"),
    ("unsqueeze", is_no_view, "unsqueeze", "float32", "views"),
    ("asin", drifts, "asin", "float32", "repeated"),
    ("index_select.out", takes_any_output, "index_select", "float32", "errors"),
]


def refuse(words):
    def refused(*given, **named):
        raise RuntimeError(words)

    return refused


# Means of the sweep itself. Each entry has an object, a name, and the replacement that refuses.
LACKS = {
    "waiting": (torch.accelerator, "synchronize", refuse("Backend doesn't support synchronizing all streams on device.")),
    "addresses": (torch.Tensor, "data_ptr", refuse("Cannot access data pointer of Tensor that doesn't have storage")),
    "reading": (test_sweep.operator_results, "difference", refuse("Could not run 'aten::copy_' with arguments")),
}


# Musts that only listed checks cover, each with the aspect that finds a violation.
MUSTS = {"OPI-009": "forward", "OPI-011": "strided", "OPI-012": "out", "OPI-013": "in_place", "OPI-015": "gradients",
         "OPI-016": "views", "OPI-017": "second_device", "OPI-019": "empty"}
CONTRACT = yaml.safe_load((Path(__file__).resolve().parent / "contract.yaml").read_text(encoding="utf-8"))


def not_right(notes):
    return {name: text for name, text in notes.items() if text.startswith(("wrong", "noted", "refused"))}


class Sweep(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        test_sweep.FAMILY.warm()

    def test_each_way_of_asking_finds_its_fault(self):
        rows = [(fault, None, *row) for fault, *row in FAULTS] + [("", *row) for row in KERNELS]
        for fault, kernel, *more in rows:
            function, operator, dtype, aspect = more if kernel else (None, *more)
            with self.subTest(fault=fault or kernel, aspect=aspect):
                prepare = functools.partial(put, kernel, function) if kernel else lambda: None
                notes = in_child(f"{operator}.{dtype}", fault, prepare)
                self.assertTrue(notes.get(aspect, "not asked").startswith(word_of(aspect)), notes)

    def test_nothing_is_found_on_the_clean_device(self):
        for identity in CLEAN:
            with self.subTest(identity=identity):
                notes = in_child(identity)
                self.assertEqual(not_right(notes), {})
                self.assertIn("right", notes["forward"])

    def test_what_cannot_be_waited_for_or_has_no_address_is_asked_all_the_same(self):
        for lack in ("waiting", "addresses"):
            with self.subTest(lack=lack):
                notes = in_child("add.float32", prepare=lambda: setattr(*LACKS[lack]))
                self.assertEqual(not_right(notes), {})
                self.assertIn("right", notes["out"])

    def test_a_result_that_cannot_be_read_is_refused_and_not_wrong(self):
        notes = in_child("add.float32", prepare=lambda: setattr(*LACKS["reading"]))
        self.assertIn("refused", notes["forward"])
        self.assertNotIn("wrong", " ".join(text.split()[0] for text in notes.values()))

    def test_an_error_that_comes_late_is_of_the_call_that_ordered_it(self):
        """Data pointers are refused in this child, so the check finds shared memory by writing."""
        notes = in_child("asin.float32", prepare=orders_and_answers_late)
        self.assertIn("refused", notes["forward"])
        self.assertIn("right", notes["in_place"])
        self.assertNotIn("wrong", " ".join(text.split()[0] for text in notes.values()))

    def test_every_way_of_asking_has_a_row_or_is_a_form_of_one(self):
        asked = {aspect for *_, aspect in FAULTS + KERNELS} | {row.aspect for row in WRONG}
        forms = {"out": "out_conj_view", "out_longer": "out_conj_view", "out_other_dtype": "out_conj_view",
                 "column_major": "strided", "zero_dim": "host_scalar", "large_gradients": "gradients"}
        for aspect in test_sweep.operator_aspects.ASPECTS:
            self.assertIn(forms.get(aspect, aspect), asked, f"no fault shows that {aspect} can fail")

    def test_every_listed_must_has_a_way_of_asking(self):
        levels = {clause["id"]: clause["level"] for clause in CONTRACT["requirements"]}
        listed = CONTRACT["listed"]["covers"]
        self.assertEqual(set(MUSTS), {clause for clause in listed if levels[clause] == "must"})
        self.assertLessEqual(set(MUSTS.values()), {"views", *test_sweep.operator_aspects.ASPECTS})
        self.assertEqual([clause for clause in list_checks.COVERS if clause.startswith("OPI")], listed)

    def test_where_it_ran_is_told_apart(self):
        self.assertIn("aten::mul.Tensor", in_child("mul.float32")["native"])
        self.assertIn("aten::asin", in_child("asin.float32")["fallback"])
        self.assertIn("aten::zeros", in_child("zeros.float32")["composite"])


if __name__ == "__main__":
    unittest.main()
