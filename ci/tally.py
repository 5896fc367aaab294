# SPDX-License-Identifier: BSD-3-Clause
"""Prints "N passed, N failed" for a JUnit file of ctest; the last line of ci/test. Before it, what was
skipped and why: whole tests, and cases inside tests that passed, as unittest tells them."""

import collections
import re
import sys
from xml.etree import ElementTree

SKIPPED_CASE = re.compile(r"\.\.\. skipped ['\"](.*)['\"]$", re.M)


def tally(path):
    """Passed, failed, and how often each (test, reason) was skipped."""
    cases = list(ElementTree.parse(path).getroot().iter("testcase"))
    counts = collections.Counter(case.get("status") for case in cases)
    skipped = collections.Counter()
    for case in cases:
        if case.get("status") in ("notrun", "disabled"):
            skipped[case.get("name"), case.get("status")] += 1
        for reason in SKIPPED_CASE.findall(case.findtext("system-out") or ""):
            skipped[case.get("name"), reason] += 1
    return counts["run"], counts["fail"], skipped


def main(path):
    passed, failed, skipped = tally(path)
    for (test, reason), count in sorted(skipped.items()):
        print(f"skipped {count} in {test}: {reason}")
    print(f"{passed} passed, {failed} failed")
    if passed == 0:
        sys.exit("no test was run")


if __name__ == "__main__":
    main(sys.argv[1])
