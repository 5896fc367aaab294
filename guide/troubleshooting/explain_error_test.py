# SPDX-License-Identifier: BSD-3-Clause
"""assay explain --error: a text finds its entry in any pasted form, and an unknown text is reported as unknown."""

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from explain_error import Entry, find, nearest, read_entries

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin/assay"
EVENTS = "Backend doesn't support events."


def explain(*words, said=""):
    return subprocess.run([ASSAY, "explain", *words], input=said, capture_output=True, text=True, timeout=60)


def entry(text, name="one"):
    return Entry(name, text, "cause", "repair", "steps/guard")


class Found(unittest.TestCase):
    def names(self, text, *texts):
        return [found.name for found in find(text, [entry(one, one) for one in texts])]

    def test_white_space_and_case_make_no_difference(self):
        self.assertEqual(self.names("RuntimeError: no\n  GUARD there", "no guard"), ["no guard"])

    def test_the_full_stop_may_be_left_out(self):
        self.assertEqual(self.names("no guard there", "no guard there."), ["no guard there."])

    def test_words_in_angles_stand_for_anything(self):
        self.assertEqual(self.names("no device 'a b' here", "no device '<name>' here"), ["no device '<name>' here"])
        self.assertEqual(self.names("no device '' here", "no device '<name>' here"), [])

    def test_the_entry_that_says_more_wins(self):
        self.assertEqual(self.names("no kernel of view for foo", "no kernel of <op> for foo", "no kernel of view for <device>"),
                         ["no kernel of view for <device>"])

    def test_a_chain_has_several(self):
        self.assertEqual(self.names("no driver. Then: loading failed", "loading failed", "no driver", "other"),
                         ["loading failed", "no driver"])


class Near(unittest.TestCase):
    def test_rare_words_lead_to_it(self):
        entries = read_entries()
        self.assertEqual(nearest("backend doesn't do elapsedTime", entries).name, "guard-elapsed-time")
        self.assertIsNone(nearest("hello world", entries))


class Guide(unittest.TestCase):
    def show(self, *words):
        return subprocess.run([ASSAY, "guide", *words], cwd="/", capture_output=True, text=True, timeout=60)

    def test_every_page_contains_its_code_and_names_other_pages_by_their_command(self):
        told = self.show()
        self.assertEqual(told.returncode, 0, told.stderr)
        pages = re.findall(r"(?m)^  (\w+) +\S", told.stdout)
        self.assertLessEqual({Path(entry.page).name for entry in read_entries()}, set(pages))
        for page in pages:
            with self.subTest(page=page):
                text = self.show(page).stdout
                self.assertRegex(text, "^# ")
                self.assertNotRegex(text, r"literalinclude|```|\]\(")
        self.assertIn("    at::Tensor empty(", self.show("first_tensor").stdout)
        self.assertIn("`assay guide views`", self.show("serialization").stdout)

    def test_no_such_page(self):
        told = self.show("stream")
        self.assertEqual((told.returncode, told.stdout), (64, ""))
        self.assertIn("the guide has no page stream; its pages: index, backend_author", told.stderr)


class Told(unittest.TestCase):
    def test_cause_repair_and_page(self):
        told = explain("--error", f"RuntimeError: {EVENTS}")
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        self.assertRegex(told.stdout, r"(?m)^cause .*\n(?s:.*)^repair .*\n(?s:.*)^page +assay guide streams$")

    def test_a_log_from_standard_input(self):
        told = explain("--error", "-", said=f"Traceback ...\nRuntimeError: {EVENTS}\n")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("record, block or queryEvent", told.stdout)

    def test_json(self):
        told = json.loads(explain("--error", EVENTS, "--format", "json").stdout)
        self.assertEqual((told["schema"], told["entries"][0]["name"], told["nearest"]),
                         ("assay/explain/1", "guard-events", None))

    def test_a_text_that_is_only_near(self):
        told = explain("--error", "this backend has no support for elapsedTime")
        self.assertEqual(told.returncode, 1)
        self.assertIn("no entry has this text; the nearest one is", told.stderr)
        self.assertIn("elapsedTime", told.stdout)

    def test_a_text_like_none(self):
        told = explain("--error", "segmentation fault")
        self.assertEqual((told.returncode, told.stdout), (1, ""))
        self.assertRegex(told.stderr, r"none of \d+ entries is similar to this text")

    def test_no_text(self):
        self.assertEqual(explain("--error", " ").returncode, 64)
        self.assertEqual(explain("--error", "-").returncode, 64)
        told = explain("--error", EVENTS, "DEV-004")
        self.assertEqual(told.returncode, 64)
        self.assertIn("takes one name, or --header FILE, or --error TEXT", told.stderr)


if __name__ == "__main__":
    unittest.main()
