# SPDX-License-Identifier: BSD-3-Clause
"""Pairs the result of a test on the CPU with its result on the target, and classifies each pair.

The CPU is the reference: if a test does not pass on the CPU, the pair decides nothing. Called by __main__.py.
"""

import collections
import fnmatch
import hashlib
import re
from dataclasses import dataclass, field

PASSED = {"passed", "xpassed"}
WRONG = {"failed", "error", "crash", "timeout"}
# PyTorch's messages for an operator that a backend lacks, and the messages that a backend itself should use.
OPERATOR = re.compile(r"Could not run '([a-z_]+::[\w.]+)'")
REFUSED = re.compile(r"Could not run '[a-z_]+::[\w.]+' with arguments from the '\w*(?:PrivateUse1|{device})'|"
                     r"not (?:implemented|supported) (?:for|on|by) '?(?:PrivateUse1|{device})|"
                     r"(?:NotImplementedError: .*(?:PrivateUse1|{device}))")
# Dispatch keys that PyTorch writes in front of the device's name.
KEYS = "Sparse|SparseCsr|Quantized|NestedTensor|Autograd|Autocast"
NAMES = re.compile(r"0x[0-9a-f]+|(?<![A-Za-z_])\d+(?:\.\d+)?(?:e[+-]?\d+)?")
MOST_KEY = 160
LONGEST_ID = 150
NO_TEST = "clients.no_test"  # the check of a run without tests

AGREES, DIFFERS, REFUSES, KNOWN, SKIPPED, ALONE, NO_REFERENCE, UNSTEADY, UNHELD = (
    "agrees", "differs", "refuses", "known", "skipped there", "on one side only", "no reference", "unsteady",
    "fails there, skipped on the CPU")
# Class of a failure on the target, by the result on the CPU. A test that only accelerators run has no reference, so it
# is listed but not counted.
HELD = {"passed": DIFFERS, "xpassed": DIFFERS, "skipped": UNHELD}


@dataclass
class Pair:
    name: str  # name of the test on the target, or on the CPU if the target does not have the test
    id: str  # id of the check
    cpu: dict | None
    there: dict | None
    says: str = AGREES
    row: dict | None = None  # the matching row of `known` or `heal`
    behind: str = ""  # message of the second run, in which a plugin removed the known cause; "" if there was no second run
    message: str = ""

    @property
    def calls(self):
        return (self.there or {}).get("calls", 0)


def common(name, device):
    """Name of a test with the device replaced: [fakedev:0] becomes [cpu], TestAddPRIVATEUSE1 becomes TestAddCPU."""
    name = re.sub(rf"(?<![A-Za-z])(?:cpu|{re.escape(device)})(?::?\d+)?(?![A-Za-z])", "DEVICE", name)
    return re.sub(r"(?:CPU|PRIVATEUSE1)(?=::)", "DEVICE", name)


def named(names, client, device):
    """{id of a check: test}. If tests differ only in the device, takes the test that names the target most often."""
    chosen = {}
    for name in names:
        key = common(name, device)
        if key not in chosen or name.count(device) > chosen[key].count(device):
            chosen[key] = name
    ids = {key: re.sub(r"[^a-z0-9.]+", "_", f"clients.{client}.{key.replace('.py', '').replace('::', '.')}".lower()) for key in chosen}
    many = collections.Counter(ids.values())
    for key, plain in ids.items():
        if len(plain) > LONGEST_ID or many[plain] > 1:
            ids[key] = plain[:LONGEST_ID] + "_" + hashlib.sha256(key.encode()).hexdigest()[:10]
    return {ids[key]: name for key, name in chosen.items()}


def paired(cpu, there):
    """Pairs of the records of both sides, which are given by id."""
    return [Pair((there.get(one) or cpu[one])["test"], one, cpu.get(one), there.get(one)) for one in {**cpu, **there}]


def judge(pair, client, device):
    """Sets the class of the pair."""
    cpu, there = pair.cpu, pair.there
    pair.message = message_of(there or {}, device)
    pair.says = difference(pair)
    pair.row = known_row(client.known, pair) if pair.says else None
    if pair.row:
        pair.says = KNOWN
    if pair.says:
        return
    if cpu["outcome"] not in PASSED:
        pair.says = NO_REFERENCE
    elif there["outcome"] not in PASSED:
        pair.says = SKIPPED
    elif "first" in there:
        pair.says, pair.there = UNSTEADY, {**there["first"], "calls": there["calls"]}
        pair.message = message_of(pair.there, device)
    else:
        pair.says = AGREES


def difference(pair):
    """Describes how the sides differ, for known differences too. Returns "" if the sides do not differ, or if no
    reference shows that the test should pass."""
    if not pair.cpu or not pair.there:
        pair.message = f"the test exists only on the {'CPU' if pair.cpu else 'target'}"
        return ALONE
    cpu, there = pair.cpu["outcome"], pair.there["outcome"]
    if there in WRONG and cpu in HELD:
        return REFUSES if REFUSED.search(pair.message) else HELD[cpu]
    return DIFFERS if (cpu, there) == ("xpassed", "xfailed") else ""


def message_of(record, device):
    return re.sub(rf"(?<![A-Za-z])({KEYS}|){re.escape(device)}(?::\d+)?(?![A-Za-z])", r"\1{device}", record.get("message", ""))


def refused_operator(message):
    found = OPERATOR.search(message) if REFUSED.search(message) else None
    return found.group(1) if found else ""


def known_row(rows, pair):
    for row in rows:
        if fnmatch.fnmatch(pair.name, row.get("test", "*")) and re.search(row.get("message", ""), pair.message):
            return row
    return None


def key_of(message):
    """A key for the cause of a message: messages that differ only in numbers and addresses usually have the same cause.
    For a refusal, only the line with the refusal is used."""
    lines = [line.strip() for line in message.splitlines() if line.strip()] or ["no message"]
    return NAMES.sub("#", next(filter(REFUSED.search, lines), lines[0]))[:MOST_KEY]


@dataclass
class Group:
    key: str
    says: str
    pairs: list = field(default_factory=list)


def groups_of(pairs):
    """Groups of pairs by class and message, the largest first."""
    found = {}
    for pair in pairs:
        if pair.says in (AGREES, NO_REFERENCE):
            continue
        key = pair.row["why"] if pair.row else key_of(pair.message)
        found.setdefault((pair.says, key), Group(key, pair.says)).pairs.append(pair)
    return sorted(found.values(), key=lambda group: (-len(group.pairs), group.key))
