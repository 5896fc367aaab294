# SPDX-License-Identifier: BSD-3-Clause
"""Prints "N passed, N failed" for a JUnit file of ctest, as the last line of ci/test. Before this line, prints the
skipped tests and the skipped cases of unittest with their reasons, and a few lines for each failed test, because logs
are often cut."""

import collections
import re
import sys
from xml.etree import ElementTree

SKIPPED_CASE = re.compile(r"\.\.\. skipped ['\"](.*)['\"]$", re.M)
TELLING = re.compile(r"^(?:FAIL|ERROR|\w*Error|SURVIVED|FAILED|undecided|FATAL)\b.*$", re.M)
LINES = 12  # most lines with the reason of a failed test, and most lines from its end
WIDTH = 300


def failures(path):
    """For each failed test, the lines with the reason and the last lines."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.get("status") == "fail":
            output = case.findtext("system-out") or ""
            telling, end = TELLING.findall(output)[:LINES], output.strip().splitlines()[-LINES:]
            yield case.get("name"), [line[:WIDTH] for line in dict.fromkeys(telling + end)]


def tally(path):
    """Returns the numbers of passed and failed tests, and how often each (test, reason) was skipped."""
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
    for test, lines in failures(path):
        print(f"failed: {test}", *lines, sep="\n    ")
    print(f"{passed} passed, {failed} failed")
    if passed == 0:
        sys.exit("no test was run")


if __name__ == "__main__":
    main(sys.argv[1])
