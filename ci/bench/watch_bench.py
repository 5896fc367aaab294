# SPDX-License-Identifier: BSD-3-Clause
"""Measures the cost of assay watch on twenty training programs against the same programs without a watch: time, peak
memory, number of compared calls and of calls reported as wrong. The three variants run alternately, and the round
with the least processor time counts. Prints the values and judges nothing.

Usage: ci/bench/watch_bench.py [--target TARGET] [--device DEVICE] [--times N] [--rounds N]

Goals: at most 3 times the processor time, 8 times with --all, and twice the memory; more than 30,000 calls compared
with --all, none of them wrong. The machine must be otherwise idle.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
WAYS = (("plain", None), ("watched", []), ("watched --all", ["--all"]))


def run(arguments, options, folder):
    """The output of the programs and of the watch, or None for the run without a watch."""
    command = [sys.executable, str(ROOT / "ci/bench/watched_programs.py"), arguments.device, str(arguments.times)]
    environment = {**os.environ, "PYTHONPATH": str(BUILD / "python")}
    if options is not None:
        command = [str(BUILD / "bin/assay"), "watch", "--target", arguments.target, "--out", folder, *options, "--", *command]
    said = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if not said.stdout.startswith("{"):
        sys.exit(said.stdout + said.stderr)
    document = json.loads(Path(folder, "watch.json").read_text(encoding="utf-8")) if options is not None else None
    return json.loads(said.stdout.split("\n")[0]), document


def row(name, said, document, floor):
    compared, wrong, calls = "", "", ""
    if document:
        compared, wrong, calls = (sum(one[key] for one in document["operators"]) for key in ("compared", "wrong", "calls"))
    cells = [f"{said['seconds']:.1f} s", f"{said['seconds'] / floor['seconds']:.2f}", f"{said['processor']:.1f} s",
             f"{said['processor'] / floor['processor']:.2f}", f"{said['peak_kib'] // 1024} MiB", f"{said['peak_kib'] / floor['peak_kib']:.2f}", calls, compared, wrong]
    return f"| {name} | " + " | ".join(map(str, cells)) + " |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", default="fakedev")
    parser.add_argument("--device", default="fakedev")
    parser.add_argument("--times", type=int, default=10, help="each program once; with few calls the first ones dominate, and those are compared")
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    best = {}
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as room:
        for number in range(arguments.rounds):
            for name, options in WAYS:
                said = run(arguments, options, f"{room}/{number}-{len(best)}-{name.split()[-1]}")
                if name not in best or said[0]["processor"] < best[name][0]["processor"]:
                    best[name] = said
    print("| way | clock | times | processor | times | peak | times | calls | compared | wrong |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, (said, document) in best.items():
        print(row(name, said, document, best["plain"][0]))
        for one in (document or {"operators": []})["operators"]:
            if one["wrong"]:
                print(f"wrong: {one['name']} at {one['where']}: {one['seen']}")


if __name__ == "__main__":
    main()
