# SPDX-License-Identifier: BSD-3-Clause
"""Tests the three output formats of one result, with a name that contains markup."""

import html.parser
import unittest

from assay.drift.concerns import causes_of
from assay.drift.entry import Entry
from assay.drift.render_html import render_html
from assay.drift.render_markdown import LIMIT, render_markdown
from assay.drift.render_text import render_text
from assay.drift.result import Result

HOSTILE = "<script>alert(1)</script>|`@all [x](http://x)"


def result(count=1):
    head = {"torch": HOSTILE, "git": ""}
    entries = [Entry(f"cxx:c10::A::f{n}()", "method", "removed", "c10/a.h", 3, before=HOSTILE, group=f"G{n}") for n in range(count)]
    groups = [{"id": e.group, "title": f"{HOSTILE} {e.name}", "rank": "break", "count": 1, "internal": False} for e in entries]
    return Result(head, head, entries, groups, undecided=["c10/b.h does not parse any more"])


class Tags(html.parser.HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.seen = set()
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attributes)


def hit(entry, verdict, *ways):
    return {"id": entry.id, "change": entry.change, "group": entry.group, "verdict": verdict, "ways": list(ways) or ["call"],
            "uses": ["py:torch.copied" if ways else entry.id], "reason": f"calls {entry.name} {HOSTILE}. Look."}  # fmt: skip


def backend(name, *hits, unknown=0):
    broken, looked = ({use for hit in hits if hit["verdict"] == verdict for use in hit["uses"]} for verdict in ("breaks", "look"))
    return {"name": name, "breaks": len(broken), "look": len(looked), "safe": 7, "unknown": unknown, "entries": list(hits)}


class Pages(unittest.TestCase):
    def test_text_has_place_and_advice(self):
        text = render_text(result(), "break", False)
        self.assertIn("c10/a.h:3", text)
        self.assertIn("undecided: c10/b.h does not parse any more", text)

    def test_a_rank_leaves_out_what_is_better(self):
        found = result()
        found.groups[0]["rank"] = "abi"
        self.assertNotIn("c10/a.h:3", render_text(found, "adapt", False))

    def test_html_runs_nothing_and_asks_for_nothing(self):
        page = render_html(result(), "break", False)
        self.assertNotIn("script", Tags(page).seen)
        self.assertNotIn("<script", page)

    def test_markdown_keeps_foreign_words_in_their_cell(self):
        text = render_markdown(result(), "break", False)
        row = next(line for line in text.splitlines() if line.startswith("| `"))
        self.assertEqual(row.count("|"), 5)
        self.assertNotIn("\n@all", text)

    def test_each_page_names_the_backends_and_their_reasons(self):
        found = result()
        found.backends = [backend(HOSTILE, hit(found.entries[0], "breaks"), unknown=3)]
        for render in (render_text, render_markdown, render_html):
            page = render(found, "break", False)
            self.assertIn("breaks at 1", page)
            self.assertIn("3 unknown", page)
        self.assertNotIn("<script", page)
        self.assertNotIn("\n@all", render_markdown(found, "break", False))

    def test_changes_that_concern_the_backend_come_first_and_alone(self):
        """Eight groups change a class that the backend uses, one breaks a function, one is of no concern."""
        found = result(10)
        for entry in found.entries[:8]:
            entry.change = "body"
        found.entries[8].kind, found.entries[8].id = "function", "cxx:c10::mine()"
        found.backends = [backend("mine", *(hit(entry, "look") for entry in found.entries[:8]), hit(found.entries[8], "breaks"))]
        for render in (render_text, render_markdown, render_html):
            page, everything = (render(found, "break", shown).replace("\\", "") for shown in (False, True))
            self.assertIn("breaks at 1, must look at 1 (8 uses), 7 safe", page)
            self.assertLess(page.index("calls c10::mine"), page.index("calls c10::A::f0"))
            self.assertNotIn("c10::A::f9", page)
            self.assertIn("other groups, which concern no given backend: 1 (1 break); --all-groups shows them", page)
            self.assertIn("c10::A::f9", everything)

    def test_changes_of_one_cause_are_joined(self):
        """Rows of one class or one copied module are one cause. Operators and rows of another verdict are not."""
        for change, ways, expected in (({}, (), 1), ({"kind": "function"}, (), 3), ({"header": "ATen/ops/add.h"}, (), 3), ({"kind": "function"}, ("copy",), 1)):
            found = result(3)
            for entry in found.entries:
                for name, value in change.items():
                    setattr(entry, name, value)
            hits = [hit(entry, "look", *ways) for entry in found.entries]
            self.assertEqual(len(causes_of(found, backend("mine", *hits))["look"]), expected, (change, ways))
            hits[0]["verdict"] = "breaks"
            self.assertEqual(len(causes_of(found, backend("mine", *hits))["breaks"]), 1)

    def test_before_and_after_differ_where_they_are_cut(self):
        found, same = result(), "std::vector<" * 60
        found.entries[0].before, found.entries[0].after = f"{same}int last", f"{same}bool last"
        text = " ".join(render_text(found, "break", False).split())
        self.assertIn("int last", text)
        self.assertIn("bool last", text)

    def test_markdown_fits_into_a_comment(self):
        text = render_markdown(result(2000), "break", False)
        self.assertLess(len(text), LIMIT + 100)
        self.assertIn("did not fit", text)


if __name__ == "__main__":
    unittest.main()
