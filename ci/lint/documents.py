# SPDX-License-Identifier: BSD-3-Clause
"""Rules for Markdown files: links have a target, named files exist, and the Markdown files stay short.

Called by rules.py with the tracked files. The first two rules skip the guide's pages, because Sphinx verifies them."""

import fnmatch
import re

LINK = re.compile(r"\]\(([^)\s]*)\)")
SPAN = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^ *(`{3,}).*?^ *\1 *$", re.M | re.S)
HEADING = re.compile(r"^#+ +(.*)$", re.M)
SOURCE = re.compile(r"[\w.*/-]+\.(?:c|h|cc|py|tsv)")  # files with other suffixes may belong to a run
# Builds and runs make the files at the end of this list.
EXAMPLE = re.compile(r"foo|mine|NAME|^(?:variants|faults)\.tsv$|^culprit\.py$")
TOP = ("README.md", "harness/README.md", "suites/README.md", "reports/README.md", "fake_device/README.md", "guide/README.md", "ci/README.md")
WORDS, WORDS_OF_TOP = 40_000, 3_500


def slugs(text):
    """The anchors of the headings in the form that GitHub uses."""
    heads = (re.sub(r"[`*]", "", head).strip().lower() for head in HEADING.findall(FENCE.sub("", text)))
    return {re.sub(r"[^\w\- ]", "", head).replace(" ", "-") for head in heads}


def dead_links(place, text, texts, known):
    """`texts` is {place: text} of all Markdown files; `known` contains all files and folders."""
    for target in LINK.findall(FENCE.sub("", text)):
        name, _, anchor = target.partition("#")
        if re.match(r"\w+:", target):
            continue
        found = resolved(place, name) if name else place
        if found not in known:
            yield f"{place}:1: the link {target} leads nowhere"
        elif anchor and anchor not in slugs(texts.get(found, "")):
            yield f"{place}:1: {found} has no heading #{anchor}"


def resolved(place, name):
    parts = place.split("/")[:-1]
    for part in name.rstrip("/").split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def missing_files(place, text, known):
    """Names of sources in backticks that do not exist. A <placeholder> matches any name."""
    for span in SPAN.findall(FENCE.sub("", text)):
        name = re.sub(r"<\w+>", "*", span)
        if not SOURCE.fullmatch(name) or EXAMPLE.search(name):
            continue
        pattern = "*/" + name.lstrip("./")
        if not fnmatch.filter((f"/{path}" for path in known), pattern):
            yield f"{place}:1: there is no file {span}"


def too_long(texts):
    for words, limit, what in (
        (sum(len(text.split()) for text in texts.values()), WORDS, "all Markdown together"),
        (sum(len(texts.get(place, "").split()) for place in TOP), WORDS_OF_TOP, "the READMEs of the root and its folders"),
    ):
        if words > limit:
            yield f"README.md:1: {what} has {words} words, more than {limit}"
