# SPDX-License-Identifier: BSD-3-Clause
"""Tests the three output formats of one result, with a name that contains markup."""

import html.parser
import unittest

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


class Pages(unittest.TestCase):
    def test_text_has_place_and_advice(self):
        text = render_text(result(), "break")
        self.assertIn("c10/a.h:3", text)
        self.assertIn("undecided: c10/b.h does not parse any more", text)

    def test_a_rank_leaves_out_what_is_better(self):
        found = result()
        found.groups[0]["rank"] = "abi"
        self.assertNotIn("c10/a.h:3", render_text(found, "adapt"))

    def test_html_runs_nothing_and_asks_for_nothing(self):
        page = render_html(result(), "break")
        self.assertNotIn("script", Tags(page).seen)
        self.assertNotIn("<script", page)

    def test_markdown_keeps_foreign_words_in_their_cell(self):
        text = render_markdown(result(), "break")
        row = next(line for line in text.splitlines() if line.startswith("| `"))
        self.assertEqual(row.count("|"), 5)
        self.assertNotIn("\n@all", text)

    def test_each_page_names_the_backends_and_their_reasons(self):
        found = result()
        entry = {"verdict": "breaks", "reason": HOSTILE}
        found.backends = [{"name": HOSTILE, "breaks": 1, "look": 0, "safe": 7, "unknown": 3, "entries": [entry]}]
        for render in (render_text, render_markdown, render_html):
            page = render(found, "break")
            self.assertIn("breaks at 1", page)
            self.assertIn("3 unknown", page)
        self.assertNotIn("<script", page)
        self.assertNotIn("\n@all", render_markdown(found, "break"))

    def test_before_and_after_differ_where_they_are_cut(self):
        found, same = result(), "std::vector<" * 60
        found.entries[0].before, found.entries[0].after = f"{same}int last", f"{same}bool last"
        text = " ".join(render_text(found, "break").split())
        self.assertIn("int last", text)
        self.assertIn("bool last", text)

    def test_markdown_fits_into_a_comment(self):
        text = render_markdown(result(2000), "break")
        self.assertLess(len(text), LIMIT + 100)
        self.assertIn("did not fit", text)


if __name__ == "__main__":
    unittest.main()
