# SPDX-License-Identifier: BSD-3-Clause
"""The guide in a headless Chromium, from disk, light, dark and at phone width: search works, and axe reports no error.

Runs with ASSAY_FULL=1, on the output of make_guide.py in build/guide/html. ASSAY_AXE names axe.min.js, as in `ci/full
pages`; ASSAY_SCREENSHOTS is a folder for screenshots."""

import os
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

from reports.render.html import browser

HTML = Path(os.environ["ASSAY_BUILD"]) / "guide/html"
PAGES = ("index", "readers/backend_author", "steps/first_tensor", "steps/fallback", "troubleshooting", "modules/guard")
PHONE = 390
PICTURES = os.environ.get("ASSAY_SCREENSHOTS")
HAVE_BROWSER = bool(os.environ.get("ASSAY_FULL") and browser.CHROMIUM and browser.DRIVER)


@unittest.skipUnless(HAVE_BROWSER, "needs ASSAY_FULL=1, chromium and chromedriver")
class Read(unittest.TestCase):
    def browse(self, **given):
        opened = browser.Browser(**given)
        self.addCleanup(opened.close)
        return opened

    def visit(self, opened, page):
        opened.open((HTML / f"{page}.html").as_uri())
        opened.until("document.readyState === 'complete'")

    def picture(self, opened, *words):
        if PICTURES:
            opened.screenshot(Path(PICTURES) / f"guide-{'-'.join(words).replace('/', '_')}.png")

    def test_nothing_is_wider_than_a_phone(self):
        opened = self.browse()
        opened._ask("POST", f"{opened.session}/chromium/send_command",
                    {"cmd": "Emulation.setDeviceMetricsOverride",
                     "params": {"width": PHONE, "height": 800, "deviceScaleFactor": 2, "mobile": True}})
        for page in PAGES:
            with self.subTest(page=page):
                self.visit(opened, page)
                self.assertLessEqual(opened.run("return document.documentElement.scrollWidth"), PHONE)
                self.picture(opened, page, "phone")

    def test_dark_where_the_system_is(self):
        opened = self.browse(dark=True)
        for page in PAGES:
            self.visit(opened, page)
            background = opened.run("return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)")
            self.assertLess(sum(background), 3 * 128, page)
            self.picture(opened, page, "dark")

    def test_search_finds_from_disk(self):
        opened = self.browse()
        opened.open((HTML / "search.html").as_uri() + "?q=exchangeDevice")
        opened.until("document.querySelectorAll('#search-results li a').length > 0")
        self.picture(opened, "search")

    @unittest.skipUnless(browser.AXE, "ASSAY_AXE does not name axe.min.js")
    def test_axe_finds_nothing(self):
        for dark in (False, True):
            opened = self.browse(dark=dark)
            for page in PAGES:
                with self.subTest(page=page, dark=dark):
                    self.visit(opened, page)
                    self.assertEqual(opened.violations(), [])


if __name__ == "__main__":
    unittest.main()
