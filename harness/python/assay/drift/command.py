# SPDX-License-Identifier: BSD-3-Clause
"""assay drift OLD NEW: makes the dumps of both sides at the same time, compares them and prints the report."""

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from assay import files
from assay.drift import unknown as uses_unknown
from assay.drift.confirm import confirm
from assay.drift.cross import cross
from assay.drift.history import mark_history
from assay.drift.render_html import render_html
from assay.drift.render_markdown import render_markdown
from assay.drift.render_text import render_text
from assay.drift.result import as_json, compare_dumps
from assay.facts.settings import settings_of
from assay.facts.dump_command import dump_side, is_stored
from assay.facts.dump_file import read_dump
from assay.command import USAGE, Refused
from assay.facts.revisions import unpack_revisions
from assay.facts.side import find_side
from assay.terminal import clean
from assay.uses.file import read_uses

DEFAULT_RANK = "deprecated"
RENDERERS = {"text": render_text, "markdown": render_markdown, "html": render_html}


def drift_command(command, scratch):
    words, uses = split_words(command)
    # These files are read first, so that an error in a file is reported before the headers are parsed.
    documents = [read_uses(path) for path in uses]
    sides, (old, new) = read_sides(command, words, scratch)
    result = compare_dumps(old, new)
    mark_history(result.entries, read_earlier(command, scratch))
    result.backends = cross(result.entries, documents, old, new)
    result.undecided += uses_unknown.sentences(result.backends)
    if command.option("no-confirm") is None:
        confirm(result, (old, new), [None if isinstance(side, str) else side for side in sides], settings_of(command))
    read = [*words, *uses, *command.listed("earlier")]
    deliver(rendered(result, command, command.option("format") or "text"), command.option("output"), read)
    if command.option("markdown"):
        deliver(rendered(result, command, "markdown"), command.option("markdown"), read)
    return result.exit_status


def split_words(command):
    words = list(command.words)
    uses = [command.option("uses")] if command.option("uses") else []
    wanted = 1 if command.option("git") else 2
    if len(words) < wanted or (len(words) > wanted and not uses):
        raise Refused(f"expected two versions of PyTorch: assay drift OLD NEW; {len(words)} given", USAGE)
    return words[:wanted], uses + words[wanted:]


def read_sides(command, words, scratch):
    """Returns the sides and their dumps. Two processes make the dumps at the same time. A stored dump is only read."""
    if command.option("git"):
        words = list(map(str, unpack_revisions(words[0], command.option("git"), scratch)))
    sides = find_sides(command, words, scratch)
    return sides, read_all(command, sides, scratch)


def read_all(command, sides, scratch):
    if all(isinstance(side, str) for side in sides):
        return [read_dump(path) for path in sides]
    make = partial(path_of, settings=settings_of(command), cached=command.option("no-cache") is None, scratch=scratch)
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        return [read_dump(path) for path in pool.map(make, sides)]


def path_of(side, **how):
    return side if isinstance(side, str) else dump_side(side, **how)


def read_earlier(command, scratch):
    words = command.listed("earlier")
    sides = [word if is_stored(word) else find_side(word, scratch / f"earlier{at}") for at, word in enumerate(words)]
    return read_all(command, sides, scratch)


def find_sides(command, words, scratch):
    lender = find_side(command.option("generated"), scratch) if command.option("generated") else None
    found = [word if is_stored(word) else None for word in words]
    for at, word in sorted(enumerate(words), key=lambda pair: is_checkout(pair[1])):
        if found[at] is None:
            other = lender or next((side for side in found if side and not isinstance(side, str)), None)
            found[at] = find_side(word, scratch / str(at), other)
    return found


def is_checkout(word):
    return (Path(word) / "aten/src").is_dir()


def rendered(result, command, form):
    rank = command.option("rank") or DEFAULT_RANK
    if form == "json":
        return json.dumps(as_json(result), indent=1) + "\n"
    return RENDERERS[form](result, rank, command.option("all-groups") is not None)


def deliver(text, path, sources):
    text = clean(text)
    if path:
        files.write(path, [text.encode()], sources)
    else:
        sys.stdout.write(text)
