# SPDX-License-Identifier: BSD-3-Clause
"""Tests the site of a generated history: every link has a target, untrusted text is escaped, other folders are not
replaced. Also tests the site in a headless Chromium: from disk, by keyboard, in dark mode, on a narrow screen,
printed.

ASSAY_AXE names axe.min.js (ci/full fetches it). ASSAY_SCREENSHOTS names a folder for screenshots."""

import contextlib
import html.parser
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import xml.etree.ElementTree
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "reports" / "render" / "html"), str(ROOT / "ci" / "bench")]
import browser  # noqa: E402
from make_year import Year  # noqa: E402

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin" / "assay"
HAVE_BROWSER = browser.CHROMIUM and browser.DRIVER
PICTURES = os.environ.get("ASSAY_SCREENSHOTS")
KILLS = 100 if os.environ.get("ASSAY_FULL") else 10
HOSTILE = '"><script>alert(1)</script>$body'
SAMPLES = ("index", "facts", "copy", "backend/backend00", "torch/2.10", "compare/1",
           "check/module0.does_what_clause_0_says", "clause/M0-0")


def assay(*words):
    return subprocess.run([ASSAY, *map(str, words)], capture_output=True, text=True, check=False)


def make_site(folder, lines):
    folder = Path(folder)
    (folder / "lines.jsonl").write_text(lines, encoding="utf-8")
    for words in (("history", "import", folder / "lines.jsonl", "--db", folder / "history.db"),
                  ("dashboard", "build", "--db", folder / "history.db", "--out", folder / "site")):
        done = assay(*words)
        if done.returncode:
            raise AssertionError(done.stderr)
    return folder / "site"


def generated(folder, **size):
    path = Path(folder) / "year.jsonl"
    with open(path, "w", encoding="utf-8") as out:
        Year(**size).write(out)
    return path.read_text(encoding="utf-8")


def load_errors(folder):
    """Makes the site of a night in which an error of loading broke twelve checks, and another error one check."""
    first = json.loads(generated(folder, backends=1, torches=1, nights=1, checks=13).splitlines()[0])
    first["changes"] = checks = [change for change in first["changes"] if change["kind"] == "check"][:13]
    for change in checks:
        change.pop("cause", "")
        change.update(name=f"device_module.{change['name'].partition('.')[2]}_and_is_told_before_the_first_use", verdict="pass")
    said = "the target could not be loaded: ImportError: libfoo.so: cannot open shared object file: No such file or directory"
    broken = [{**change, "verdict": "fail", "seen": said if place else "returned 1, expected 0"} for place, change in enumerate(checks)]
    second = {**first, "after": first["date"], "date": "2025-12-02T03:17:00Z", "changes": broken}
    return make_site(folder, "".join(json.dumps(line) + "\n" for line in (first, second)))


class Links(html.parser.HTMLParser):
    """All link targets, tags and texts of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.tags, self.ids, self.labels = [], [], set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append(tag)
        self.ids.add(given.get("id"))
        self.links += [given[name] for name in ("href", "src") if name in given]
        self.labels += [given["aria-labelledby"]] if "aria-labelledby" in given else []


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.site = make_site(folder.name, generated(folder.name, backends=2, torches=2, nights=48, checks=110))

    def test_folders_beside_the_site_stay(self):
        for name in (".site.new", ".site.old"):
            (self.folder / name).mkdir()
            (self.folder / name / "mine").touch()
        done = assay("dashboard", "build", "--db", self.folder / "history.db", "--out", self.site)
        self.assertEqual(0, done.returncode, done.stderr)
        found = {path.name for path in self.folder.iterdir() if path.name.startswith(".site")}
        self.assertEqual({".site.new", ".site.old"}, found)
        self.assertTrue((self.folder / ".site.new/mine").exists() and (self.folder / ".site.old/mine").exists())

    def test_every_link_and_every_label_leads_somewhere(self):
        pages = list(self.site.rglob("*.html"))
        self.assertGreater(len(pages), 100)
        for page in pages:
            read = Links(page)
            for href in read.links:
                place, _, mark = urllib.parse.unquote(href).partition("#")
                self.assertTrue(not place or (page.parent / place).is_file(), f"{page}: {href}")
                self.assertTrue(not mark or mark in read.ids, f"{page}: {href}")
            self.assertLessEqual(set(read.labels), read.ids, page)
            self.assertNotIn("style", read.tags, page)

    def test_json_lies_beside_every_page(self):
        schema = json.loads((ROOT / "reports/schema/dashboard.schema.json").read_text())
        validator = jsonschema.Draft202012Validator(schema)
        for page in self.site.rglob("*.html"):
            value = json.loads(page.with_suffix(".json").read_text())
            validator.validate(value)
            self.assertEqual(page.relative_to(self.site).with_suffix("").as_posix(), value["page"])

    def test_what_was_planted_is_on_the_pages(self):
        told = json.loads((self.site / "backend/backend00.json").read_text())["events"]
        broke = [event for event in told if event["check"] == "module0.does_what_clause_0_says"]
        self.assertEqual([("broke", "2025-12-05T03:17:00Z", "2025-12-04T03:17:00Z")],
                         [(event["kind"], event["first"]["date"], event["before"]["date"]) for event in broke])
        self.assertIn("not kept since 2025-12-05", (self.site / "check/module0.does_what_clause_0_says.html").read_text())
        self.assertIn("never kept", (self.site / "check/module9.new_0.html").read_text())

    def test_the_stage_stands_beside_the_state(self):
        backend = next((self.site / "backend").glob("*.html"))
        self.assertIn(", stage usable", (self.site / "index.html").read_text())
        self.assertIn("Stages over time", backend.read_text())
        self.assertIn(", stage usable", next((self.site / "badge").glob("*.json")).read_text())

    def test_feed_and_badges_are_well_formed(self):
        feed = xml.etree.ElementTree.parse(self.site / "feed.xml").getroot()
        self.assertTrue(feed.findall("{http://www.w3.org/2005/Atom}entry"))
        for badge in self.site.glob("badge/*.svg"):
            xml.etree.ElementTree.parse(badge)
            self.assertEqual(1, json.loads(badge.with_suffix(".json").read_text())["schemaVersion"])

    def test_building_again_replaces_the_site(self):
        left = self.site / "check" / "left.html"
        left.write_text("of a check that is no more")
        done = assay("dashboard", "build", "--db", self.folder / "history.db", "--out", self.site)
        self.assertEqual((0, False), (done.returncode, left.exists()), done.stderr)
        self.assertEqual([], list(self.folder.glob(".site*")))

    def test_a_builder_that_is_killed_leaves_the_site_whole(self):
        whole, begin = self.texts(), time.monotonic()
        self.assertEqual(0, assay("dashboard", "build", "--db", self.folder / "history.db", "--out", self.site).returncode)
        took, chance = time.monotonic() - begin, random.Random(os.environ.get("ASSAY_SEED", "1"))
        for _ in range(KILLS):
            builder = subprocess.Popen([ASSAY, "dashboard", "build", "--db", self.folder / "history.db", "--out", self.site],
                                       stdout=subprocess.DEVNULL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                builder.wait(chance.uniform(0, took))
            builder.kill()
            builder.wait()
            self.assertTrue(self.texts() == whole)
        self.assertEqual(0, assay("dashboard", "build", "--db", self.folder / "history.db", "--out", self.site).returncode)
        self.assertTrue(self.texts() == whole)
        self.assertEqual([], list(self.folder.glob(".site*")))

    def texts(self):
        return {path.relative_to(self.site): path.read_bytes() for path in self.site.rglob("*") if path.is_file()}

    def test_folder_of_somebody_else_is_left_alone(self):
        mine = self.folder / "mine"
        mine.mkdir(exist_ok=True)
        (mine / "thesis.txt").write_text("years of work")
        for words, status, sentence in ((["build", "--db", self.folder / "history.db", "--out", mine], 65, "no dashboard"),
                                        (["build", "--db", self.folder / "none.db", "--out", mine / "x"], 65, "there is no history in"),
                                        (["build", "--db", mine / "thesis.txt", "--out", mine / "x"], 65, "is not a history of assay"),
                                        (["build", "--db", self.folder / "history.db"], 64, "give --out"),
                                        (["build", self.folder / "history.db", "--out", mine], 64, "with --db FILE"),
                                        (["show"], 64, "expected a verb: build or losses")):
            done = assay("dashboard", *words)
            self.assertEqual(status, done.returncode, done.stderr)
            self.assertIn(sentence, done.stderr)
        self.assertEqual(["thesis.txt"], os.listdir(mine))

    def test_a_damaged_history_is_one_sentence(self):
        damaged, site = self.folder / "damaged.db", self.folder / "of-damaged"
        shutil.copy(self.folder / "history.db", damaged)
        with contextlib.closing(sqlite3.connect(damaged)) as file:
            file.executescript("UPDATE change SET answer = -1")
        for words in (["losses"], ["build", "--out", site]):
            done = assay("dashboard", *words, "--db", damaged)
            self.assertEqual((65, "", 1), (done.returncode, done.stdout, done.stderr.count("\n")), done.stderr)
            self.assertIn(f"{damaged}: is damaged", done.stderr)
        self.assertFalse(site.exists())

    def test_foreign_texts_are_escaped(self):
        line = json.loads(generated(self.folder, backends=1, torches=1, nights=1, checks=12).splitlines()[0])
        line["target"] = HOSTILE
        for change in line["changes"]:
            change["name"] = change["seen"] = f"{HOSTILE} {change['name']}"
            change["verdict"] = "fail"
        with tempfile.TemporaryDirectory() as folder:
            site = make_site(folder, json.dumps(line) + "\n")
            for page in site.rglob("*.html"):
                self.assertNotIn("alert(1)</script>", page.read_text(), page)
            for page in (*site.rglob("*.js"), *site.rglob("*.svg"), site / "feed.xml"):
                self.assertNotIn("<script>alert", page.read_text(), page)

    def test_equal_errors_of_one_night_are_one_row(self):
        with tempfile.TemporaryDirectory() as folder:
            site = load_errors(folder)
            for page in ("index", "backend/backend00"):
                text = (site / f"{page}.html").read_text()
                self.assertEqual((1, 1), (text.count("libfoo.so"), text.count("and 11 more")), page)
                self.assertEqual(13, len({href for href in Links(site / f"{page}.html").links if "check/" in href}), page)
            self.assertEqual(13, len(json.loads((site / "index.json").read_text())["breakages"]))

    def test_empty_history_is_an_empty_site(self):
        with tempfile.TemporaryDirectory() as folder:
            site = make_site(folder, "")
            self.assertIn("no night", (site / "index.html").read_text())


@unittest.skipUnless(HAVE_BROWSER, "there is no Chromium with its chromedriver here")
class Looks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.site = make_site(folder.name, generated(folder.name, backends=2, torches=2, nights=70, checks=110))

    def browse(self, **options):
        opened = browser.Browser(**options)
        self.addCleanup(opened.close)
        return opened

    def visit(self, opened, page):
        opened.open((self.site / f"{page}.html").as_uri())
        opened.until("document.readyState === 'complete'")

    def test_pages_open_from_disk_without_a_complaint(self):
        opened = self.browse()
        for page in SAMPLES:
            self.visit(opened, page)
            self.assertEqual("10px", opened.run("return getComputedStyle(document.querySelector('section')).borderRadius"))
        self.assertEqual([], opened.log("browser"))

    def test_two_nights_are_compared_by_keyboard(self):
        opened = self.browse()
        self.visit(opened, "compare/1")
        self.assertEqual(60, opened.run("return document.getElementById('from').length"))
        last = opened.run("return document.getElementById('count').textContent")
        opened.run("document.getElementById('from').focus()")
        opened.keys("\ue011")  # the key Home selects the first night
        self.assertEqual(0, opened.run("return document.getElementById('from').selectedIndex"))
        opened.until(f"document.getElementById('count').textContent !== {json.dumps(last)}")
        nights = json.loads((self.site / "compare/1.json").read_text())
        def word(changes, night):
            return [said for since, said in changes if since <= night][-1:]
        differ = sum(word(changes, 0) != word(changes, 59) for _, _, changes in nights["facts"])
        self.assertEqual(differ, opened.run("return document.getElementById('rows').rows.length"))

    def test_narrow_dark_and_printed(self):
        for width, dark in ((400, False), (800, True), (1400, True)) if PICTURES else ((400, True),):
            opened = self.browse(width=width, dark=dark)
            for page in SAMPLES:
                self.visit(opened, page)
                self.assertTrue(opened.run("return document.documentElement.scrollWidth <= innerWidth"), (page, width))
                self.assertEqual(dark, opened.run("return matchMedia('(prefers-color-scheme: dark)').matches"))
                if PICTURES:
                    opened.screenshot(f"{PICTURES}/{page.replace('/', '-')}-{width}.png")
            self.assertTrue(opened.print_pdf().startswith(b"%PDF"))

    def test_what_broke_last_fits_a_phone(self):
        with tempfile.TemporaryDirectory() as folder:
            site, opened = load_errors(folder), self.browse(width=390)
            for page in ("index", "backend/backend00"):
                opened.open((site / f"{page}.html").as_uri())
                opened.until("document.readyState === 'complete'")
                self.assertEqual(390, opened.run("return innerWidth"))
                cells, heights = opened.run("""
                    const rows = [...document.querySelectorAll('[aria-labelledby=events] tbody tr')];
                    const right = cell => cell.getBoundingClientRect().right;
                    return [rows.flatMap(row => [...row.cells]).filter(cell => right(cell) > innerWidth).length,
                            rows.map(row => row.getBoundingClientRect().height)]""")
                if PICTURES:
                    opened.screenshot(f"{PICTURES}/phone-{page.replace('/', '-')}.png")
                self.assertEqual((0, 2), (cells, len(heights)), page)
                self.assertLess(max(heights), 300, "a row with all its cells")

    @unittest.skipUnless(browser.AXE, "ASSAY_AXE does not name axe.min.js")
    def test_axe_finds_nothing(self):
        for dark in (False, True):
            opened = self.browse(dark=dark)
            for page in SAMPLES:
                self.visit(opened, page)
                self.assertEqual([], opened.violations(), page)


if __name__ == "__main__":
    unittest.main()
