# SPDX-License-Identifier: BSD-3-Clause
"""A test that did not pass is looked at once more, in a job of its own: first it runs on the CPU, then on
the device again, watched call by call.

A test that fails on the CPU as well is `skew`: the files and this PyTorch do not belong together, which says
nothing of the backend. Else the look leaves culprit.json and, where the call can be written down,
culprit.py in its folder. Its own end changes no verdict: it may well crash as the test did.
"""

import json
import os
from pathlib import Path

import torch
from assay.host import report
from suites.upstream import call_script, call_watch, device_tests, unittest_outcome

SKEW = "skew"
ASKS_THE_CPU = "asks the CPU"  # a look that ends between this note and the next one ended on the CPU


def take(family, identity, look):
    test = family.test(identity)
    if _is_skew(family, identity, test):
        return
    if test is not None:
        _find_culprit(test, look == "died")


def _is_skew(family, identity, test):
    """Tells, when it is."""
    outcome = _on_cpu(family, identity, test)
    if outcome is None:
        report.note("on the CPU", "there is no such test")
        return False
    if outcome.is_good():
        report.note("on the CPU", "passes")
        return False
    kind, what, seen, subject, place, text = outcome.findings()[0]
    what = "the test passes on the CPU, so that it says something about the backend"
    report.finding(report.NOTED, what, seen, SKEW, *place)
    return True


def _on_cpu(family, identity, test):
    report.note(ASKS_THE_CPU, "now")
    if test is not None:
        return unittest_outcome.run(*test.cpu) if test.cpu else None
    why = _why_not_imported_for_cpu(family.wanted()[family.file_of(identity)])
    return unittest_outcome.failed(why) if why else unittest_outcome.passed()


def _why_not_imported_for_cpu(path):
    """A file that did not import: does it when nobody asks for the device?"""
    os.environ[device_tests.ONLY_FOR] = "cpu"
    try:
        device_tests.import_file(path)
    except device_tests.Refused as refusal:
        return str(refusal)
    return None


# ---- the call that went wrong ------------------------------------------------------------------------


class _LastCall:
    """Writes each call down before it runs: the last one is what the process died of."""

    def __init__(self, test, device):
        self.test, self.device = test, device

    def __call__(self, function, copies):
        name = call_watch.name_of(function)
        _write({"name": name, "kind": "died", "on_device": "", "on_cpu": "", "operators": []})
        _write_script(name, copies, self.device, self.test.id, {})


def _find_culprit(test, died):
    device_type = torch._C._get_privateuse1_backend_name()
    device = f"{device_type}:{report.check().devices[0]}"
    began = _LastCall(test, device) if died else None
    for watch in (call_watch.Watch, call_watch.OperatorWatch):
        finder = call_watch.Finder(device_type, began)
        with watch(finder):
            outcome = unittest_outcome.run(test.case, test.method)
        error = outcome.errors_seen[0] if outcome.errors_seen else None
        call = finder.culprit(error)
        if call is not None:
            _tell(call, test, device)
            return
    if outcome.is_good():
        report.note("second look", "passed this time")
    if died:
        _forget()


def _tell(call, test, device):
    kind = call_watch.KINDS[call.kind]
    told = {
        "name": call.name,
        "kind": kind,
        "on_device": call.on_device[:400],
        "on_cpu": call.on_cpu[:400],
        "operators": [str(one) for one in call.operators[-8:]],
    }
    _write(told)
    wanted = {
        "shared": call.kind == call_watch.ALIAS,
        "strides": call.kind == call_watch.STRIDES,
        "value": call.kind == call_watch.VALUE,
    }
    _write_script(call.name, call.copies, device, test.id, wanted)
    report.note("culprit", f"{call.name}: {kind}")


def _folder():
    return Path(report.check().scratch)


def _write(told):
    (_folder() / "culprit.json").write_text(json.dumps(told) + "\n")


def _write_script(name, copies, device, title, wanted):
    from assay.host import target

    script = _folder() / "culprit.py"
    script.unlink(missing_ok=True)
    try:
        text = call_script.write(name, copies, target.steps(), device, title, **wanted)
    except call_script.NotWritten as reason:
        report.note("no script", str(reason))
        return
    script.write_text(text)


def _forget():
    for name in ("culprit.json", "culprit.py"):
        (_folder() / name).unlink(missing_ok=True)
