# SPDX-License-Identifier: BSD-3-Clause
"""HTML pages of the Python programs: the style of the report, and templates. Every value in a template is escaped,
except HTML that a template made."""

import html
import string

from assay import places


class Html(str):
    """HTML that a template made. Text in it is already escaped."""


def safe(value):
    return value if isinstance(value, Html) else html.escape(str(value))


def join(parts, between="\n"):
    return Html(between.join(safe(part) for part in parts))


def style():
    return (places.data() / "reports/render/page/report.css").read_text(encoding="utf-8")


class Templates:
    """The templates of a file. Each template begins after a line `<!--# name -->`. Calls take the name and the
    values."""

    def __init__(self, path):
        pairs = (block.split(" -->\n", 1) for block in path.read_text(encoding="utf-8").split("<!--# ")[1:])
        self.blocks = {name: string.Template(text.rstrip("\n")) for name, text in pairs}

    def __call__(self, block, /, **values):
        return Html(self.blocks[block].substitute({key: safe(value) for key, value in values.items()}))
