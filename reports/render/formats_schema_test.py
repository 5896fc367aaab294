# SPDX-License-Identifier: BSD-3-Clause
"""Tests every machine-readable format against its schema: a run with almost every verdict, and a forged run with
hostile texts. Also tests that the schemas can reject a document."""

import json
import os
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from harness.command.fixtures.folder_case import FolderCase
import jsonschema

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "reports" / "schema"
ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin" / "assay"
MIXED = ROOT / "reports" / "testdata" / "runs" / "mixed"
JSON_FORMATS = ("json", "sarif", "shields", "relay", "benchmark")
NASTY = "</failure><script>@x\n</pre>]]>&\"'\u202e\ufffe\x1b[2J | `"


def report(run, form, *more):
    done = subprocess.run(
        [ASSAY, "report", run, "--format", form, *more], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def validator(form):
    kind = "report" if form == "json" else form
    return jsonschema.Draft202012Validator(
        json.loads((SCHEMAS / f"{kind}.schema.json").read_text())
    )


def mistakes_of_junit(text):
    """The errors of xmllint under junit.xsd, [] if there are none."""
    done = subprocess.run(
        ["xmllint", "--noout", "--nonet", "--schema", SCHEMAS / "junit.xsd", "-"],
        input=text,
        capture_output=True,
        check=False,
    )
    return done.stderr.decode().splitlines() if done.returncode else []


def forge(folder):
    """The folder of a run as a hostile pull request may write it: untrusted text in every text field."""
    for name in ("plan.json", "journal.jsonl"):
        text = (MIXED / name).read_text()
        lines = text.splitlines() if name.endswith("l") else [text]
        (folder / name).write_text("".join(json.dumps(poison(json.loads(x))) + "\n" for x in lines))
    return folder


def poison(value, key=None):
    if isinstance(value, dict):
        return {name: poison(member, name) for name, member in value.items()}
    if isinstance(value, list):
        return [poison(item, key) for item in value]
    free = (
        "reason",
        "seen",
        "demand",
        "hint",
        "summary",
        "location",
        "signal",
        "stage",
        "folder",
        "why",
        "command",
        "host",
        "seed",
        "target",
        "name",
        "file",
        "text",
    )
    return f"{value} {NASTY}" if key in free and isinstance(value, str) else value


class Rendered(FolderCase):
    def runs(self):
        return MIXED, forge(self.folder)


class Formats(Rendered):
    def test_json_formats_keep_their_schemas(self):
        for run in self.runs():
            for form in JSON_FORMATS:
                with self.subTest(form=form, run=run.name):
                    document = json.loads(report(run, form))
                    self.assertEqual([], [e.message for e in validator(form).iter_errors(document)])

    def test_schemas_refuse_what_is_not_theirs(self):
        for form in JSON_FORMATS:
            with self.subTest(form):
                document = json.loads(report(MIXED, form))
                broken = document[0] if isinstance(document, list) else document
                broken.pop(sorted(broken)[-1])
                self.assertFalse(validator(form).is_valid(document))

    def test_counts_of_all_formats_agree(self):
        relay = json.loads(report(MIXED, "relay"))["test_results"]
        suite = ElementTree.fromstring(report(MIXED, "junit")).find("testsuite").attrib
        records = json.loads(report(MIXED, "benchmark"))
        benchmark = {
            name: sum(
                r["metric"]["benchmark_values"][0] for r in records if r["metric"]["name"] == name
            )
            for name in ("passed", "failed", "skipped")
        }
        self.assertEqual(
            (relay["total"], relay["failed"], relay["skipped"]),
            (
                int(suite["tests"]),
                int(suite["errors"]) + int(suite["failures"]),
                int(suite["skipped"]),
            ),
        )
        self.assertEqual(
            {name: relay[name] for name in ("passed", "failed", "skipped")}, benchmark
        )

    def test_link_is_said_where_a_format_has_a_place_for_it(self):
        link = "https://ci.example/run/7"
        self.assertEqual(link, json.loads(report(MIXED, "relay", "--link", link))["artifact_url"])
        self.assertIn(f'<a href="{link}">', report(MIXED, "markdown", "--link", link).decode())


@unittest.skipUnless(shutil.which("xmllint"), "xmllint is not installed (libxml2-utils)")
class Junit(Rendered):
    def test_junit_keeps_the_schema_of_its_consumers(self):
        for run in self.runs():
            with self.subTest(run.name):
                self.assertEqual([], mistakes_of_junit(report(run, "junit")))

    def test_schema_refuses_what_consumers_refuse(self):
        good = report(MIXED, "junit").decode()
        suite = good[good.index("  <testsuite ") : good.index("</testsuites>")]
        case = good[good.index("    <testcase") : good.index("</testcase>") + 11]
        broken = {
            "a second suite": good.replace("</testsuites>", suite + "</testsuites>"),
            "a case without time": re.sub(r' time="[0-9.]+">\n', ">\n", good),
            "a case twice": good.replace("  </testsuite>", case + "</testsuite>"),
            "a zone": good.replace(
                'timestamp="2026-11-21T13:48:05"', 'timestamp="2026-11-21T13:48:05Z"'
            ),
            "two outcomes": good.replace("</failure>", '</failure><error type="x" message="y"/>'),
        }
        for what, text in broken.items():
            with self.subTest(what):
                self.assertNotEqual(good, text)
                self.assertNotEqual([], mistakes_of_junit(text.encode()))

    def test_outcomes_are_those_of_the_verdicts(self):
        outcomes = {}
        for case in ElementTree.fromstring(report(MIXED, "junit")).iter("testcase"):
            verdict = case.find("properties/property[@name='verdict']").get("value")
            kinds = {child.tag for child in case} - {"properties"}
            outcomes.setdefault(verdict, set()).update(kinds)
        self.assertEqual(
            {
                "pass": set(),
                "flaky": {"rerun"},
                "fail": {"failure"},
                "crash": {"error"},
                "incomplete": {"error"},
                "notrun": {"error"},
                "blocked": {"skipped"},
                "unobservable": {"skipped"},
            },
            outcomes,
        )

    def test_test_reports_lie_where_the_uploader_looks(self):
        report(MIXED, "junit", "--test-reports", self.folder)
        files = [path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*.xml")]
        self.assertEqual(["python-pytest/assay_foo_yaml/assay_foo_yaml-1.xml"], files)
        self.assertEqual(report(MIXED, "junit"), (self.folder / files[0]).read_bytes())


if __name__ == "__main__":
    unittest.main()
