# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.host --control=FD: the Python host, started by the supervisor.

Supplies the host library with its callbacks: fork (os.fork, so that the interpreter's own hooks run),
load the target, run a check. An exception that leaves a ctypes callback is swallowed and looks like 0,
so each callback says DONE in so many words, and says what went wrong before it gives up.
"""

import contextlib
import ctypes
import faulthandler
import gc
import importlib
import os
import shutil
import signal
import sys
import traceback

from assay.host import SAFE, bare_process, case_runner, chosen_target, host_library, huge_pages, report
from assay.host.load_steps import StepError

PRELOAD_AT = 4  # forks; a run of a few checks need not pay for it
HUGE_PAGES_AT = 40  # it takes half a second, as much as a hundred forks lose without


class Host:
    """State of this process. The target is a module with prepare, load, warm_up, begin_check,
    run_native, note_fallbacks, end_check, extension, claim, take_state and state_changes; see
    chosen_target.py."""

    def __init__(self, library):
        self.library = library
        self.registry = case_runner.Registry()
        self.target = chosen_target.module()
        self.stack_file = None
        self.forks = 0

    def prepare(self, setup):
        self.target.prepare(setup)
        for module in setup.modules:
            if os.path.isdir(module):
                self.registry.add_folder(module)

    def load(self, setup, target):
        device_name, devices = self.target.load(setup)
        host_library.write_target(target, device_name, devices)
        if setup.loads_target:
            self.registry.loaded()

    def fork(self):
        """A long run imports here, once, what PyTorch imports on first use; a short one need not pay."""
        self.forks += 1
        if self.forks == PRELOAD_AT:
            self.preload()
        if self.forks in (1, PRELOAD_AT):
            gc.freeze()  # a collection in a job would touch, and so copy, every page of this process
        if self.forks == HUGE_PAGES_AT:
            huge_pages.collapse()
        return os.fork()

    def preload(self):
        """Imports the modules; one that does not import is left to the checks."""
        for name in self.registry.preload:
            with contextlib.suppress(Exception):
                importlib.import_module(name)

    def run_check(self, check):
        self.dump_stacks_into(os.path.join(check.scratch, "stack.txt"))
        report.begin(check)
        try:
            self.target.begin_check(check)
            case = self.registry.case(check.id)
            if case:
                self.registry.run(check.id, case)
            else:
                self.target.run_native(check)
            if report.failed():
                self.target.note_fallbacks()
        finally:
            report.begin(None)

    def observe(self, moment, may):
        """Notes as a fact each state that the check has left changed; see process_state.h."""
        if moment == host_library.BEFORE_CHECK:
            self.target.take_state(may)
        else:
            for sentence in self.target.state_changes(may):
                report.fact("left changed", sentence)

    def end(self):
        """The job says next that it ended: also out of the middle of a native check."""
        self.target.end_check()
        remove_temporary_folder()
        flush()

    def dump_stacks_into(self, path):
        """Python's stacks in front of the native one, at a deadline and at death."""
        previous, self.stack_file = self.stack_file, open(path, "a", encoding="utf-8")
        faulthandler.enable(self.stack_file)
        self.library.hn_stack_dump_come_first()
        faulthandler.register(signal.SIGUSR2, self.stack_file, chain=True)
        if previous:
            previous.close()


def remove_temporary_folder():
    """That of multiprocessing, which is removed at the exit of an interpreter: a job leaves in another way."""
    processes = sys.modules.get("multiprocessing.process")
    config = getattr(processes.current_process(), "_config", {}) if processes else {}
    folder = config.pop("tempdir", None)
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


def guarded(library, work):
    """A callback around `work`: DONE, or 0 with the traceback as the problem."""

    def callback(*arguments):
        try:
            work(*arguments)
            return host_library.DONE
        except StepError as error:
            traceback.print_exc()  # the whole of it is evidence; the sentence is the answer
            library.hn_host_problem(str(error).encode("utf-8", "backslashreplace"))
            return 0
        except BaseException as error:
            head = "".join(traceback.format_exception_only(error)).strip()
            text = f"{head}\n{traceback.format_exc()[-3000:]}"
            library.hn_host_problem(text.encode("utf-8", "backslashreplace"))
            return 0

    return callback


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass  # the check closed it


def renew_environment():
    """os.environ is a copy from the start of the interpreter."""
    settings = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    entries = []
    while settings[len(entries)] is not None:
        entries.append(os.fsdecode(settings[len(entries)]))
    os.environ.clear()
    os.environ.update(entry.split("=", 1) for entry in entries)


def make_callbacks(library, host):
    def extension(_context, name, target):
        try:
            table, handle = host.target.extension(name.decode())
        except Exception:
            table, handle = None, None
        target[0] = handle
        return table

    def claim(_context, capability):
        try:
            return host.target.claim(capability.decode())
        except Exception:
            return report.UNKNOWN

    fields = dict(host_library.Callbacks._fields_)
    table = {
        "prepare": guarded(library, lambda _, setup: host.prepare(host_library.read_setup(setup))),
        "fork": lambda _: host.fork(),
        "load_target": guarded(
            library, lambda _, setup, target: host.load(host_library.read_setup(setup), target)
        ),
        "warm_up": guarded(library, lambda _: host.target.warm_up()),
        "run_check": guarded(
            library, lambda _, entry, check: host.run_check(host_library.read_check(check))
        ),
        "extension": extension,
        "flush": lambda _: host.end(),
        "renew": lambda _: renew_environment(),
        "claim": claim,
        "observe": lambda _, moment, may: host.observe(moment, may),
        "start": lambda _: host.target.start(),
    }
    return host_library.Callbacks(**{name: fields[name](call) for name, call in table.items()})


def main():
    name, _, number = sys.argv[1].partition("=")
    library = host_library.load()
    report.attach(library)
    bare_process.attach(library, makes_one=name == "--control")
    callbacks = make_callbacks(library, Host(library))
    program = [sys.executable, *SAFE, "-m", __package__]
    arguments = (ctypes.c_char_p * (len(program) + 1))(*(word.encode() for word in program))
    library.hn_host_set_program(arguments)
    serve = {
        "--control": library.hn_host_serve,
        "--job": library.hn_host_serve_one,
    }[name]
    self = os.getpid()
    status = serve(int(number), ctypes.byref(callbacks))
    if name == "--control" and os.getpid() == self:
        flush()
        library.hn_job_leave(status)  # taking torch down takes a second, and somebody waits for it
    return status


if __name__ == "__main__":
    sys.exit(main())
