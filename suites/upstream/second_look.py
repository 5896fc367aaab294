# SPDX-License-Identifier: BSD-3-Clause
"""Runs a test that did not pass a second time, in a new job: first on the CPU, then on the device under the watcher.

A test that also fails on the CPU is `skew`: the test files do not match this PyTorch, and the failure says nothing
about the backend. Otherwise the job leaves culprit.json, which names the operator that failed, and culprit.py, a
program that shows the failure (assay/watcher/plain_program.py). The job may crash as the test did, which changes no
verdict.
"""

import json
import os
from pathlib import Path

import torch
from assay.host import report
from assay.watcher import install, mode, plain_program, raised
from assay.watcher.comparison import SHARING, STRIDES, flat
from assay.watcher.copies import Storages
from assay.watcher.kinds import is_odd
from suites.upstream import device_tests, unittest_outcome

SKEW = "skew"
ASKS_THE_CPU = "asks the CPU"  # if the job ends between this note and the next one, it ended on the CPU
# Kinds of differences, the most likely cause of the failure first.
KINDS = ["raised", "returned", "value", "alias", "gradient", "other error", "words", "rounding", "strides"]
KIND_OF = {SHARING: "alias", STRIDES: "strides"}
MOST_BYTES = 64 << 20  # limit of the bytes of a call's inputs


def take(family, identity, look):
    test = family.test(identity)
    if _is_skew(family, identity, test):
        return
    if test is not None:
        _find_culprit(test, look == "died")


def _is_skew(family, identity, test):
    """Returns whether the test also fails on the CPU, and reports such a failure."""
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
    """Returns why the file cannot be imported for the CPU, or None if it can."""
    os.environ[device_tests.ONLY_FOR] = "cpu"
    try:
        device_tests.import_file(path)
    except device_tests.Refused as refusal:
        return str(refusal)
    return None


# ---- the call that went wrong ------------------------------------------------------------------------


class TestWatch(mode.Watch):
    """Compares every call, including the exceptions of calls that raise on both devices, because a test may depend on
    the type and text of an exception. The findings stay in the process, so this watch writes no folder. `began`, if
    given, runs before each compared call."""

    def __init__(self, began=None):
        super().__init__(os.devnull, True, MOST_BYTES, 0)
        self.mirror, self.by_storage, self.began, self.found = None, True, began, []

    def is_thorough(self, kind):
        return True

    def why_not(self, call, leaves):
        """Random and uninitialized results are not judged, but the exceptions of such calls are."""
        if call.kind.reason and not any(map(is_odd, leaves)):
            return None
        return super().why_not(call, leaves)

    def take(self, call, function, arguments, named):
        super().take(call, function, arguments, named)
        if self.began:
            self.began(call.kind.op, call.one)

    def look(self, call, function, arguments, named, result):
        before = len(self.found)
        late = super().look(call, function, arguments, named, result)
        if late is None and call.one is not None and len(self.found) == before:
            self.compare_closely(call, result)
        return late

    def compare(self, call):
        if not call.kind.reason:
            super().compare(call)

    def compare_closely(self, call, result):
        """Compares a call a second time if the judge finds it right or cannot judge it."""
        if error := raised.cpu_error(call.one):
            self.add("returned", call.kind.op, call.one, "no exception", words_of(error))
        elif not call.kind.reason and not call.kind.gives_views:
            kind = closer_difference(call.one, flat(result), flat(call.one.called_on_cpu()))
            if kind:
                self.add(kind, call.kind.op, call.one, "right within the tolerance of the judge")

    def tell(self, where, kind, one, words, how="wrong"):
        is_lost = words.startswith("a gradient is lost")
        self.add("gradient" if is_lost else "raised" if how == "raised" else KIND_OF.get(one and one.differs, "value"), kind.op, one, words)

    def judge_raised(self, call, function, arguments, named, error, late):
        if call.one is None:
            self.take(call, function, arguments, named)
        other = raised.cpu_error(call.one)
        if other is None:
            kind = "raised"
        elif type(other) is not type(error):
            kind = "other error"
        else:
            kind = "words" if plain_words(words_of(error), self.device) != plain_words(words_of(other), self.device) else None
        if kind:
            self.add(kind, call.kind.op, call.one, words_of(error), words_of(other) if other else "no exception", error)

    def add(self, kind, op, one, on_device, on_cpu="", error=None):
        # For a call that gives views, reading `before` copies the inputs. It is read here, before the inputs change.
        kept = one and {"arguments": one.before, "host": plain_program.on_host(one.live), "differs": one.differs if kind != "strides" else STRIDES,
                        "limits": limits_of(kind, one)}
        self.found.append({"name": op, "kind": kind, "on_device": on_device[:400], "on_cpu": on_cpu[:400], "error": error, "kept": kept})

    def culprit(self, error=None):
        """Returns the call whose exception ended the test, or else the first difference of the most reliable kind."""
        own = [one for one in self.found if error is not None and one["error"] is error]
        return own[0] if own else min(self.found, key=lambda one: KINDS.index(one["kind"]), default=None)


def limits_of(kind, one):
    """The tolerances of the program. For a rounding, the tolerances of PyTorch's tests apply."""
    if kind == "rounding":
        return torch.testing._comparison.default_tolerances(*(leaf for leaf in flat(one.results_seen()) if isinstance(leaf, torch.Tensor)))
    return plain_program.limits_of(one.before, one.results_seen(), one.cpu_worst)


def closer_difference(one, results, on_cpu):
    """Returns a difference that the judge allows but a test may not: a rounding beyond PyTorch's test tolerances, or
    other strides."""
    kinds = set()
    for number, (mine, other) in enumerate(zip(results, on_cpu, strict=False)):
        if isinstance(mine, torch.Tensor) and isinstance(other, torch.Tensor) and not is_odd(mine) and one.is_asked(number):
            try:
                torch.testing.assert_close(Storages().copy(mine), other, equal_nan=True)
            except AssertionError:
                kinds.add("rounding")
            if mine.stride() != other.stride() and mine.numel() > 1:
                kinds.add("strides")
    return min(kinds, key=KINDS.index, default=None)


def words_of(error):
    return f"{type(error).__name__}: {error}"


def plain_words(text, device_type):
    """The text without parts that rightly differ between devices."""
    text = text.split("\n")[0].replace(device_type, "cpu").replace("PrivateUse1", "CPU")
    return text.replace("privateuseone", "cpu").replace("cpu:0", "cpu").replace("cpu:1", "cpu")


def _find_culprit(test, died):
    """Finds the failing call. If the test died, each call is written to a file before it runs; the last call in the
    file killed the process."""
    watch = TestWatch((lambda op, one: _write_last_call(op, one, test.id)) if died else None)
    end = install.undone_later(watch)
    try:
        outcome = unittest_outcome.run(test.case, test.method)
    finally:
        end()
    found = watch.culprit(outcome.errors_seen[0] if outcome.errors_seen else None)
    if found:
        _write(found, test.id)
        report.note("culprit", f"{found['name']}: {found['kind']}")
        return
    if outcome.is_good():
        report.note("second look", "passed this time")
    if died:
        for name in ("culprit.json", "culprit.py"):
            (_folder() / name).unlink(missing_ok=True)


def _write_last_call(op, one, title):
    kept = {"arguments": one.before, "host": plain_program.on_host(one.live), "differs": "", "limits": (0.0, 0.0)}
    _write({"name": op, "kind": "died", "on_device": "", "on_cpu": "", "kept": kept}, title)


def _folder():
    return Path(report.check().scratch)


def _write(found, title):
    from assay.host import target

    script, kept = _folder() / "culprit.py", found["kept"]
    told = {key: found[key] for key in ("name", "kind", "on_device", "on_cpu")}
    (_folder() / "culprit.json").write_text(json.dumps(told) + "\n")
    script.unlink(missing_ok=True)
    if kept is None:
        return
    try:
        script.write_text(plain_program.write(found["name"], kept["arguments"], target.steps(), title, kept["differs"], kept["host"],
                                              kept["limits"]))
    except plain_program.NotWritten as reason:
        report.note("no script", str(reason))
