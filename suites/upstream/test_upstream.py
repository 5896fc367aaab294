# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch's own device-generic tests as checks: upstream.<file>.<class>.<test>.

The tests are PyTorch's, unchanged. FAMILY finds and imports the tests. `UpstreamTest` runs one on the device. If the
test does not pass, a second job runs the test on the CPU and then on the device (second_look.py). During this job,
assay watches the test and looks for the failing call.
"""

import unittest

import torch
from assay.host import report
from assay.operators import torch_testing
from suites.upstream import device_tests, second_look, unittest_outcome


class UpstreamTest(unittest.TestCase):
    """One test of PyTorch. unittest counts it as one test, even if it has subtests."""

    def __init__(self, identity):
        super().__init__("runTest")
        self.identity = identity

    def run(self, result=None):
        result.testsRun += 1
        self.runTest()

    def runTest(self):
        look = report.order("second-look")
        if look:
            second_look.take(FAMILY, self.identity, look)
        else:
            tell(FAMILY.outcome(self.identity))


def tell(outcome):
    """Reports the outcome as findings of this job."""
    for kind, what, seen, subject, place, traceback in outcome.findings():
        report.finding(getattr(report, kind), what, seen, subject, *place)
        if traceback:
            report.note("traceback", traceback[-6000:])
    for key, value in outcome.notes():
        report.note(key, value)


class Family:
    """The tests of the folder of this run, imported once per process."""

    def __init__(self):
        self.tests = {}  # id -> Test
        self.files = {}  # file -> path
        self.seen = {}  # file -> the reason why it has no tests, or None
        self.announced = False

    def warm(self):
        """Runs before the target is loaded. The test files must be imported later."""
        torch_testing.prepare()
        unittest_outcome.warm()

    def loaded(self):
        """Runs when the target is loaded, in the process that will be forked: imports everything that the run may
        need."""
        for file in self.wanted():
            self.import_file(file)
        unittest_outcome.warm_up_case(path for file, path in self.files.items() if self.seen[file] is None)

    def wanted(self):
        if not self.files:
            folder, _, selection = (report.order("listed") or "").partition("\n")
            self.files = device_tests.wanted_files(folder, selection)
        return self.files

    def has(self, identity):
        return identity.startswith("upstream.")

    def case(self, identity):
        return UpstreamTest(identity)

    def import_file(self, file):
        if file in self.seen:
            return
        name = torch._C._get_privateuse1_backend_name()
        try:
            if not self.announced:
                device_tests.announce(name)
                self.announced = True
            path = self.wanted()[file]
            why = device_tests.why_not_generic(path)
            tests = [] if why else device_tests.tests_of(device_tests.import_file(path), file, name)
            self.tests.update((test.id, test) for test in reversed(tests))
            self.seen[file] = why
        except device_tests.Refused as refusal:
            self.seen[file] = str(refusal)

    def file_of(self, identity):
        rest = identity.partition(".")[2]
        while rest and rest not in self.wanted():
            rest = rest.rpartition(".")[0]
        return rest

    def test(self, identity):
        """Returns the Test, or None if its file cannot be imported here."""
        file = self.file_of(identity)
        self.import_file(file)
        return self.tests.get(identity)

    def outcome(self, identity):
        test = self.test(identity)
        if test is not None:
            return unittest_outcome.run(test.case, test.method)
        why = self.seen[self.file_of(identity)]
        if why is None and not identity.endswith(".import"):
            return unittest_outcome.failed(f"the file has no test {identity}")
        return unittest_outcome.failed(why) if why else unittest_outcome.passed()


FAMILY = Family()
