# SPDX-License-Identifier: BSD-3-Clause
"""The suites on one backend of the fleet: every listed defect is reported, and nothing else.

    python fleet_test.py hostram crowd      prints what a run says of them, as tables
    FLEET_BACKEND=hostram ... fleet_test.py the test: nothing but what open.tsv has is open
"""

import os
import sys
import unittest

from fleet_comparison import compare, surprises
from fleet_lists import HERE, backends, read_defects, read_open
from fleet_run import checks_of


def compared(backend):
    return compare(read_defects(HERE / backend / "defects.tsv"), checks_of(backend))


def table(backend, comparison):
    """What a run says of a backend, one line for each thing one may want to know."""
    yield f"{backend}: {len(comparison.reported)} reported, {len(comparison.missed)} missed, " \
          f"{len(comparison.blocked)} blocked, {len(comparison.false)} false, " \
          f"{comparison.share:.1f} % without a verdict"
    for state in ("reported", "missed", "blocked"):
        for name, checks in getattr(comparison, state).items():
            yield f"  {state:<9} {name:<28} {', '.join(checks)}"
    yield from (f"  false     {check}" for check in comparison.false)
    yield from (f"  {count:>3} checks without a verdict: {reason}" for reason, count in comparison.means.items())


class Fleet(unittest.TestCase):
    maxDiff = None

    def test_nothing_is_open_but_what_is_listed(self):
        backend = os.environ["FLEET_BACKEND"]
        comparison = compared(backend)
        lines = [line for line in read_open() if line.backend == backend]
        told = "\n".join(table(backend, comparison))
        print(told)
        self.assertEqual(list(surprises(comparison, lines)), [], told)


def main(names):
    for name in names:
        if name not in backends():
            sys.exit(f"fleet_test.py: {name} is no backend of the fleet, which has {', '.join(backends())}")
        print("\n".join(table(name, compared(name))))


if __name__ == "__main__":
    named = [word for word in sys.argv[1:] if not word.startswith("-")]
    main(named) if named else unittest.main()
