#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the cost of comparing two versions of PyTorch: without caches, with the stored dump of base, without
--confirm, and with 50 additional files of uses.

    drift_bench.py OLD NEW [--times N]

Takes the best of N runs (default 3). Memory is that of the largest process. Goals: 40 s without caches, 20 s with
base stored, 2 s for 50 files, 1.5 GB.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ASSAY = Path(os.environ.get("ASSAY_BUILD", ROOT / "build")) / "bin/assay"


def measure(words, cache):
    """Returns (elapsed seconds, processor seconds, MiB of the largest process)."""
    started = time.monotonic()
    process = subprocess.Popen([ASSAY, "drift", *map(str, words), "--format", "json"], stdout=subprocess.DEVNULL,
                               env={**os.environ, "XDG_CACHE_HOME": cache})  # fmt: skip
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1, 2):
        sys.exit(f"drift_bench: assay drift ended with {os.waitstatus_to_exitcode(status)}")
    return time.monotonic() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def best(times, words):
    """Starts with an empty cache."""
    found = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as cache:
            found.append(measure(words, cache))
    return min(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--times", type=int, default=3)
    asked = parser.parse_args()
    uses = sorted((ROOT / "ci/uses").glob("*.json"))
    fifty = (uses * 50)[:50]
    with tempfile.TemporaryDirectory() as folder:
        stored = [Path(folder, f"{name}.drift.xz") for name in ("old", "new")]
        for side, path in zip((asked.old, asked.new), stored):
            subprocess.run([ASSAY, "drift", "dump", side, "-o", path], check=True, stdout=subprocess.DEVNULL)
        rows = (
            ("a pair, cold", (asked.old, asked.new)),
            ("a pair, cold, --no-confirm", (asked.old, asked.new, "--no-confirm")),
            ("the base stored", (stored[0], asked.new)),
            ("both stored", stored),
            ("both stored, crossed with 50 files of uses", (*stored, "--uses", *fifty)),
        )
        print(f"{'what':46} {'s':>6} {'processor s':>12} {'MiB':>6}")
        for name, words in rows:
            clock, processor, memory = best(asked.times, words)
            print(f"{name:46} {clock:6.1f} {processor:12.1f} {memory:6.0f}", flush=True)
        print(f"dumps: {', '.join(f'{path.stat().st_size / 1e6:.2f} MB' for path in stored)}")


if __name__ == "__main__":
    main()
