# SPDX-License-Identifier: BSD-3-Clause
"""Shows each fault of the fake device the way a user would meet it, without the suites.

A demonstration is a function in a demo_<area>.py: a few lines of ordinary PyTorch (or driver) code
that end in an assertion. On the clean device it passes. With its fault on it must misbehave in the
way it declares. Run one:   python demonstrate.py guard.exchange_returns_new
Run all:                    python demonstrate.py

Each runs in a child forked from a process that has imported torch (and what it imports late) and nothing else: without its fault
on the clean device, with it on torch_fakedev_faulty.
"""

import dataclasses
import importlib
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("ASSAY_BUILD", HERE.parents[1] / "build"))

# The ways in which a user sees that the fault is on.
WRONG = "wrong"  # an assertion of the demonstration fails: wrong value, wrong place, wrong order
ERROR = "error"  # another exception where none belongs
CRASH = "crash"  # a signal ends the process
HANG = "hang"  # nothing happens any more
FINE = "fine"  # what every demonstration must be on the clean device

DEADLINE_SECONDS = 120
HANG_SECONDS = 5
ASSERTION_STATUS, EXCEPTION_STATUS = 10, 11


@dataclasses.dataclass
class Demonstration:
    fault: str
    function: object
    shows: str
    environment: dict
    since: tuple = ()


demonstrations = {}


def demonstrates(fault, shows=WRONG, since=(), **environment):
    """Decorator: the function shows `fault`, if of what only newer releases of torch have, `since` (2, 14); other
    keyword arguments are environment variables."""

    def register(function):
        assert fault not in demonstrations, f"{fault} is demonstrated twice"
        demonstrations[fault] = Demonstration(fault, function, shows, environment, since)
        return function

    return register


def load_all():
    # Run as a program this file is __main__; the demo files must find this same module.
    sys.modules.setdefault("demonstrate", sys.modules[__name__])
    sys.path.insert(0, str(HERE))
    for path in sorted(HERE.glob("demo_*.py")):
        importlib.import_module(path.stem)
    return demonstrations


def known_faults():
    """Names of the driver's own table. Asked in another process: this one must stay unloaded."""
    out = subprocess.run([BUILD / "bin" / "fakedev", "faults"], check=True, capture_output=True, text=True)
    return [line.split("\t")[0] for line in out.stdout.splitlines()]


def run_in_child(demonstration, fault_on, log):
    """Body of the forked child; never returns."""
    status = EXCEPTION_STATUS
    try:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(HANG_SECONDS if fault_on and demonstration.shows == HANG else DEADLINE_SECONDS)
        os.environ.update(demonstration.environment)
        os.environ["FAKEDEV_FAULT"] = demonstration.fault if fault_on else ""
        # The device as it is sold, and the one with faults; the clean run shows the first.
        importlib.import_module("torch_fakedev_faulty" if fault_on else "torch_fakedev")

        demonstration.function()
        status = 0
    except AssertionError:
        traceback.print_exc()
        status = ASSERTION_STATUS
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def outcome_of(status):
    if os.WIFSIGNALED(status):
        return HANG if os.WTERMSIG(status) == signal.SIGALRM else CRASH
    return {0: FINE, ASSERTION_STATUS: WRONG}.get(os.WEXITSTATUS(status), ERROR)


@dataclasses.dataclass
class Outcome:
    fault: str
    fault_on: bool
    expected: str
    seen: str
    output: str

    @property
    def as_it_must(self):
        return self.seen == self.expected


def run(chosen, width=os.cpu_count()):
    """Yields an Outcome for each demonstration, clean and with its fault, `width` at a time."""
    import torch  # imported before the forks, no operator run
    import torch._dynamo  # noqa: F401  many operators import it at their first call, which takes over a second

    release = tuple(int(part) for part in torch.__version__.split(".")[:2])
    waiting = [(demonstration, fault_on) for demonstration in chosen if demonstration.since <= release for fault_on in (False, True)]
    running = {}
    while waiting or running:
        while waiting and len(running) < width:
            demonstration, fault_on = waiting.pop(0)
            log = tempfile.TemporaryFile("w+")
            pid = os.fork()
            if pid == 0:
                run_in_child(demonstration, fault_on, log)
            running[pid] = (demonstration, fault_on, log)
        pid, status = os.wait()
        demonstration, fault_on, log = running.pop(pid)
        expected = demonstration.shows if fault_on else FINE
        with log:
            log.seek(0)
            output = log.read()
        yield Outcome(demonstration.fault, fault_on, expected, outcome_of(status), output)


def main(names):
    found = load_all()
    unknown = [name for name in names if name not in found]
    if unknown:
        sys.exit(f"no demonstration of {', '.join(unknown)}")
    wrong = 0
    for outcome in run([found[name] for name in names or sorted(found)]):
        state = "on" if outcome.fault_on else "off"
        print(f"{outcome.fault:44} {state:3} {outcome.seen:6}", "" if outcome.as_it_must else f"expected {outcome.expected}")
        if names or not outcome.as_it_must:
            print(outcome.output)
        wrong += not outcome.as_it_must
    return 1 if wrong else 0


if __name__ == "__main__":
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    sys.path.insert(0, str(BUILD / "python"))
    sys.exit(main(sys.argv[1:]))
