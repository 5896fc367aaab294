# SPDX-License-Identifier: BSD-3-Clause
"""The cost of the checks of each module on the clean fake device, of the processor and of the clock, beside what
any program pays for `import torch`, measured before and after. Prints a table; judges nothing.

Usage: ci/bench/module_bench.py [--target TARGET] [--select EXPR] [--run DIR]

--run      reads a run that is there, in the place of making one (with --jobs 1, or the clock says little)

Below the modules: the older six and the newer thirteen, with and without the checks that have processes of
their own, and every check above a second of the processor. One with a process of its own (`+`) pays for
`import torch` in it."""

import argparse
import collections
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
SIX = ("guard", "allocator", "generator", "autograd", "amp", "serialization")
THIRTEEN = ("streams", "events", "statistics", "pinned", "storage", "hooks", "accelerator", "device_module", "naming",
            "autoload", "graphs", "dataloader", "ipc")
LONG_MS = 1000
PROCESSES = ("other_processes", "lent_interpreters", "fresh(",
             "fresh_torch(", "fresh_autoload(", "subprocess", "DataLoader", "Loading")


def import_torch():
    """Milliseconds of the processor and of the clock."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([sys.executable, "-c", "import torch"], check=True,
                   env=dict(os.environ, TORCH_DEVICE_BACKEND_AUTOLOAD="0"))
    clock, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1000 * spent, 1000 * clock


def costs_of(run):
    """module -> [(processor ms, clock ms, check)]; checks that were asked, not those that were skipped or blocked"""
    result = collections.defaultdict(list)
    for line in (Path(run) / "journal.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["event"] == "end" and record["final"] and record["verdict"] in ("pass", "noted", "fail"):
            module = record["id"].partition(".")[0]
            result[module].append((record["cpu_ms"], record["duration_ms"], record["id"]))
    return result


def own_processes():
    """Checks that say that they want a process of their own, and those in files that start processes."""
    result = set()
    for path in ROOT.glob("suites/*/contract.yaml"):
        checks = yaml.safe_load(path.read_text(encoding="utf-8")).get("checks") or []
        result |= {check["id"] for check in checks if {"process", "exit", "expect"} & set(check)}
        for source in path.parent.glob("test_*.py"):
            text = source.read_text(encoding="utf-8")
            if any(word in text for word in PROCESSES):
                result |= {check["id"] for check in checks if f'"""{check["id"]}"""' in text}
    return result


def row(name, costs, floor):
    processor, clock = (sum(cost[place] for cost in costs) / len(costs) for place in (0, 1))
    longest = max(costs)
    print(f"{name:14} {len(costs):6} {processor:9.1f} {clock:9.1f} {processor / floor[0]:12.2f}   "
          f"{longest[0]:8.0f}  {longest[2]}")
    return processor


def print_table(costs, floors):
    floor = [min(each) for each in zip(*floors, strict=True)]
    print(f"import torch: {floor[0]:.0f} ms of the processor, {floor[1]:.0f} ms of the clock")
    print(f"{'module':14} {'checks':>6} {'processor':>9} {'clock':>9} {'import torch':>12}   {'longest':>8}  ms per check")
    for module in costs:
        row(module, costs[module], floor)
    compare(costs, floor, set(), "")
    compare(costs, floor, own_processes(), ", without processes of their own")


def compare(costs, floor, left_out, words):
    """The thirteen beside the six, but for the checks that are left out."""
    means = []
    for name, modules in (("the six", SIX), ("the thirteen", THIRTEEN)):
        group = [cost for module in modules for cost in costs.get(module, []) if cost[2] not in left_out]
        means += [row(name, group, floor)] if group else []
    if len(means) == 2:
        print(f"the thirteen take {means[1] / means[0]:.2f} times the processor of the six, for each check{words}")


def print_long(costs):
    apart = own_processes()
    every = sorted((cost for group in costs.values() for cost in group if cost[0] > LONG_MS), reverse=True)
    print(f"{len(every)} checks above {LONG_MS} ms of the processor, {sum(cost[2] not in apart for cost in every)} "
          "of them without processes of their own")
    for processor, clock, check in every:
        print(f"{'+' if check in apart else ' '} {processor:8.0f} {clock:8.0f}  {check}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", default="fakedev")
    parser.add_argument("--select", default=",".join(SIX + THIRTEEN))
    parser.add_argument("--run")
    arguments = parser.parse_args()
    floors = [import_torch()]
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as room:
        run = arguments.run or f"{room}/run"
        if not arguments.run:
            subprocess.run([BUILD / "bin" / "assay", "run", "--target", arguments.target, "--select", arguments.select,
                            "--jobs", "1", "--quiet", "--out", run], check=False)
        costs = costs_of(run)
    floors.append(import_torch())
    print_table(costs, floors)
    print_long(costs)


if __name__ == "__main__":
    main()
