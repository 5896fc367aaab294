# SPDX-License-Identifier: BSD-3-Clause
"""Watches a part of a running program: `with assay.watch():`, in a notebook or a test.

    with assay.watch() as found:
        train(model)
    found.first, found.document

The block watches threads that start in it and children that are forked in it. New interpreters are not watched; use
`assay watch -- COMMAND` for them. The block writes a folder like the folder of the command. Called by assay.watch and
by checks of programs.
"""

import datetime
import json
import sys
from pathlib import Path

import torch
from assay.watcher import (
    ends as watch_ends,
    install as watch_install,
    mode as watch_mode,
    reproducer as watch_reproducer,
    summary as watch_sum,
    text as watch_text,
)


class Block:
    """`document` is the output of assay watch --format json (assay/watch/1). `folder` contains the document and a
    reproducer for each wrong operator."""

    def __init__(self, out=None, everything=False, most_mib=64, most_seconds=0, quiet=False):
        self.folder, self.quiet, self.document = Path(out or _usual_folder()).resolve(), quiet, None
        self.end, self.already = lambda: None, ""
        self.choice = everything, most_mib << 20, most_seconds

    def __enter__(self):
        if self.folder.exists() and any(self.folder.iterdir()):
            raise FileExistsError(f"{self.folder} exists and is not empty; give assay.watch(out=...) a new folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        if watch_install.is_under_way():
            self.already = "an outer watch already covers this block and reports its findings"
            return self
        seen = watch_ends.hook(str(self.folder))
        watched = watch_install.undone_later(watch_mode.Watch(str(self.folder), *self.choice))
        self.end = lambda: (watched(), seen())
        return self

    def __exit__(self, kind, error, _trace):
        self.end()
        ended = f"the block ended with {kind.__name__}: {error}"[:500] if kind else self.already
        request = self.request({"exit": int(kind is not None), "signal": "", "ended": ended, "cut_off": False})
        self.document = watch_sum.summed(self.folder, request["command"], request["ended"])
        (self.folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        watch_reproducer.write(self.folder, request, self.document)
        (self.folder / "watch.json").write_text(json.dumps(self.document, indent=1) + "\n", encoding="utf-8")
        if not self.quiet:
            how = f"assay watch --target TARGET --read {self.folder}"
            print("\n".join(watch_text.text(self.document, self.folder, how)), file=sys.stderr, flush=True)

    def request(self, ended):
        """The request that assay watch would have written. `assay watch --read` makes a run from it."""
        everything, most_bytes, seconds = self.choice
        device = torch._C._get_privateuse1_backend_name()
        return {"target": device, "folder": str(self.folder), "format": "text", "all": everything, "most-mib": most_bytes >> 20,
                "most-seconds": seconds, "steps": steps_of(device), "command": sys.orig_argv[:20] or ["?"], "ended": ended}

    @property
    def first(self):
        """The first wrong operator, or None."""
        return self.document["first"]

    @property
    def verdict(self):
        """The verdict in one line."""
        return watch_text.verdict(self.document)


def steps_of(device):
    """Load steps for a reproducer: imports the package of the device module, unless that package is torch."""
    name = getattr(getattr(torch, device, None), "__name__", "").partition(".")[0]
    return [["import", name, ""]] if name not in ("", "torch") else []


def _usual_folder():
    return f"runs/watch-block-{datetime.datetime.now():%Y%m%d-%H%M%S-%f}"
