# SPDX-License-Identifier: BSD-3-Clause
"""Groups the failed tests of PyTorch by cause. Each cluster has its size, its smallest example, a program that shows
the failure alone, and the clause that it touches.

    causes.py RUN [BESIDE]     writes RUN/causes.json and RUN/causes/*.py, prints the clusters

BESIDE is a run of the conformance suites. If its checks of a clause pass, and a cluster touches that clause, both
are shown. For each cluster the output names the entries of a vendor's exclusion lists (vendor_lists.py) that cover
it, and the entries whose tests now pass. This program reads only runs; it loads neither torch nor the target.
"""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

from assay import contract, files
from assay.command import Refused, serve

BAD = ("fail", "crash", "timeout", "broken", "blocked")
OTHER_DEVICE = re.compile(r"\bcuda\b|\bCUDA\b|\bxla\b|\bmps\b|\bxpu\b")

# Each cause has a name, and a default clause that is used if no clause is about the subject of the failure.
NO_KERNEL = ("operator without kernel", "OPI-009")
NO_DTYPE = ("dtype refused", "OPI-010")
ABSENT = ("capability absent", None)
DIED = ("the process dies or hangs in", None)
NOT_FIT = ("upstream test not suitable for PrivateUse1", None)
NO_MEMORY = ("more memory than the device has", None)
UNEXPLAINED = ("no single call differs", "UPS-001")
BY_KIND = {
    "raised": ("raises where the CPU does not", "OPI-009"),
    "returned": ("does not raise where the CPU does", "OPI-014"),
    "value": ("wrong value", "OPI-009"),
    "alias": ("result shares memory differently from the CPU", "OPI-016"),
    "other error": ("raises a different type of error", "OPI-014"),
    "words": ("gives a different error message", "OPI-014"),
    "gradient": ("loses a gradient", "UPS-001"),
    "rounding": ("rounds otherwise", "OPI-009"),
    "strides": ("other strides than on the CPU", "OPI-009"),
}


# kinds of differences in exceptions, whose text describes the cause
RAISING = ("raised", "returned", "other error", "words")


# ---- reading a run -----------------------------------------------------------------------------------


def last_words(run):
    """Maps each id to the record with its verdict."""
    ends = {}
    with open(run / "journal.jsonl", encoding="utf-8", errors="replace") as journal:
        for line in journal:
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict) and row.get("event") == "end" and row.get("final"):
                ends[row["id"]] = row
    return ends


def target_of(run):
    """The name of the backend in the run's report."""
    with open(run / "journal.jsonl", encoding="utf-8", errors="replace") as journal:
        try:
            return json.loads(next(journal))["target"]["name"]
        except (KeyError, StopIteration, TypeError, ValueError):
            raise Refused(f"{run / 'journal.jsonl'}:1: the line does not name the target of the run") from None


def culprit_of(run, record):
    """Returns the result of the second look and its script, or (None, None) if there was no second look."""
    armed = f"@{record['switch']}" if record.get("switch") else ""
    for folder in sorted((run / "jobs").glob(record["id"] + armed + ".[0-9]*"), reverse=True):
        told, script = folder / "culprit.json", folder / "culprit.py"
        if told.exists():
            return json.loads(told.read_text()), script if script.exists() else None
    return None, None


# ---- causes ------------------------------------------------------------------------------------------


def subject_of(culprit):
    """The operator without its overload, such as aten::add."""
    return "::".join(culprit["name"].split(".")[:2])


def plain(text):
    """Returns the first line without numbers and addresses, so that the same cause has the same text."""
    return re.sub(r"-?\b\d[\d.]*\b|0x[0-9a-f]+", "#", text.split("\n")[0])[:160]


def _refusal(record):
    """The cause of a blocked test: the means that the backend clearly refuses."""
    words, subject = record.get("seen") or record["reason"], record.get("subject") or ""
    dtype = re.search(r'"(\w+)" not implemented for \'(\w+)\'', words)
    if dtype:
        return NO_DTYPE, f"{dtype[1]} for {dtype[2]}", ""
    if "::" in subject:
        return NO_KERNEL, subject, ""
    return ABSENT, subject, ""


def _place_of_death(record, culprit):
    """Returns the last call that was started, or else the line of the test or the innermost known frame."""
    if culprit:
        return culprit["name"]
    frames = record.get("frames") or record.get("location") or "no known location"
    line = re.search(r"\w+ \(test_\w+\.py:\d+\)", frames)
    return line[0] if line else frames.split(" < ")[0]


def cause_of(record, culprit):
    """Returns ((cause, its default clause), subject, text)."""
    words = record.get("seen") or record.get("reason", "")
    if record["verdict"] == "blocked":
        return _refusal(record)
    if record["verdict"] != "fail":
        return DIED, _place_of_death(record, culprit), record.get("signal") or record["verdict"]
    if "OutOfMemoryError" in words or "out of memory" in words:
        return NO_MEMORY, "", ""
    if OTHER_DEVICE.search(words.split("\n")[0]):
        return NOT_FIT, plain(words), ""
    if culprit is None:
        return UNEXPLAINED, record.get("location") or "?", plain(words)
    kind = culprit["kind"]
    shown = {"raised": "on_device", "words": "on_device", "other error": "on_device", "returned": "on_cpu"}
    return BY_KIND[kind], subject_of(culprit), plain(culprit[shown[kind]]) if kind in shown else ""


# ---- the program of a failure, alone -----------------------------------------------------------------


SECONDS = 300  # seconds; importing torch takes a minute on a busy machine
LONGEST = 20  # lines


def why_not_shown(script, culprit, environment=None):
    """Runs the program in a new process. Returns "" if the program shows the same kind of difference with the same
    exception types, or else the reason."""
    lines = len(script.read_text().splitlines()) if script.exists() else 0
    if not 0 < lines <= LONGEST:
        return f"{lines} lines" if lines else "no program"
    died = culprit["kind"] == "died"
    try:
        run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, errors="replace", timeout=SECONDS,
                             env=environment)
    except subprocess.TimeoutExpired:
        return "" if died else "the program does not end"
    if died:
        return "" if run.returncode < 0 or "on the CPU" not in run.stdout else "the process does not die"
    device, cpu = (_error(_after(run.stdout, f"on the {where}:")) for where in ("device", "CPU"))
    seen, wanted = (_error(culprit[key]) if culprit["kind"] in RAISING else None for key in ("on_device", "on_cpu"))
    if culprit["kind"] == "returned":  # reading the result may raise, but with another exception type
        seen = device if device != wanted else None
    is_same = run.returncode == 1 and "on the device" in run.stdout and (device, cpu) == (seen, wanted)
    return "" if is_same else f"the program exits with {run.returncode} and shows {device or 'values'} on the device, {cpu or 'values'} on the CPU"


def _after(text, label):
    found = re.search(rf"^{label} *(.*)", text, re.MULTILINE)
    return found[1] if found else ""


def _error(words):
    """Returns the type of an exception in a text, or None if the text names none."""
    found = re.match(r"(\w*(?:Error|Exception|Warning|Interrupt|Iteration)\w*):", words)
    return found[1] if found else None


def clauses_about(data=None):
    """Maps each means to the first clause that is about it, in the order of the modules' names."""
    about = {}
    for clause in sorted(contract.clauses(data), key=lambda one: one["module"]):
        for name in clause["about"]:
            about.setdefault(name.partition(".")[0], clause["id"])
            about.setdefault(name, clause["id"])
    return about


class Cluster:
    def __init__(self, cause, subject, words):
        self.cause, self.usual_clause = cause
        self.subject, self.words = subject, words
        self.tests, self.scripts = [], []
        self.verdicts = Counter()

    def add(self, record, script):
        self.tests.append(record["id"])
        self.verdicts[record["verdict"]] += 1
        if script:
            self.scripts.append((len(script.read_text()), record["id"], script))

    def example(self):
        """The test with the shortest script, and that script."""
        if self.scripts:
            return min(self.scripts)[1:]
        return min(self.tests, key=len), None


def find(run, ends):
    """The clusters, largest first; the number of tests that are skew; and the number of expected failures."""
    clusters, noted = {}, Counter()
    for identity, record in ends.items():
        if not identity.startswith("upstream."):
            continue
        if record["verdict"] == "noted":
            noted[record.get("subject", "")] += 1
        if record["verdict"] not in BAD:
            continue
        culprit, script = culprit_of(run, record)
        key = cause_of(record, culprit)
        clusters.setdefault(key, Cluster(*key)).add(record, script)
    return sorted(clusters.values(), key=lambda one: (-len(one.tests), one.subject)), noted


# ---- tests that a vendor excludes ------------------------------------------------------------------------


def left_out(run):
    """The entries of a vendor's lists that match a test of this run."""
    told = run / "upstream_files.json"
    return json.loads(told.read_text()).get("left_out", []) if told.exists() else []


def no_longer(entries, ends):
    """A sentence for each entry whose tests all ran and passed."""
    sentences = []
    for entry in entries:
        verdicts = [ends[one]["verdict"] for one in entry["tests"] if one in ends]
        if verdicts and all(verdict == "pass" for verdict in verdicts):
            count = f"its {len(verdicts)} tests pass" if len(verdicts) > 1 else "its test passes"
            sentences.append(f"{entry['form']}: {entry['words']}: {count}")
    return sentences


# ---- comparison with a conformance run -------------------------------------------------------------------


def says_of(end, clause):
    """Returns the clause's own verdict if the check reports it, or else the verdict of the check."""
    own = {one["id"]: one["verdict"] for one in end.get("clauses", ())}
    return own.get(clause, end.get("verdict"))


def kept_clauses(run):
    """Maps each clause whose checks all passed in a conformance run to these checks."""
    plan = json.loads((run / "plan.json").read_text())
    ends, checks = last_words(run), defaultdict(list)
    for check in plan["jobs"]:
        for clause in check.get("covers", ()):
            checks[clause].append(check["id"])
    return {
        clause: ids
        for clause, ids in checks.items()
        if all(says_of(ends.get(one, {}), clause) == "pass" for one in ids)
    }


def row_of(number, cluster, run, about, kept, listed):
    clause = about.get(cluster.subject or None) or cluster.usual_clause or ""
    test, script = cluster.example()
    row = {
        "cause": cluster.cause,
        "subject": cluster.subject,
        "words": cluster.words,
        "tests": sorted(cluster.tests),
        "verdicts": dict(cluster.verdicts),
        "example": test,
        "clause": clause,
        "script": "",
        "shown": False,
        "kept_by": kept.get(clause, []),
        "left_out": sum(one in listed for one in cluster.tests),
    }
    if script:
        place = run / "causes" / f"{number:03}.py"
        shutil.copy(script, place)
        culprit = json.loads(script.with_suffix(".json").read_text())
        row["script"] = f"causes/{place.name}"
        row["shown"] = not why_not_shown(place, culprit)
        if culprit["kind"] == "died" and not row["shown"]:
            place.unlink()  # the process died after the call, not in it
            row["script"] = ""
    return row


def write(run, beside):
    ends = last_words(run)
    clusters, noted = find(run, ends)
    entries = left_out(run)
    listed = {one for entry in entries for one in entry["tests"]}
    shutil.rmtree(run / "causes", ignore_errors=True)
    (run / "causes").mkdir()
    about = clauses_about()
    kept = kept_clauses(beside) if beside else {}
    rows = [row_of(n, cluster, run, about, kept, listed) for n, cluster in enumerate(clusters, 1)]
    result = {
        "schema": "assay/causes/1",
        "target": target_of(run),
        "clusters": rows,
        "skew": noted["skew"],
        "expected": noted["expected failure"],
        "classes": sorted({one.rpartition(".")[0] for one in ends if one.startswith("upstream.")}),
        "no_longer": no_longer(entries, ends),
    }
    files.write_inside(run / "causes.json", json.dumps(result, indent=1) + "\n")
    return result


def say(result):
    total = sum(len(row["tests"]) for row in result["clusters"])
    print(f"{total} tests did not pass, from {len(result['clusters'])} causes; {result['skew']} more tests are skew")
    for row in result["clusters"]:
        words = f" ({row['words']})" if row["words"] else ""
        print(f"{len(row['tests']):5}  {row['cause']}: {row['subject']}{words}")
        program = row["script"] + ("" if row["shown"] else " does not show it") if row["script"] else "no program"
        print(f"       {row['example']}; {row['clause'] or 'no clause'}; {program}")
        if row["left_out"]:
            print(f"       {row['left_out']} of them are left out by a list of the vendor")
        if row["kept_by"]:
            says = "says" if len(row["kept_by"]) == 1 else "say"
            print(f"       contradicts {', '.join(row['kept_by'])}, which {says} that the clause is kept")
    for sentence in result["no_longer"]:
        print(f"no longer so: {sentence}")


def main(words):
    run = Path(words[0])
    beside = Path(words[1]) if len(words) > 1 else None
    for one in (run, beside or run):
        if not (one / "journal.jsonl").exists():
            raise Refused(f"{one} is not a run: there is no journal.jsonl")
    say(write(run, beside))


if __name__ == "__main__":
    serve(main, list)
