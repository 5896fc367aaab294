# SPDX-License-Identifier: BSD-3-Clause
"""Tests the HTML report in a real headless Chromium: filters, folding, keys, addresses, hostile texts, a reader
without scripts, accessibility, and a page of 5,000 checks on 20 targets.

Without Chromium, all but the first class are skipped with a message. ASSAY_AXE names axe.min.js (ci/full fetches it),
ASSAY_FULL=1 adds the large page, ASSAY_SCREENSHOTS is a folder for screenshots."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import browser

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
ASSAY = Path(os.environ.get("ASSAY_BUILD", ROOT / "build")) / "bin" / "assay"
RUNS = ROOT / "reports" / "testdata" / "runs"
GENERATOR = ROOT / "ci" / "bench" / "make_runs.py"
SCREENSHOTS = os.environ.get("ASSAY_SCREENSHOTS", "")
FULL = os.environ.get("ASSAY_FULL", "")
HAVE_BROWSER = bool(browser.CHROMIUM and browser.DRIVER)
needs_browser = unittest.skipUnless(HAVE_BROWSER, "chromium or chromedriver is not installed")


def setUpModule():
    global folder
    folder = tempfile.TemporaryDirectory()


def tearDownModule():
    folder.cleanup()


def report(name, *runs):
    page = Path(folder.name) / f"{name}.html"
    if not page.exists():
        subprocess.run([ASSAY, "report", *runs, "--format", "html", "--output", page], check=True)
    return page


def mixed():
    return report("mixed", RUNS / "mixed")


def later():
    return report("later", RUNS / "later")


def both():
    return report("both", RUNS / "mixed", RUNS / "later")


def data_of(page):
    """The JSON that the script of a page reads."""
    return json.loads(page.read_text().split('<script type="application/json" id="data">')[1].split("</script>")[0])


class Page(unittest.TestCase):
    """Tests of the file itself, without a browser."""

    def test_nothing_is_fetched_from_anywhere(self):
        for page in (mixed(), later(), both()):
            text = page.read_text()
            self.assertNotRegex(text, r"(?i)(src|href)=[\"'](?!#)")
            self.assertNotIn("@import", text)
            self.assertNotIn("url(", text)

    def test_hostile_text_is_only_text(self):
        text = later().read_text()
        self.assertEqual(text.count("</script>"), 2)
        self.assertNotIn("<img", text)
        self.assertNotIn("\u202e", text)
        self.assertFalse([c for c in text if ord(c) < 32 and c not in "\n\t"])

    def test_policy_names_the_script_and_the_style_by_hash(self):
        import base64
        import hashlib
        text = mixed().read_text()
        for tag in ("script", "style"):
            body = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.S).group(1)
            digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
            self.assertIn(f"{tag}-src 'sha256-{digest}'", text)

    def test_same_run_gives_the_same_bytes(self):
        again = report("mixed-again", RUNS / "mixed")
        self.assertEqual(mixed().read_bytes(), again.read_bytes())

    def test_data_has_the_facts_of_the_run_and_every_check_once(self):
        data = data_of(later())
        run = data["runs"][0]
        for fact in ("foo.yaml", "2.14.0", "fedcba", "0123456789abcdef", "builder", "Linux 6.1 x86_64, 2 processors",
                     "assay run --target foo.yaml", "2026-11-22"):
            self.assertIn(fact, json.dumps(run))
        report = json.loads(subprocess.run([ASSAY, "report", RUNS / "later", "--format", "json"], capture_output=True, check=True).stdout)
        self.assertEqual({key: value for key, value in report["run"].items()}, run["facts"])
        self.assertEqual(sorted(check["id"] for check in report["checks"]), sorted(check["id"] for check in data["checks"]))
        self.assertEqual(list(range(len(data["checks"]))), sorted(row for row, _ in data["order"]))
        self.assertEqual([row["id"] for row in report["requirements"]], [row["id"] for row in data["requirements"]])

    def test_page_is_ascii_but_for_its_own_signs(self):
        """No character in the name or text of a check can reverse the direction of the text in the file."""
        self.assertTrue(later().read_text().split('id="data">')[1].split("</script>")[0].isascii())


@needs_browser
class InBrowser(unittest.TestCase):
    dark = False
    script = True

    @classmethod
    def setUpClass(cls):
        cls.page = browser.Browser(dark=cls.dark, script=cls.script)
        cls.addClassCleanup(cls.page.close)

    def visit(self, page, address=""):
        self.page.open("about:blank")
        self.page.open(page.as_uri() + address)

    def rows(self):
        return self.page.run("return [...document.querySelectorAll('tr.check')].map(r => r.id)")

    def count(self):
        return self.page.run("return document.getElementById('count').textContent")

    def picture(self, name):
        if SCREENSHOTS:
            self.page.screenshot(Path(SCREENSHOTS) / f"{name}{'-dark' if self.dark else ''}.png")


class OneRun(InBrowser):
    def setUp(self):
        self.visit(mixed())

    def tearDown(self):
        errors = [line for line in self.page.log("browser") if line["level"] == "SEVERE"]
        self.assertEqual(errors, [])

    def test_causes_come_first_and_what_they_block_under_them(self):
        self.assertEqual(self.rows()[:3], ["guard.exchange_device_returns_the_previous_device", "guard.device_guard_restores_the_device",
                                           "streams.gate_holds"])
        under = self.page.run("return [...document.querySelectorAll('tr.under')].map(r => r.id)")
        self.assertEqual(under, ["guard.device_guard_restores_the_device", "streams.gate_holds"])

    def test_facts_of_the_run_are_in_the_header(self):
        self.visit(later())
        header = self.page.run("return document.querySelector('header').innerText")
        for fact in ("foo.yaml", "2.14.0 at fedcba", "version 1 0123456789abcdef",
                     "builder (Linux 6.1 x86_64, 2 processors)", "assay run --target foo.yaml", "2026-11-22"):
            self.assertIn(fact, header)

    def test_verdict_and_causes_stand_above_the_modules(self):
        head = self.page.run("return document.querySelector('header').innerText")
        self.assertRegex(head, r"\d+ of 11 checks failed, .* musts? (is|are) broken")
        self.assertIn("Kept: clauses that hold", head)
        self.assertEqual(["first", "modules", "list"], self.page.run(
            "return [...document.querySelectorAll('section')].map(s => s.id).filter(id => id !== 'capabilities')"))
        self.assertIn("guard.exchange_device_returns_the_previous_device", self.page.run(
            "return [...document.querySelectorAll('#first a')].map(a => a.innerText)"))

    def test_capabilities_are_claimed_probed_and_proven(self):
        self.visit(later())
        self.page.run("document.querySelector('#capabilities details').open = true")
        rows = self.page.run("return [...document.querySelectorAll('#capabilities tbody tr')].map(r => r.innerText)")
        said = " ".join("\n".join(rows).split())
        self.assertIn("streams yes, by the profile pass pass 0/2 broken", said)
        self.assertIn("absent", said)

    def test_verdict_filter_shows_only_that_verdict(self):
        self.page.click("#verdicts button[data-verdict='2']")
        self.assertEqual(self.rows(), ["guard.exchange_device_returns_the_previous_device", "amp.core_says_so"])
        self.assertIn("2 of 11", self.count())
        self.assertIn("verdict=fail", self.page.run("return location.hash"))
        self.page.click("#verdicts button[data-verdict='0']")
        self.assertEqual(len(self.rows()), 3)
        self.page.click("#reset")
        self.assertEqual(len(self.rows()), 11)

    def test_module_level_and_text_filter(self):
        self.page.run("const m = document.getElementById('module'); m.value = '1';"
                      "m.dispatchEvent(new Event('change', {bubbles: true}))")
        self.assertEqual(sorted(self.rows()), ["streams.default", "streams.gate_holds", "streams.priority"])
        self.page.run("const m = document.getElementById('level'); m.value = '2';"
                      "m.dispatchEvent(new Event('change', {bubbles: true}))")
        self.assertEqual(self.rows(), ["streams.priority"])
        self.page.click("#reset")
        self.page.keys("/")
        self.page.keys(*"DEV-004")
        self.assertEqual(self.rows(), ["guard.exchange_device_returns_the_previous_device", "guard.device_guard_restores_the_device"])
        self.page.keys("Escape")
        self.assertEqual(len(self.rows()), 11)

    def test_matrix_row_filters_by_its_module(self):
        self.page.click("#modules tbody tr:nth-child(3) th button")
        self.assertTrue(all(row.startswith("amp.") for row in self.rows()))
        self.assertEqual(len(self.rows()), 4)

    def test_failure_folds_out_and_in(self):
        self.page.click("tr[id='guard.exchange_device_returns_the_previous_device'] button.toggle")
        text = self.page.run("return document.querySelector('tr.detail').innerText")
        for part in ("exchangeDevice makes the given device current", "exchange(1) returned 1, expected 0",
                     "suites/guard/check_exchange.c:14", "probably reads the current device after",
                     "guard.device_guard_restores_the_device", "assay repro guard.exchange_device_returns_the_previous_device --target foo.yaml"):
            self.assertIn(part, text)
        button = "document.querySelector('tr.open button.toggle').getAttribute('aria-expanded')"
        self.assertEqual(self.page.run(f"return {button}"), "true")
        self.page.click("tr[id='guard.exchange_device_returns_the_previous_device'] button.toggle")
        self.assertFalse(self.page.run("return document.querySelector('tr.detail')"))

    def test_keyboard_alone_reaches_and_folds_a_row(self):
        self.page.run("document.querySelector('.jump').focus()")
        self.page.keys("Enter")
        self.page.keys("j")
        focused = "return document.activeElement.closest('tr').id"
        self.assertEqual(self.page.run(focused), "guard.exchange_device_returns_the_previous_device")
        self.page.keys("j")
        self.assertEqual(self.page.run(focused), "guard.device_guard_restores_the_device")
        self.page.keys("k")
        self.page.keys("Enter")
        self.page.until("document.querySelector('tr.detail')")
        self.page.keys("Space")
        self.page.until("!document.querySelector('tr.detail')")

    def test_address_of_a_check_opens_it(self):
        self.visit(mixed(), "#streams.priority")
        self.page.until("document.querySelector('tr.open')")
        self.assertEqual(self.page.run("return document.querySelector('tr.open').id"), "streams.priority")
        self.page.until("document.activeElement.closest('tr')?.id === 'streams.priority'")
        top = self.page.run("return document.querySelector('tr.open').getBoundingClientRect().top")
        self.assertTrue(0 < top < 1000)

    def test_link_to_a_filtered_out_check_shows_it(self):
        self.visit(mixed(), "#?verdict=pass")
        self.assertEqual(len(self.rows()), 2)
        self.page.run("location.hash = '#amp.core_says_so'")
        self.page.until("document.querySelector('tr.open')")
        self.assertEqual(len(self.rows()), 11)

    def test_address_with_words_restores_the_filter(self):
        self.visit(mixed(), "#?verdict=fail,crash&module=streams")
        self.assertEqual(self.rows(), ["streams.priority"])

    def test_address_that_names_nothing_is_ignored(self):
        for address in ("#nobody.knows", "#%", "#?verdict=<script>&module=constructor"):
            self.visit(mixed(), address)
            self.page.until("document.readyState === 'complete'")
            self.assertEqual(len(self.rows()), 11)

    def test_requirements_are_the_other_view(self):
        self.page.click("[data-view='requirements']")
        self.assertIn("9 of 9 requirements, worst first", self.count())
        self.assertEqual(self.rows()[:2], ["STRM-002", "DEV-004"])
        chips = self.page.run("return [...document.querySelectorAll('#verdicts button')].map(b => b.innerText)")
        self.assertIn("pass 2", [" ".join(chip.split()) for chip in chips])
        self.page.click("tr[id='DEV-004'] button.toggle")
        self.page.click("tr.detail a.id")
        self.page.until("document.querySelector('tr.open')?.id === 'guard.exchange_device_returns_the_previous_device'")

    def test_paper_has_every_row_and_failures_folded_out(self):
        self.page.run("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.page.run("return document.querySelectorAll('tr.detail').length"), 5)
        self.page.run("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.page.run("return document.querySelectorAll('tr.detail').length"), 0)
        self.assertTrue(self.page.print_pdf().startswith(b"%PDF"))

    def test_nothing_is_asked_of_the_network(self):
        asked = [json.loads(line["message"])["message"] for line in self.page.log("performance")]
        urls = [m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"]
        self.assertEqual([url for url in urls if not url.startswith(("file:", "about:"))], [])

    def test_pictures(self):
        self.picture("one")
        self.page.click("tr[id='guard.exchange_device_returns_the_previous_device'] button.toggle")
        self.page.run("document.getElementById('list').scrollIntoView()")
        self.picture("one-open")


CAUSES = {"schema": "assay/causes/1", "target": "foo", "skew": 0, "expected": 0, "classes": ["upstream.a.T"],
          "no_longer": ["test_exclusions: T.t"], "clusters": [
              {"cause": "wrong value", "subject": "aten::add", "words": "<img src=x>", "tests": ["upstream.a.T.t", "upstream.a.T.u"],
               "verdicts": {"fail": 2}, "example": "upstream.a.T.t", "clause": "OPS-001", "script": "causes/001.py", "shown": False,
               "kept_by": ["operators.adds"], "left_out": 0}]}


class Causes(InBrowser):
    def test_causes_and_their_contradictions_are_a_table(self):
        run = Path(folder.name) / "causes"
        shutil.copytree(RUNS / "mixed", run)
        (run / "causes.json").write_text(json.dumps(CAUSES))
        self.visit(report("causes", run))
        rows = self.page.run("return [...document.querySelectorAll('#causes tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        self.assertEqual([["wrong value", "aten::add", "<img src=x>", "2", "upstream.a.T.t", "causes/001.py (does not show it)", "OPS-001"],
                          ["contradicted These tests say that OPS-001 is broken, this check says that it is kept: operators.adds. "
                           "One of the two is wrong."]], rows)
        self.assertIn("No longer so: test_exclusions: T.t", self.page.run("return document.body.innerText"))
        self.visit(mixed())
        self.assertFalse(self.page.run("return document.getElementById('causes')"))


# For each check: verdict, reason, notes.
OPERATORS = {"add float32": ("pass", "", {"forward": "right 2/2", "errors": "noted 1/3 nothing was raised, of (<i>)", "native": "yes"}),
             "add bool": ("fail", "", {"forward": "wrong 1/2 (2): element 0 is 2", "out": "wrong 1/2 (2): element 0 is 2"}),
             "mul float32": ("crash", "signal 11", {"forward": "right 1/1"}), "mul bool": ("crash", "signal 11", {}),
             "sub float32": ("pass", "", {"forward": "right 1/1", "fallback": "yes"})}


class Operators(InBrowser):
    def make_run(self):
        run = Path(folder.name) / "operators"
        run.mkdir()
        ids = {summary: f"opinfo.{summary.replace(' ', '.')}" for summary in OPERATORS}
        jobs = [{"id": ids[summary], "module": "opinfo", "kind": "python", "level": "must", "subject": "backend", "file": "x.py", "line": 1,
                 "covers": ["OPI-001"], "builds_on": [], "capabilities": [], "support": False, "demand": "", "hint": "", "summary": summary}
                for summary in OPERATORS]
        plan = json.loads((RUNS / "mixed" / "plan.json").read_text()) | {"jobs": jobs}
        (run / "plan.json").write_text(json.dumps(plan))
        first = json.loads((RUNS / "mixed" / "journal.jsonl").read_text().splitlines()[0])
        records = [first | {"checks": [{"id": name, "level": "must"} for name in ids.values()]}]
        for summary, (verdict, reason, notes) in OPERATORS.items():
            records.append({"event": "start", "id": ids[summary], "attempt": 1})
            records.append({"event": "end", "id": ids[summary], "attempt": 1, "final": True, "verdict": verdict, "reason": reason,
                            "duration_ms": 1, "notes": [{key: text} for key, text in notes.items()]})
        (run / "journal.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        return run

    def test_tables_of_operators(self):
        page = Path(folder.name) / "ops.html"
        subprocess.run([ASSAY, "ops", self.make_run(), "--format", "html", "--output", page], check=False)
        self.visit(page)
        table = ("return [...document.getElementById(arguments[0]).querySelectorAll('tbody tr')].map(r => [...r.cells].map("
                 "c => c.textContent))")
        self.assertEqual([["2 pairs", "", "ended", "signal 11whichmul float32, mul bool"],
                          ["add", "bool", "wrong", "forward, out wrong 1/2 (2): element 0 is 2"]], self.page.run(table, "troubles"))
        self.assertEqual([["errors", "nothing was raised, of (<i>)", "1add float32"]], self.page.run(table, "noted"))
        self.assertEqual([["add", "native", "wrong"], ["mul", "ended", "ended"], ["sub", "fallback", "-"]], self.page.run(table, "operators"))
        self.assertIn("2 of 5 pairs of 3 operators and 2 dtypes", self.page.run("return document.querySelector('header').innerText"))
        self.assertEqual([], self.page.log("browser"))


class Phone(InBrowser):
    def test_crashes_and_failures_are_seen_without_a_scroll(self):
        self.page._ask("POST", f"{self.page.session}/chromium/send_command",
                       {"cmd": "Emulation.setDeviceMetricsOverride",
                        "params": {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True}})
        self.visit(mixed())
        heads = self.page.run("return [...document.querySelectorAll('#modules thead th')].map("
                              "h => [h.textContent, h.getBoundingClientRect().right])")
        self.assertEqual([name for name, _ in heads[1:3]], ["crash", "fail"])
        self.assertTrue(all(right <= 390 for _, right in heads[:3]), heads)


class OneRunDark(InBrowser):
    dark = True

    def test_colours_are_those_of_the_dark(self):
        self.visit(mixed())
        self.assertTrue(self.page.run("return matchMedia('(prefers-color-scheme: dark)').matches"))
        ground = self.page.run("return getComputedStyle(document.body).backgroundColor")
        self.assertLess(sum(int(part) for part in re.findall(r"\d+", ground)), 200)
        self.picture("one")
        self.page.click("tr[id='guard.exchange_device_returns_the_previous_device'] button.toggle")
        self.page.run("document.getElementById('list').scrollIntoView()")
        self.picture("one-open")


class Hostile(InBrowser):
    def test_texts_of_a_check_are_shown_and_do_nothing(self):
        self.visit(later(), "#amp.lists")
        self.page.until("document.querySelector('tr.open')")
        text = self.page.run("return document.querySelector('tr.detail').innerText")
        self.assertIn("</script><script>alert(1)</script>", text)
        self.assertIn("<img src=x onerror=alert(1)>", text)
        self.assertIn("\\x1b[31mred", text)
        self.assertIn("\\u202e", text)
        self.assertEqual(self.page.run("return document.images.length"), 0)

    def test_output_and_stack_are_shown(self):
        self.visit(later(), "#streams.added")
        self.page.until("document.querySelector('tr.open')")
        text = self.page.run("return document.querySelector('tr.detail').innerText")
        self.assertIn("waiting for the gate", text)
        self.assertIn("fd_stream_wait at stream.c:12", text)


class SeveralRuns(InBrowser):
    def setUp(self):
        self.visit(both())

    def test_every_run_is_a_column(self):
        heads = self.page.run("return [...document.querySelectorAll('#table thead th')].map(h => h.textContent)")
        self.assertEqual(heads, ["Check", "Level", "foo.yaml torch 2.13.0", "foo.yaml torch 2.14.0"])
        cells = self.page.run("return [...document.getElementById('amp.last').querySelectorAll('td.run')]"
                              ".map(c => c.innerText)")
        self.assertIn("notrun", cells[0])
        self.assertIn("not in this run", cells[1])

    def test_only_where_runs_differ(self):
        self.page.click("#differ")
        self.assertNotIn("guard.is_registered", self.rows())
        self.assertIn("guard.exchange_device_returns_the_previous_device", self.rows())

    def test_modules_and_capabilities_have_a_column_for_each_run(self):
        text = self.page.run("return document.body.innerText")
        self.assertIn("2 runs side by side", text)
        self.assertIn("foo.yaml torch 2.13.0: the run is not complete", text)
        cells = self.page.run("return [...document.querySelectorAll('td.cell')].map(c => c.textContent)")
        self.assertIn("2/4fail", cells)
        self.assertIn("absentclaim: noprobe: none", cells)

    def test_detail_groups_runs_by_what_they_saw(self):
        self.page.click("tr[id='guard.exchange_device_returns_the_previous_device'] button.toggle")
        heads = self.page.run("return [...document.querySelectorAll('tr.detail h3')].map(h => h.innerText)")
        self.assertEqual(len(heads), 2)
        self.assertIn("foo.yaml torch 2.13.0", heads[0])

    def test_pictures(self):
        self.picture("several")


@needs_browser
class WithoutScript(InBrowser):
    script = False

    def test_matrix_and_failures_stand_without_a_script(self):
        self.visit(mixed())
        found = self.page._ask("POST", self.page.session + "/element", {"using": "css selector", "value": "main"})
        text = self.page._ask("GET", f"{self.page.session}/element/{next(iter(found.values()))}/text")
        self.assertIn("guard", text)
        self.assertIn("Tables and filters need JavaScript", text)
        self.assertRegex(text, r"guard( +1){2} +\. +1 ")
        self.assertIn("exchange(1) returned 1, expected 0", text)


@unittest.skipUnless(HAVE_BROWSER and browser.AXE, "ASSAY_AXE does not name axe.min.js")
class Accessible(InBrowser):
    def check(self, page, address, *selectors):
        self.visit(page, address)
        for selector in selectors:
            self.page.click(selector)
        problems = self.page.violations()
        self.assertEqual(problems, [], "\n".join(problems))

    def test_axe_finds_nothing(self):
        self.check(mixed(), "")
        self.check(mixed(), "#guard.exchange_device_returns_the_previous_device")
        self.check(mixed(), "", "[data-view='requirements']")
        self.check(later(), "#streams.added", "#capabilities summary")
        self.check(both(), "#amp.lists", "#capabilities summary", "header summary")


class AccessibleDark(Accessible):
    dark = True


@unittest.skipUnless(HAVE_BROWSER and FULL, "ASSAY_FULL is not set: no page of 5,000 checks on 20 targets")
class Large(InBrowser):
    """5,000 checks on 20 targets."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        runs = Path(folder.name) / "runs"
        if not runs.exists():
            subprocess.run([sys.executable, GENERATOR, runs], check=True)
        cls.report = report("large", *sorted(runs.iterdir()))

    def test_only_what_is_near_is_in_the_page(self):
        self.visit(self.report)
        self.assertIn("5000 of 5000", self.count())
        for place in (0.2, 0.5, 0.9, 1.0):
            self.page.run("scrollTo(0, arguments[0] * document.documentElement.scrollHeight)", place)
            self.page.until("(() => { const r = document.elementFromPoint(innerWidth / 2, innerHeight / 2)"
                            ".closest('tr, footer, section'); return r && !r.classList.contains('gap') })()")
            self.assertLess(self.page.run("return document.querySelectorAll('tr.check').length"), 600)

    def test_any_check_is_reached_by_address_and_text(self):
        self.visit(self.report, "#module_19.check_4999")
        self.page.until("document.querySelector('tr.open')")
        top = self.page.run("return document.querySelector('tr.open').getBoundingClientRect().top")
        self.assertTrue(0 < top < 1000, top)
        self.page.run("document.getElementById('text').focus()")
        self.page.keys(*"check_0123")
        self.assertEqual(len(self.rows()), 1)

    def test_pictures(self):
        self.visit(self.report)
        self.picture("large")
        self.page.run("document.getElementById('list').scrollIntoView()")
        self.picture("large-list")


del InBrowser  # this is a base class, not a test

if __name__ == "__main__":
    unittest.main()
