# SPDX-License-Identifier: BSD-3-Clause
"""Converts the outcome of one test under unittest to findings. No outcome is reported as better than it is.

| unittest | finding |
|---|---|
| failure, error | fail; blocked if the backend clearly refuses something that the test uses |
| skip | skip, with the reason of the test |
| capability that the device's test base does not declare (`requires_capabilities`, 2.15) | skip, with the text that says where to declare it |
| expected failure | noted: PyTorch knows that the test fails |
| unexpected success | fail: PyTorch states that the test cannot pass |
| subtests | the worst of them; skipped subtests are noted if others passed |
| class or module set-up | as an error of the test |
"""

import importlib
import itertools
import linecache
import numbers
import os
import re
import traceback
import unittest
from collections import abc
from unittest import mock

import torch
from assay.refusals import words as refused_words

HINT = "\n\nTo execute this test"  # PyTorch's test base appends this to every message
SAMPLE = "\n\nCaused by "
NEEDED = "the backend offers what the test uses"
COMPARED = (int, float, complex, bool, str, bytes, tuple, list, dict, set, type(None), torch.Tensor, torch.Size, torch.dtype)
KINDS = (abc.Sequence, abc.Mapping, abc.Set, abc.Iterable, numbers.Number)


def warm():
    """Imports what unittest and PyTorch's tests import on first use, so that not every job needs the time for these
    imports."""
    for name in ("difflib", "inspect", "linecache", "pprint", "traceback", "numpy", "sympy"):
        try:
            importlib.import_module(name)
        except ImportError:
            continue


def warm_up_case(files):
    """Does the first-use work of a PyTorch test once, in the process that will be forked: set-up, seeding, reading
    source lines for stacks (PyTorch formats two per seed), isinstance tests of number and sequence classes. Runs no
    operator and seeds only the CPU."""
    common = importlib.import_module("torch.testing._internal.common_utils")

    class Nothing(common.TestCase):
        def test_nothing(self):
            self.assertTrue(True)

        def test_fails(self):
            self.assertEqual(1, 2)

    generator = torch.default_generator
    seed = generator.initial_seed()
    with mock.patch.object(torch.random, "_seed_custom_device", lambda seed: None):
        for name in ("test_nothing", "test_fails"):
            run(Nothing, name)
    generator.manual_seed(seed)
    for file in (*files, importlib.import_module("torch.testing._internal.common_device_type").__file__):
        linecache.getlines(str(file))
    for compared, kind in itertools.product(COMPARED, KINDS):
        issubclass(compared, kind)


class Outcome(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.bad = []  # (kind, what, seen, subject, place, traceback)
        self.expected = None
        self.unexpected = False
        self.passed_parts = 0
        self.skips = []
        self.errors_seen = []

    # ---- called by unittest

    def addSuccess(self, test):
        self.passed_parts += 1

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is None:
            self.passed_parts += 1
        else:
            self._add(err, f" in subtest {subtest._subDescription()}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._add(err)

    def addError(self, test, err):
        super().addError(test, err)
        self._add(err, "" if isinstance(test, unittest.TestCase) else f" in {test.description}")

    def addSkip(self, test, reason):
        self.skips.append(reason)

    def addExpectedFailure(self, test, err):
        self.expected = _words(_own(err[1]), err[1])

    def addUnexpectedSuccess(self, test):
        self.unexpected = True

    # ---- conversion to findings

    def _add(self, error, where=""):
        exception = _own(error[1])
        if _asks_what_nobody_declared(exception):
            self.skips.append(str(exception).split(HINT)[0].strip())
            return
        words, means = _words(exception, error[1]), _refused(exception)
        self.errors_seen.append(exception)
        kind, what = ("BLOCKED", NEEDED) if means else ("FAIL", f"the test passes{where}")
        text = "".join(traceback.format_exception(*error))
        self.bad.append((kind, what, words, means, place_of(exception.__traceback__ or error[2]), text))

    def findings(self):
        nowhere = (None, 0)
        if self.bad:
            return self.bad
        if self.unexpected:
            what = "the test fails, as PyTorch expects (expectedFailure)"
            return [("FAIL", what, "the test passed", None, nowhere, None)]
        if self.expected:
            what = "the test passes; PyTorch expects that it fails"
            return [("NOTED", what, self.expected, "expected failure", nowhere, None)]
        if self.skips and not self.passed_parts:
            return [("SKIP", "the test runs here", self.skips[0], None, nowhere, None)]
        return []

    def notes(self):
        if self.skips and self.passed_parts:
            yield "subtests skipped", f"{len(self.skips)}, the first: {self.skips[0]}"

    def is_good(self):
        return all(finding[0] not in ("FAIL", "BLOCKED") for finding in self.findings())


def _own(exception):
    """The exception of the test. Tests with an OpInfo wrap this exception in another that names the sample."""
    cause = exception.__cause__
    is_wrapper = type(exception) is Exception and isinstance(cause, Exception) and SAMPLE in str(exception)
    return cause if is_wrapper else exception


def _words(exception, outermost):
    text = str(outermost).split(HINT)[0].strip()
    return f"{type(exception).__name__}: {text}"


def _asks_what_nobody_declared(exception):
    """Returns whether PyTorch's requires_capabilities raised because the device's test base declares the capability
    neither as present nor as absent. The backend is not to blame."""
    frames = traceback.extract_tb(exception.__traceback__)
    is_pytorch = bool(frames) and os.path.basename(frames[-1].filename) == "common_device_type.py"
    return is_pytorch and isinstance(exception, AssertionError) and "has not declared capabilities: " in str(exception)


def _refused(exception):
    """Returns the means that the backend clearly refuses, or None if the exception is a failure."""
    text = str(exception)
    means = _refused_words(text)
    if not means and isinstance(exception, NotImplementedError):
        return text.split("\n")[0][:60]
    return means


def _refused_words(text):
    name = torch._C._get_privateuse1_backend_name()
    absent = re.search(rf"module 'torch\.{name}' has no attribute '(\w+)'", text)
    if absent:
        return f"module.{absent[1]}"
    module = getattr(torch, name, None)
    return refused_words.refused_means(text) or refused_words.missing_in_module(text, module)


def place_of(trace):
    """The innermost line of a test file in the traceback."""
    frames = traceback.extract_tb(trace)
    tests = [one for one in frames if os.path.basename(one.filename).startswith("test_")]
    frame = (tests or frames or [None])[-1]
    return (os.path.basename(frame.filename), frame.lineno) if frame else (None, 0)


def run(case, method):
    """A suite of one test, so that class and module set-up run as for the whole file."""
    outcome = Outcome()
    unittest.TestSuite([case(method)]).run(outcome)
    return outcome


def failed(why):
    outcome = Outcome()
    means = _refused_words(why)
    kind, what = ("BLOCKED", NEEDED) if means else ("FAIL", "the file can be imported")
    outcome.bad.append((kind, what, why, means, (None, 0), None))
    return outcome


def passed():
    return Outcome()
