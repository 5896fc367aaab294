# SPDX-License-Identifier: BSD-3-Clause
"""Tests the form of refusals: the exception, the code that raised it, and how it was raised. Also tests that core still
has the assertions in absences.tsv."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import torch
from assay.checks import Case
from assay.refusals import absences, shape as refusals

BACKEND = '''\
import torch

class Own(RuntimeError):
    pass

def says(kind, words="not here"):
    raise kind(words)

def own():
    raise Own("mine")

def attribute_of_none():
    return None.device

def index_of_a_list():
    return [][0]

def key():
    return {}["x"]

def number():
    return int("x")

def missing_name():
    return nothing_of_that_name

def too_deep():
    return too_deep()

def asserts():
    assert False, "never"

def says_after_an_accident():
    try:
        attribute_of_none()
    except AttributeError as error:
        raise ValueError("not on this device") from error

def core_refuses():
    return torch.empty(2).expand(3)

def core_has_no_such_argument():
    return torch.empty(2, dtype=3)
'''


def backend_in(folder):
    path = Path(folder, "a_backend.py")
    path.write_text(BACKEND, encoding="utf-8")
    module = {}
    exec(compile(BACKEND, str(path), "exec"), module)
    return module


def setUpModule():
    """Makes this file count as a suite."""
    refusals.SUITES = str(Path(__file__).parent)


class Shape(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.room = tempfile.TemporaryDirectory(prefix="assay-backend-")
        cls.addClassCleanup(cls.room.cleanup)
        cls.backend = backend_in(cls.room.name)

    def raised_by(self, name, *arguments):
        with self.assertRaises(BaseException) as caught:
            self.backend[name](*arguments)
        return caught.exception

    def is_refusal(self, name, *arguments):
        # assertRaises clears the locals of the frames, but not the traceback
        try:
            self.backend[name](*arguments)
        except BaseException as error:
            return refusals.is_refusal(error)
        return self.fail(f"{name} raised nothing")

    def test_what_a_backend_says_is_a_refusal_whatever_its_words(self):
        for kind in (RuntimeError, NotImplementedError, ValueError, TypeError, AttributeError):
            with self.subTest(kind.__name__):
                self.assertTrue(self.is_refusal("says", kind))
        for name in ("own", "says_after_an_accident", "core_refuses"):
            with self.subTest(name):
                self.assertTrue(self.is_refusal(name))

    def test_what_fell_out_of_it_is_none(self):
        for name in ("attribute_of_none", "index_of_a_list", "key", "number", "missing_name", "too_deep", "asserts",
                     "core_has_no_such_argument"):
            with self.subTest(name):
                self.assertFalse(self.is_refusal(name))

    def test_only_a_type_error_that_names_a_dtype_is_a_refusal_of_cpp(self):
        for call, is_said in (
            (lambda: torch.ones(2, dtype=torch.bfloat16).numpy(), True),  # c10::TypeError: Got unsupported ScalarType BFloat16
            (lambda: torch.add(torch.float32), False),
            (lambda: torch.ones(2) + "float32", False),
            (lambda: int(torch.float32), False),
        ):
            with self.assertRaises(TypeError) as caught:
                call()
            with self.subTest(str(caught.exception).split("\n")[0]):
                try:
                    call()
                except TypeError as error:
                    self.assertEqual(refusals.is_refusal(error), is_said)

    def test_trouble_is_none(self):
        for kind in (torch.OutOfMemoryError, RecursionError, unittest.SkipTest, KeyboardInterrupt, SystemExit, OSError):
            with self.subTest(kind.__name__):
                self.assertFalse(self.is_refusal("says", kind))

    def test_an_internal_assert_is_none_unless_it_stands_in_the_table(self):
        head = 'x INTERNAL ASSERT FAILED at "c10/x.h":7, please report a bug to PyTorch. '
        self.assertFalse(self.is_refusal("says", RuntimeError, head + "Should not happen"))
        self.assertFalse(self.is_refusal("says", NotImplementedError, head + "Should not happen"))
        self.assertTrue(self.is_refusal("says", RuntimeError, head + "Allocator for foo is not a DeviceAllocator."))

    def test_complaint_about_the_size_of_a_result_is_a_wrong_answer(self):
        for words in ("expected out.sizes() == [3], but got [2]", "Expected the output to have 3 dims, but it has 2",
                      "add.out: expected a result of shape [2, 3] but got [3]"):
            with self.subTest(words):
                self.assertFalse(self.is_refusal("says", RuntimeError, words))
                self.assertTrue(self.is_refusal("says", NotImplementedError, words))
        for words in ("expected an input of size 32, but got 3", "expected out to be contiguous", "expected out of dtype float, but got half"):
            with self.subTest(words):
                self.assertTrue(self.is_refusal("says", RuntimeError, words))

    def test_what_a_check_raises_itself_is_none(self):
        try:
            raise RuntimeError("of the suite")
        except RuntimeError as error:
            self.assertFalse(refusals.is_refusal(error))

    def test_the_call_is_its_name(self):
        try:
            torch.empty(2).expand(3)
        except RuntimeError as error:
            self.assertEqual(refusals.means_of(error, None), "torch.empty(2).expand")
        for text, means in {"Could not run 'aten::mm' with": "aten::mm", "not here": "self.backend['says']",
                            "mine: no aten::sort there": "aten::sort"}.items():
            try:
                self.backend["says"](RuntimeError, text)
            except RuntimeError as error:
                self.assertEqual(refusals.means_of(error, None), means)
        self.assertIsNone(refusals.means_of("a text has no shape", None))

    def test_an_operator_that_is_not_there_is_known_by_its_name(self):
        """This also applies to a special case with an unknown message: the backend has no kernel, and core does not
        decompose the operator."""
        for text, means in {"mine: no aten::topk.values": "aten::topk", "no aten::bincount\naten::sort": "aten::bincount",
                            "aten::linear went wrong": None, "aten::topk INTERNAL ASSERT FAILED": None, "aten::no_such": None,
                            "first\naten::topk": None}.items():
            with self.subTest(text):
                self.assertEqual(refusals.means_of(text, None), means)


class Lacks(unittest.TestCase):
    def of(self, words):
        try:
            torch._check(False, lambda: words)
        except RuntimeError as error:
            Case().lacks("streams", error)

    def test_a_refusal_is_a_skip(self):
        with self.assertRaisesRegex(unittest.SkipTest, "streams: "):
            self.of("refused")

    def test_what_broke_is_raised_again(self):
        with self.assertRaisesRegex(RuntimeError, "INTERNAL ASSERT"):
            self.of("x INTERNAL ASSERT FAILED")


class Table(unittest.TestCase):
    def test_core_still_asserts_each_row(self):
        """Tests that the text is in PyTorch's libraries or headers, next to an internal assert."""
        home = Path(torch.__file__).parent
        for row in absences.rows():
            with self.subTest(row["fragment"]):
                self.assertTrue(row["means"] and row["torch"] and row["why"])
                found = subprocess.run(["grep", "-rlF", row["fragment"], home / "include"], capture_output=True)
                self.assertEqual(found.returncode, 0, f"no header of this torch says {row['fragment']!r}")


if __name__ == "__main__":
    unittest.main()
