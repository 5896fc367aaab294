# SPDX-License-Identifier: BSD-3-Clause
"""Finds the unittest methods that are checks, and runs one of them as a job.

A check is a test method whose docstring begins with its id. A failure or an error of unittest becomes a finding, and
only findings decide the verdict. Importing a suite runs no operator.
"""

import importlib.util
import re
import sys
import traceback
import unittest
from pathlib import Path

from assay.host import report


def _import_file(path):
    name = "assay_suite_" + "_".join(path.with_suffix("").parts[-2:])
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _cases(module):
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, unittest.TestCase):
            if value.__module__ == module.__name__:
                yield value


def check_id(method):
    words = (method.__doc__ or "").split()
    return words[0] if words and "." in words[0] else None


class Registry:
    """All Python checks of the suites by id, and the modules in the PRELOAD of their files. If a program lists the
    checks of a file, the file has a FAMILY instead; see suites/README.md."""

    def __init__(self):
        self.checks = {}
        self.families = []
        self.preload = {}  # this dict serves as an ordered set

    def add_folder(self, folder):
        for path in sorted(Path(folder).glob("test_*.py")):
            self.add_file(path)

    def add_file(self, path):
        module = _import_file(Path(path).resolve())
        self.preload.update(dict.fromkeys(getattr(module, "PRELOAD", ())))
        if hasattr(module, "FAMILY"):
            module.FAMILY.warm()
            self.families.append(module.FAMILY)
        for case in _cases(module):
            for name in unittest.TestLoader().getTestCaseNames(case):
                identity = check_id(getattr(case, name))
                if identity:
                    self.checks[identity] = (case, name)

    def loaded(self):
        """Called after this process has loaded the target and before it forks jobs."""
        for family in self.families:
            if hasattr(family, "loaded"):
                family.loaded()

    def case(self, identity):
        """The test case of this check, or None if no Python file has it."""
        if identity in self.checks:
            case, name = self.checks[identity]
            return case(name)
        return next((family.case(identity) for family in self.families if family.has(identity)), None)

    def run(self, identity, case):
        result = Findings(sys.modules[type(case).__module__].__file__)
        try:
            case.run(result)
        except KeyboardInterrupt:  # unittest re-raises only this exception
            result.addError(case, sys.exc_info())
        if result.testsRun != 1:
            raise RuntimeError(f"unittest ran {result.testsRun} tests for {identity}")


def _missing(error):
    """The subject of a refusal: the operator that PyTorch names, else the first line of the message."""
    named = re.search(r"\w+::\w+(\.\w+)?", str(error))
    return named[0] if named else str(error).split("\n")[0][:60]


# Exceptions that unittest or Python would not count as a failure. If the target raises such an exception, the check
# must still fail; only a skip that the suite itself reports counts as a skip.
THROWN_AT_US = (unittest.SkipTest, KeyboardInterrupt, SystemExit, GeneratorExit, report.Ended)


class Findings(unittest.TestResult):
    """Converts the outcome of one test to findings of the job."""

    def __init__(self, suite_file):
        super().__init__()
        self.suite_file = suite_file

    def _place(self, trace):
        """The innermost line of the suite in the traceback, else the line that raised the exception."""
        frames = traceback.extract_tb(trace)
        ours = [frame for frame in frames if frame.filename == self.suite_file]
        frame = (ours or frames or [None])[-1]
        return ("/".join(frame.filename.split("/")[-3:]), frame.lineno) if frame else (None, 0)

    def _report(self, kind, what, error, subject=None):
        exception_type, exception, trace = error
        seen = f"{exception_type.__name__}: {exception}" if what else None
        file, line = self._place(trace)
        report.finding(kind, what or str(exception), seen, subject, file, line)
        report.note("traceback", "".join(traceback.format_exception(*error))[-6000:])

    def addFailure(self, test, err):
        self._report(report.FAIL, None, err)

    def addError(self, test, err):
        if issubclass(err[0], report.Ended) and report.said():
            return  # the test base has already reported a finding and ended the check
        if issubclass(err[0], THROWN_AT_US):
            self._report(report.BROKEN, "no exception or skip that only the check itself may raise", err)
        elif not isinstance(test, unittest.TestCase) or getattr(err[1], "assay_broken", False):
            self._report(report.BROKEN, "the check could be run", err)
        elif issubclass(err[0], NotImplementedError):
            what = "the backend does not offer what the check relies on"
            self._report(report.BLOCKED, what, err, _missing(err[1]))
        else:
            self._report(report.FAIL, "no exception", err)

    def addSubTest(self, test, subtest, err):
        if err is not None and issubclass(err[0], test.failureException):
            self.addFailure(test, err)
        elif err is not None:
            self.addError(test, err)

    def addSkip(self, test, reason):
        what = "no exception or skip that only the check itself may raise"
        report.finding(report.BROKEN, what, f"SkipTest: {reason}")

    def addExpectedFailure(self, test, err):
        self._report(report.BROKEN, "the check is not marked as an expected failure", err)

    def addUnexpectedSuccess(self, test):
        report.finding(report.BROKEN, "the check is not marked as an expected failure")
