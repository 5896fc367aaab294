# SPDX-License-Identifier: BSD-3-Clause
"""The command assay drift dump SIDE -o FILE. A comparison calls the same functions for its sides."""

import lzma
import tempfile
from pathlib import Path

from assay.facts.cache import cached_dump, forget_old
from assay.facts.settings import settings_of
from assay.facts.dump_file import QUICK, SMALL, read_dump, store, write_dump
from assay.facts.make_dump import make_dump
from assay.command import SYSTEM, USAGE, Refused
from assay.facts.side import find_side


def is_stored(word):
    return word.endswith(".xz") and Path(word).is_file()


def store_dump(side, settings, path):
    head, facts, symbols = make_dump(side, settings)
    write_dump(path, head, facts, symbols, QUICK)


def dump_side(side, settings, cached=True, scratch=None):
    """Path of the dump of a side. The dump is made if the cache does not have it."""
    kept = cached_dump(side, settings) if cached else None
    if not kept:
        path = Path(tempfile.mkdtemp(dir=scratch)) / "uncached.drift.xz"
        store_dump(side, settings, path)
        return path
    if not kept.is_file():
        store_dump(side, settings, kept)
        forget_old(kept.parent)
    return kept


def dump_command(command, scratch):
    if len(command.words) != 2 or not command.option("output"):
        raise Refused("expected one side and a file: assay drift dump SIDE -o FILE", USAGE)
    target = Path(command.option("output"))
    if not target.parent.is_dir():
        raise Refused(f"{target}: cannot be written: there is no folder {target.parent}", SYSTEM)
    generated = command.option("generated")
    lender = find_side(generated, scratch) if generated else None
    side = find_side(command.words[1], scratch, lender)
    path = dump_side(side, settings_of(command), command.option("no-cache") is None, scratch)
    store(target, lzma.decompress(path.read_bytes()), SMALL, command.words[1:])
    head = read_dump(target).head
    print(f"torch {head['torch'] or '?'}  {', '.join(head['sections'])}  {target.stat().st_size // 1024} KiB  {target}")
    return 0
