# SPDX-License-Identifier: BSD-3-Clause
"""Parts of HTML pages. This module converts all text to HTML: every value in a template is escaped, unless a template
produced the value. The templates are in templates/."""

import json
import re
import zlib
from pathlib import Path

from assay.pages import Html, Templates, join

HERE = Path(__file__).parent / "templates"
# CSS classes of the report's style. The verdict is always shown as text, too.
LOOKS = {"pass": "pass", "noted": "noted", "flaky": "flaky", "fail": "fail", "crash": "crash", "timeout": "timeout",
         "compatible": "pass", "incompatible": "fail", "undecided": "broken", "partial": "skip", "proven": "pass",
         "broken": "broken", "lacking": "fail", "absent": "absent", "broke": "fail", "lost": "fail",
         "fails at first": "fail", "repaired": "pass", "gained": "pass", "blocked": "blocked", "slow": "slow",
         "fallback": "fallback", "incomplete": "incomplete", "notrun": "notrun"}


fill = Templates(HERE / "parts.html")


def look_of(word):
    return LOOKS.get(word, "skip")


def verdict(word):
    return fill("verdict", look=look_of(word), verdict=word)


def cells(values):
    return join([value if isinstance(value, Html) and value.startswith("<td") else fill("cell", text=value)
                 for value in values], "")


def table(identity, columns, rows):
    """`rows` are (name, values). The name is the heading of the row."""
    return fill("table", id=identity, head=join([fill("column", text=column) for column in columns], ""),
                rows=join([fill("row", name=name, cells=cells(values)) for name, values in rows]))


def section(identity, title, note, body):
    return fill("section", id=identity, title=title, note=note, body=body)


def link(href, text):
    return fill("link", href=href, text=text)


def slug(name):
    """A file name for a text. Different texts get different file names."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:80].strip("-.")
    return plain if plain == name else f"{plain}-{zlib.crc32(name.encode()):08x}"


def script_text(value):
    """JSON that is safe inside a script file."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c").replace("\u2028", "\\u2028")
