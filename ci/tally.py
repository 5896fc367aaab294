# SPDX-License-Identifier: BSD-3-Clause
"""Prints "N passed, N failed" for a JUnit file of ctest; the last line of ci/test."""

import sys
from xml.etree import ElementTree


def tally(path):
    suite = ElementTree.parse(path).getroot()
    failed = sum(case.get("status") == "fail" for case in suite.iter("testcase"))
    skipped = sum(case.get("status") in ("notrun", "disabled") for case in suite.iter("testcase"))
    passed = len(list(suite.iter("testcase"))) - failed - skipped
    return passed, failed, skipped


if __name__ == "__main__":
    passed, failed, skipped = tally(sys.argv[1])
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    if passed == 0:
        sys.exit("no test was run")
