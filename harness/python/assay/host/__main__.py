# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.host --control=FD: the Python host, started by the supervisor.

Gives the host library its callbacks: fork (os.fork, so that the interpreter's own hooks run), load the target, run a
check. If an exception leaves a callback, ctypes ignores the exception and returns 0. So each callback returns DONE on
success, and reports its problem before it fails.
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

PRELOAD_AT = 4  # number of forks from which preloading pays off
HUGE_PAGES_AT = 40  # number of forks from which huge pages pay off; preparing them takes half a second


class Host:
    """State of this process. `target` is a module with prepare, load, warm_up, begin_check, run_native,
    note_fallbacks, end_check, extension, claim, take_state and state_changes; see chosen_target.py."""

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
        """Forks a job. In a long run, first imports the modules that each job would otherwise import."""
        self.forks += 1
        if self.forks == PRELOAD_AT:
            self.preload()
        if self.forks in (1, PRELOAD_AT):
            gc.freeze()  # a garbage collection in a job would otherwise copy every page of this process
        if self.forks == HUGE_PAGES_AT:
            huge_pages.collapse()
        return os.fork()

    def preload(self):
        """Imports the modules. If an import fails, the check that needs the module reports it."""
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
        """Records each state that the check did not restore as a fact; see process_state.h."""
        if moment == host_library.BEFORE_CHECK:
            self.target.take_state(may)
        else:
            for sentence in self.target.state_changes(may):
                report.fact("left changed", sentence)

    def end(self):
        """Ends the check. Called before the job reports its end, even if a native check ends the process."""
        self.target.end_check()
        remove_temporary_folder()
        flush()

    def dump_stacks_into(self, path):
        """Writes the Python stacks before the native stack, at a deadline and at a crash."""
        previous, self.stack_file = self.stack_file, open(path, "a", encoding="utf-8")
        faulthandler.enable(self.stack_file)
        self.library.hn_stack_dump_come_first()
        faulthandler.register(signal.SIGUSR2, self.stack_file, chain=True)
        if previous:
            previous.close()


def remove_temporary_folder():
    """Removes the temporary folder of multiprocessing. A job does not run the exit handlers that normally remove it."""
    processes = sys.modules.get("multiprocessing.process")
    config = getattr(processes.current_process(), "_config", {}) if processes else {}
    folder = config.pop("tempdir", None)
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


def guarded(library, work):
    """Returns a callback that calls `work` and returns DONE. If `work` raises, the callback reports the traceback and
    returns 0."""

    def callback(*arguments):
        try:
            work(*arguments)
            return host_library.DONE
        except StepError as error:
            traceback.print_exc()  # the traceback goes to the evidence, its last line to the user
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
            pass  # the check has closed the file


def renew_environment():
    """Updates os.environ, which is a copy made at the start of the interpreter."""
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
        library.hn_job_leave(status)  # skips torch's destructors, which take a second
    return status


if __name__ == "__main__":
    sys.exit(main())
