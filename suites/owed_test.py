# SPDX-License-Identifier: BSD-3-Clause
"""A backend violates a must by refusing its subject, whatever the text of the exception is. If the clause is a should,
has a capability, or the refused call is only a means, the backend only lacks something."""

import unittest

from assay.checks import owed

from suites.fixtures.run_case import RunCase

CONTRACT = """\
module: {name: mine, prefix: OWN, title: What our users count on}
requirements:
  - {id: OWN-001, level: must, text: The module counts., why: W., anchor: torch/x.py:device_count,
     about: [module.device_count]}
  - {id: OWN-002, level: should, text: The module counts., why: W., anchor: torch/x.py:device_count,
     about: [module.device_count]}
  - {id: OWN-003, level: must, text: The module counts., why: W., anchor: torch/x.py:device_count,
     about: [module.device_count], capability: rng}
  - {id: OWN-004, level: must, text: All seeds are set., why: W., anchor: torch/x.py:manual_seed_all,
     about: [module.manual_seed_all]}
  - {id: OWN-005, level: must, text: Something else., why: W., anchor: x.h:x, about: []}
checks:
  - {id: mine.must, covers: [OWN-001], hint: H.}
  - {id: mine.should, covers: [OWN-002], hint: H.}
  - {id: mine.with_a_capability, covers: [OWN-003], hint: H.}
  - {id: mine.of_a_capability, covers: [OWN-004], hint: H.}
  - {id: mine.means, covers: [OWN-005], hint: H.}
  - {id: mine.other_clause, covers: [OWN-001, OWN-005], hint: H.}
  - {id: mine.wants_an_error, covers: [OWN-001], hint: H.}
"""
TESTS = '''\
from assay.checks import Case

SAYS = {}
exec(compile("def refuse(*_): raise RuntimeError('cannot be asked')", "/a_backend.py", "exec"), SAYS)


class Mine(Case):
    def count(self):
        self.device_module.device_count = SAYS["refuse"]
        self.expect_equal(self.device_module.device_count(), 2, "it counts")

    def test_must(self):
        """mine.must"""
        self.count()

    def test_should(self):
        """mine.should"""
        self.count()

    def test_with(self):
        """mine.with_a_capability"""
        self.count()

    def test_of(self):
        """mine.of_a_capability"""
        self.device_module.manual_seed_all = SAYS["refuse"]
        self.device_module.manual_seed_all(1)

    def test_means(self):
        """mine.means"""
        self.count()

    def test_other(self):
        """mine.other_clause"""
        self.clause("OWN-005")
        self.count()

    def test_error(self):
        """mine.wants_an_error"""
        self.expect_raises(RuntimeError, "a bad argument is refused", self.refused)

    def refused(self):
        exec(compile("raise RuntimeError(\\"But the func `device_count` is missing\\")", "/a_backend.py", "exec"))
'''
VERDICTS = {
    "mine.must": "fail",
    "mine.should": "blocked",
    "mine.with_a_capability": "blocked",
    "mine.of_a_capability": "blocked",
    "mine.means": "blocked",
    "mine.other_clause": "blocked",
    "mine.wants_an_error": "fail",
}


class Names(unittest.TestCase):
    def test_a_refused_call_is_known_by_its_name(self):
        text = "A-1:guard.setDevice A-2:module.device_count A-2:aten::empty.memory_format"
        for refused, clause, held in (
            ("guard.setDevice", None, True),
            ("torch.accelerator.set_device_index", None, True),
            ("torch.accelerator.set_device_index", "A-2", False),
            ("self.device_module.device_count", "A-2", True),
            ("torch.empty", None, True),
            ("torch.empty_like", None, False),
            ("aten::empty.out", None, False),
            ("a call of the check", None, False),
        ):
            with self.subTest(refused, clause=clause):
                self.assertIs(owed.is_owed(text, clause, refused), held)
        self.assertFalse(owed.is_owed("", None, "guard.setDevice"))


class Verdicts(RunCase):
    def test_who_refuses_what_a_must_is_about_breaks_it(self):
        ends = self.run_suites("--suite", self.write_suite(CONTRACT, TESTS), "--select", "mine", statuses=(1, 2))
        self.assertEqual({one: end["verdict"] for one, end in ends.items() if one.startswith("mine.")}, VERDICTS)


if __name__ == "__main__":
    unittest.main()
