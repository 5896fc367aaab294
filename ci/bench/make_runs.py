#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the folders of runs of a large contract on many targets: 5,000 checks x 20 targets. The content is computed
from numbers, so each call makes the same folders. Used by report_bench and the test of the HTML report.

    make_runs.py FOLDER [CHECKS [TARGETS]]"""
import argparse
import collections
import json
from pathlib import Path

MODULES = 20
LEVELS = ["must", "must", "must", "should", "should", "may"]
WORDS = ("exchangeDevice makes the given device current and returns the one that was current before, "
         "also when another thread has switched meanwhile and the index was given as a bare number")


def spread(*numbers):
    """A pseudo-random number that depends only on the arguments."""
    value = 0x9E3779B97F4A7C15
    for number in numbers:
        value = ((value ^ number) * 0xBF58476D1CE4E5B9 + 0x94D049BB133111EB) % 2**64
        value ^= value >> 31
    return value


def jobs_of(count):
    for i in range(count):
        module = i * MODULES // count if i % 7 else i % MODULES
        name = f"module_{module}"
        demand = f"Check {i}: {WORDS}."
        yield {"id": f"{name}.check_{i:04d}", "module": name, "kind": "python" if i % 3 else "native",
               "level": LEVELS[i % len(LEVELS)], "subject": "core" if i % 97 == 0 else "backend",
               "file": f"suites/{name}/check_{i // 20}.c", "line": 10 + i % 300, "covers": [f"REQ-{i // 3:04d}"],
               "builds_on": [], "capabilities": [f"capability_{i % 40}"] if i % 2 else [], "support": False,
               "demand": demand, "hint": "The implementation probably reads the device after setting it.",
               "summary": demand}


def verdict_of(target, i):
    chance = spread(target, i) % 1000
    # A few checks fail, together with the checks that build on them. One target has more failures than the others.
    limit = 150 if target == 7 else 15
    if i % 250 == 3 and spread(target, i, 1) % 4 == 0:
        return "fail"
    if i % 250 in range(4, 30) and verdict_of(target, i - i % 250 + 3) == "fail":
        return "blocked"
    if chance < limit:
        return ["fail", "crash", "timeout", "broken", "flaky"][chance % 5]
    return "skip" if chance > 960 else "fallback" if chance > 945 else "pass"


def end_of(target, i, jobs):
    job, verdict = jobs[i], verdict_of(target, i)
    end = {"event": "end", "id": job["id"], "attempt": 1, "final": True, "verdict": verdict,
           "duration_ms": spread(i, target) % 400000 / 1000, "cpu_ms": 3.125, "rss_kib": 154616, "stage": "ended"}
    if verdict == "blocked":
        cause = jobs[i - i % 250 + 3]["id"]
        end.update(attempt=0, blocked_by=cause, reason=f"builds on {cause}, which has the verdict fail")
    elif verdict != "pass":
        end.update(reason=f"exchange returns what was current: previous is device {i % 2}, expected {1 - i % 2}",
                   demand="exchange returns what was current", seen=f"device {i % 2}, expected {1 - i % 2}",
                   location=f"{job['file']}:{job['line'] + 4}", findings=1, folder=f"jobs/{job['id']}")
    return end


def make_run(folder, target, jobs):
    folder.mkdir(parents=True)
    requirements = [{"id": f"REQ-{i:04d}", "module": jobs[i * 3]["module"], "level": jobs[i * 3]["level"],
                     "subject": "backend", "text": f"Requirement {i}: {WORDS}."} for i in range(len(jobs) // 3 + 1)
                    if i * 3 < len(jobs)]
    capabilities = [{"name": f"capability_{i}", "claim": ["unknown", "yes", "no"][(i + target) % 3],
                     "source": "profile", "probe": None, "refusal": None} for i in range(40)]
    plan = {"schema": "assay/plan/1", "contract": 1, "digest": "0123456789abcdef", "shard": 1, "shards": 1,
            "seed": 0, "jobs": jobs, "requirements": requirements, "capabilities": capabilities}
    (folder / "plan.json").write_text(json.dumps(plan, indent=1) + "\n")
    head = {"event": "run", "schema": "assay/journal/1", "date": "2026-11-21T17:05:04Z", "seed": "1",
            "checks": [{"id": job["id"], "level": job["level"]} for job in jobs],
            "target": {"name": f"backend_{target:02d}"}, "torch": {"version": f"2.{13 + target % 2}.0", "git": "cf30153c"},
            "contract": {"version": 1, "digest": "0123456789abcdef"}, "shard": {"index": 1, "of": 1}, "select": "all",
            "host": {"name": "builder", "system": "Linux", "release": "6.1", "machine": "x86_64", "cpus": 2},
            "command": f"assay run --target backend_{target:02d}.yaml", "arguments": ["run"]}
    with open(folder / "journal.jsonl", "w", encoding="utf-8") as journal:
        for record in [head, {"event": "isolation", "mode": "fork-loaded", "why": "measured"}]:
            journal.write(json.dumps(record, separators=(",", ":")) + "\n")
        for i, job in enumerate(jobs):
            end = end_of(target, i, jobs)
            if end["attempt"]:
                journal.write(f'{{"event":"start","id":"{job["id"]}","attempt":1}}\n')
            journal.write(json.dumps(end, separators=(",", ":")) + "\n")
        totals = collections.Counter(end_of(target, i, jobs)["verdict"] for i in range(len(jobs)))
        journal.write(json.dumps({"event": "finish", "complete": True, "totals": totals}) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("checks", type=int, nargs="?", default=5000)
    parser.add_argument("targets", type=int, nargs="?", default=20)
    wanted = parser.parse_args()
    jobs = list(jobs_of(wanted.checks))
    for target in range(wanted.targets):
        make_run(wanted.folder / f"run-{target:02d}", target, jobs)


if __name__ == "__main__":
    main()
