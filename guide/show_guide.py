# SPDX-License-Identifier: BSD-3-Clause
"""assay guide: prints a page of the guide for a terminal, with the code of the scaffold that the page includes.

    python -m show_guide guide -- [PAGE]

An installation contains the pages as Markdown. Sphinx makes the same pages as HTML from a checkout (make_guide.py).
"""

import re
from pathlib import Path

from assay.command import USAGE, Refused, serve
from new_backend import FEATURES, PARTS, files_of

PAGES = {path.stem: path for path in sorted(Path(__file__).resolve().parent.glob("pages/**/*.md"))}
BLOCK = re.compile(r"```{(?P<kind>\w+)}(?P<file>.*)\n(?P<rest>(?s:.*?))```\n")


def title_of(page):
    return PAGES[page].read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def part_of(lines, start="", end=None):
    """The lines from the first that contains `start` to the one before the first that contains `end`."""
    first = next(number for number, line in enumerate(lines) if start in line)
    last = next((number for number in range(first + 1, len(lines)) if end and end in lines[number]), len(lines))
    return lines[first:last]


def text_of(page):
    code = dict(files_of("foo", {*FEATURES, *PARTS}, "the foo authors"))

    def show_block(block):
        if block["kind"] != "literalinclude":
            return ""
        options = dict(re.findall(r':(\S+): "?(.*?)"?\n', block["rest"]))
        lines = code[block["file"].strip().removeprefix("/code/")].splitlines()
        return "".join(f"    {line}".rstrip() + "\n" for line in part_of(lines, options.get("start-at", ""), options.get("end-before")))

    text = BLOCK.sub(show_block, PAGES[page].read_text(encoding="utf-8"))
    text = re.sub(r"\[\]\((?:\S*/)?(\w+)\.md\)", r"`assay guide \1`", text)
    return re.sub(r"\[([^]]+)\]\(\S+?\)", r"\1", text).strip()


def main(command):
    page = command.words[0] if command.words else "index"
    if page not in PAGES:
        raise Refused(f"the guide has no page {page}; its pages: {', '.join(PAGES)}", USAGE)
    print(text_of(page))
    if page == "index":
        print("\nPages, each shown by `assay guide PAGE`:")
        print("\n".join(f"  {name:17} {title_of(name)}" for name in PAGES if name != page))


if __name__ == "__main__":
    serve(main)
