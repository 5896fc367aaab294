# SPDX-License-Identifier: BSD-3-Clause
"""clients.<client>.<test>: a test of a library on one side, CPU or target. `assay clients` compares both sides.

Reports the outcome that pytest gives. assay.clients decides whether a failure is a difference between the sides.
"""

import contextlib
import importlib
import json
import unittest

from assay.clients.sides import Side
from assay.host import report

KINDS = {"skipped": report.SKIP, "xfailed": report.NOTED, "failed": report.FAIL, "error": report.FAIL}


class ClientTest(unittest.TestCase):
    def __init__(self, identity):
        super().__init__("runTest")
        self.identity = identity

    def run(self, result=None):
        result.testsRun += 1
        self.runTest()

    def runTest(self):
        record = FAMILY.record(self.identity)
        for name in ("outcome", "calls", "message"):
            if record[name]:
                report.note(name, record[name])
        file, _, line = record["where"].rpartition(":")
        if record["outcome"] in KINDS:
            report.finding(KINDS[record["outcome"]], "the test passes", record["message"], None, file, int(line or 0))


class Family:
    """The tests of the client and side of this run."""

    def __init__(self):
        self.side = None

    def warm(self):
        """Reads no tests yet, because test files query the device, and the backend is not loaded yet."""
        importlib.import_module("pytest")

    def start(self):
        if self.side is None:
            self.side = Side(*report.order("listed").split("\n"))
            self.listed = json.loads(self.side.listed.read_text(encoding="utf-8"))

    def loaded(self):
        """Reads the test files. Each job itself reads a file that uses the device while it is read. If reading fails
        here, each job reads the file of its test again and reports the error."""
        self.start()
        files = dict.fromkeys(name.split("::")[0] for name in self.listed["tests"].values())
        files = [file for file in files if file not in self.listed["users"]]
        if files:
            with contextlib.suppress(Exception):
                self.side.read(files)

    def has(self, identity):
        return identity.startswith("clients.")

    def case(self, identity):
        return ClientTest(identity)

    def record(self, identity):
        self.start()
        name = self.listed["tests"].get(identity)
        if name is None:
            return {"outcome": "skipped", "message": "there is no test", "where": "", "calls": 0}
        if name not in self.side.items:
            self.side.read([name.split("::")[0]])
        report.under_way(name)
        return self.side.run(name)


FAMILY = Family()
