# SPDX-License-Identifier: BSD-3-Clause
"""The kill matrix as a page in a real headless Chromium: links by anchor, keys, and accessibility in
light and dark. Without Chromium it is skipped, and says so; ASSAY_AXE names axe.min.js (ci/full)."""

import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "reports" / "render" / "html"))
import browser
import prove_test

SCREENSHOTS = os.environ.get("ASSAY_SCREENSHOTS", "")


class KillMatrix(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not (browser.CHROMIUM and browser.DRIVER):
            raise unittest.SkipTest("chromium or chromedriver is not installed")
        proof = prove_test.Proof()
        cls.addClassCleanup(proof.doCleanups)
        proof.setUp()
        cls.page = proof.folder / "kills.html"
        proof.prove(f"--html={cls.page}")

    def visit(self, dark=False, address=""):
        opened = browser.Browser(dark=dark)
        self.addCleanup(opened.close)
        opened.open(self.page.as_uri() + address)
        return opened

    def test_a_survivor_is_a_link_to_its_row(self):
        page = self.visit()
        page.click("a[href='#fault:sample.third']")
        page.until("document.querySelector(':target')?.id === 'fault:sample.third'")
        page.until("(top => 0 <= top && top < 1000)"
                   "(document.querySelector(':target').getBoundingClientRect().top)")

    def test_keys_alone_reach_links_and_tables(self):
        page = self.visit()
        page.keys("Tab", "Tab")
        page.until("document.activeElement.matches('a, .scroll') && document.activeElement.matches(':focus-visible')")

    def test_axe_finds_nothing(self):
        if not browser.AXE:
            self.skipTest("ASSAY_AXE does not name axe.min.js")
        for dark in (False, True):
            page = self.visit(dark)
            self.assertEqual(page.violations(), [], f"dark: {dark}")
            if SCREENSHOTS:
                page.screenshot(Path(SCREENSHOTS) / f"kills{'-dark' if dark else ''}.png")


if __name__ == "__main__":
    unittest.main()
