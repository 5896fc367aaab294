# SPDX-License-Identifier: BSD-3-Clause
"""Runs one test in a child process and records its result, even if the test ends the process.

The child leads its own session. At the end it is killed with all processes that it started. Called by
assay/clients/plugin.py.
"""

import contextlib
import ctypes
import faulthandler
import json
import os
import random
import re
import select
import signal
import tempfile
import time

from _pytest.runner import runtestprotocol

MOST_TEXT = 2000
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)
GRACE = 5  # seconds between the child's own timeout message and the kill
FRAME = re.compile(r'  File "([^"]+)", line (\d+) in (\S+)')
OURS = ("/assay/clients/", "/_pytest/", "/pluggy/", "/unittest/")
RANKS = ("crash", "timeout", "failed", "error", "xpassed", "xfailed", "skipped", "passed")


class Calls:
    """Counts the operators that reached the device with PyTorch's own counter; 0 if there is no bridge for this
    torch."""

    def __init__(self):
        import torch  # noqa: F401: whose libraries the bridge needs

        try:
            self.bridge = ctypes.CDLL(os.environ["ASSAY_BRIDGE"], mode=ctypes.RTLD_GLOBAL)
            self.bridge.bridge_calls_seen.restype = ctypes.c_int64
            self.bridge.bridge_calls_count()
        except (KeyError, OSError, AttributeError):
            self.bridge = None

    def seen(self):
        return self.bridge.bridge_calls_seen() if self.bridge else 0


def seed():
    """Sets the seeds, so that tests that draw numbers on the host see the same ones on both sides."""
    import torch

    random.seed(0)
    torch.manual_seed(0)
    with contextlib.suppress(ImportError):
        import numpy

        numpy.random.seed(0)


def outcome_of(report):
    if hasattr(report, "wasxfail"):
        return "xpassed" if report.outcome == "passed" else "xfailed"
    if report.outcome == "failed" and report.when != "call":
        return "error"
    return report.outcome


def message_of(report):
    if report.outcome == "skipped" and isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash else report.longrepr or "")


def place_of(report):
    """The line in the test through which the exception came."""
    entries = getattr(getattr(report.longrepr, "reprtraceback", None), "reprentries", ())
    found = [entry.reprfileloc for entry in entries if getattr(entry, "reprfileloc", None)]
    return f"{found[0].path}:{found[0].lineno}" if found else ""


def run(item, calls):
    """Record of a test in this process: the worst result of its phases and subtests."""
    reports = []

    class Collected:
        @staticmethod
        def pytest_runtest_logreport(report):
            reports.append(report)

    seed()
    before, began = calls.seen(), time.monotonic()
    item.config.pluginmanager.register(collected := Collected())
    try:
        runtestprotocol(item, log=True, nextitem=None)
    finally:
        item.config.pluginmanager.unregister(collected)
    worst = min(reports, key=lambda report: RANKS.index(outcome_of(report)))
    return {"outcome": outcome_of(worst), "message": message_of(worst)[:MOST_TEXT], "where": place_of(worst),
            "calls": calls.seen() - before, "seconds": round(time.monotonic() - began, 3)}


def in_a_child(item, calls, seconds):
    with tempfile.TemporaryDirectory(prefix="assay-client-") as room:
        said, trace = os.path.join(room, "said"), os.path.join(room, "trace")
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            _be_the_child(item, calls, seconds, said, trace)
        status = _wait(child, seconds + GRACE)
        record = _read(said)
        if record is None:
            record = _died(status, seconds, trace) | {"calls": 0, "seconds": round(time.monotonic() - began, 3)}
    return record


def _be_the_child(item, calls, seconds, said, trace):
    status = 1
    try:
        os.setsid()
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        silence = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(silence, descriptor)
        last_words = open(trace, "w", encoding="utf-8")  # noqa: SIM115: it lives as long as the process
        faulthandler.enable(last_words, all_threads=False)
        faulthandler.dump_traceback_later(seconds, exit=True, file=last_words)
        record = run(item, calls)
        with open(said + ".part", "w", encoding="utf-8") as file:
            json.dump(record, file)
        os.rename(said + ".part", said)
        status = 0
    finally:
        os._exit(status)


def _wait(child, seconds):
    """Status as in waitpid(2), or None if this function killed the child."""
    handle = os.pidfd_open(child)
    try:
        in_time = select.select([handle], [], [], seconds)[0]
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)  # also kills the processes that the child left running
        status = os.waitpid(child, 0)[1]
        return status if in_time else None
    finally:
        os.close(handle)


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def _died(status, seconds, trace):
    try:
        with open(trace, encoding="utf-8", errors="replace") as file:
            words = file.read()
    except OSError:
        words = ""
    frames = [f"{path}:{line}" for path, line, _ in FRAME.findall(words) if not any(one in path for one in OURS)]
    where = frames[0] if frames else ""
    if status is None or words.startswith("Timeout"):
        return {"outcome": "timeout", "message": f"not done after {seconds} s", "where": where}
    if os.WIFSIGNALED(status):
        return {"outcome": "crash", "message": f"ended by {signal.Signals(os.WTERMSIG(status)).name}", "where": where}
    return {"outcome": "crash", "message": f"left by exit with status {os.WEXITSTATUS(status)}", "where": where}
