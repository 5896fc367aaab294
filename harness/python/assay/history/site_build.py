# SPDX-License-Identifier: BSD-3-Clause
"""Builds the site in a temporary folder and exchanges it with the old site in one step. Readers always see a complete
site, even if the builder is killed. A folder with other content is not replaced."""

import contextlib
import ctypes
import fcntl
import glob
import json
import os
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path

from assay.pages import style

from assay.command import Refused

from . import fact_pages, other_pages, overview_pages
from .page_parts import HERE, Html, fill
from .past_view import Past

AT_CURRENT, EXCHANGE = -100, 2  # constants of renameat2
MARK = "assay-dashboard.json"  # this file identifies a folder that assay made


class Site:
    def __init__(self, past, folder):
        self.past, self.folder = past, folder
        self.checks_of = defaultdict(set)  # clause -> checks
        for (kind, name), holdings in past.holdings.items():
            for clause in {clause for one in holdings for clause in one.covers} if kind == "check" else ():
                self.checks_of[clause].add(name)
        for name in ("backend", "torch", "check", "clause", "compare", "badge"):
            (folder / name).mkdir(parents=True)

    def put(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def put_json(self, name, value):
        self.put(name, json.dumps(value, separators=(",", ":")) + "\n")

    def write(self, name, title, note, body, value, head=Html("")):
        """Writes a page and its JSON."""
        root = "../" * name.count("/")
        self.put_json(f"{name}.json", {"schema": "assay/dashboard/1", "page": name} | value)
        self.put(f"{name}.html", fill("page", root=root, title=title, note=note, body=body, head=head,
                                           json=f"{name.rsplit('/', 1)[-1]}.json", runs=self.past.run_count,
                                           newest=self.past.newest[:10] or "no night"))

    def build(self):
        self.put("style.css", style() + (HERE / "site.css").read_text(encoding="utf-8"))
        self.put("site.js", (HERE / "site.js").read_text(encoding="utf-8"))
        overview_pages.overview(self)
        for target in self.past.targets:
            overview_pages.backend_page(self, target)
        for release in self.past.releases:
            overview_pages.torch_page(self, release)
        for series in self.past.series:
            other_pages.compare_page(self, series)
        for (kind, name), holdings in self.past.holdings.items():
            if kind in ("check", "clause"):
                fact_pages.fact_page(self, kind, name, holdings)
        fact_pages.list_page(self)
        other_pages.copy_page(self)
        other_pages.feed(self)
        self.put_json(MARK, {"schema": "assay/dashboard/1", "runs": self.past.run_count, "newest": self.past.newest})


def expect_ours(folder):
    if folder.exists() and not folder.is_dir():
        raise Refused(f"{folder}: is no folder: give --out another place")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise Refused(f"{folder}: holds something that is no dashboard: give --out an empty folder or a new folder")


def put_in_place(fresh, folder, old):
    """Exchanges the folders in one step if the file system supports this. Otherwise the folder is missing briefly."""
    if not folder.exists():
        fresh.rename(folder)
        return
    libc = ctypes.CDLL(None, use_errno=True)
    exchanged = hasattr(libc, "renameat2") and libc.renameat2(
        AT_CURRENT, os.fsencode(fresh), AT_CURRENT, os.fsencode(folder), EXCHANGE) == 0
    if not exchanged:
        folder.rename(old)
        fresh.rename(folder)
    for left in (fresh, old):
        shutil.rmtree(left, ignore_errors=True)


@contextlib.contextmanager
def only_builder(parent, prefix):
    """Waits until no other process builds in this folder, then removes the folders that killed builders have left."""
    handle = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    with contextlib.suppress(OSError):  # some network file systems cannot lock a folder
        fcntl.flock(handle, fcntl.LOCK_EX)
        for left in parent.glob(f"{glob.escape(prefix)}*"):
            if {path.name for path in left.iterdir()} <= {"new", "old"}:
                shutil.rmtree(left, ignore_errors=True)
    try:
        yield
    finally:
        os.close(handle)


def build(history, out):
    """Builds the site and returns the number of pages."""
    folder = Path(out)
    expect_ours(folder)
    past = Past(history)
    # A folder with a fixed name could belong to the user or to a second build.
    place = Path(os.path.realpath(folder))
    place.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{place.name}.building-"
    with only_builder(place.parent, prefix), tempfile.TemporaryDirectory(dir=place.parent, prefix=prefix) as scratch:
        fresh, old = (Path(scratch, word) for word in ("new", "old"))
        Site(past, fresh).build()
        put_in_place(fresh, place, old)
    return sum(1 for _ in folder.rglob("*.html"))
