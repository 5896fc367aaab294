# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay_host.alone [--step KIND WHAT EXTRA]... [--adapter FILE] --module PLACE CHECK

One check in the foreground of this process, without isolation: what `assay repro` starts, and what a
debugger attaches to. Prints what the check finds. Exit status 0 nothing found, 1 a violation, 2 another
finding. Verdicts are given by `assay run` alone.
"""

import argparse
import ctypes
import os
import sys
import tempfile
import time

from . import case_runner, chosen_target, host_library, report

ANSWERS = {"no": report.NO, "yes": report.YES}
KINDS = ("", "FAIL", "SKIP", "BLOCKED", "UNOBSERVABLE", "BROKEN", "FALLBACK", "NOTED")
target = chosen_target.module()
DEADLINE_S = 3600  # somebody is reading along, perhaps in a debugger


class Finding(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("kind", ctypes.c_int32),
        ("what", ctypes.c_char_p),
        ("seen", ctypes.c_char_p),
        ("subject", ctypes.c_char_p),
        ("file", ctypes.c_char_p),
        ("line", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
    ]


_CHECK, _TEXT, _NUMBER = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32
_CALLS = {
    "report": ctypes.CFUNCTYPE(None, _CHECK, ctypes.POINTER(Finding)),
    "note": ctypes.CFUNCTYPE(None, _CHECK, _TEXT, _TEXT),
    "mark": ctypes.CFUNCTYPE(None, _CHECK, _TEXT, _NUMBER),
    "abandon": ctypes.CFUNCTYPE(None, _CHECK),
    "milliseconds_left": ctypes.CFUNCTYPE(ctypes.c_int64, _CHECK),
    "extension": ctypes.CFUNCTYPE(_CHECK, _CHECK, _TEXT, ctypes.POINTER(_CHECK)),
    "capability": ctypes.CFUNCTYPE(_NUMBER, _CHECK, _TEXT),
}


class HostTable(ctypes.Structure):
    """struct assay_check_host of assay/check.h."""

    _fields_ = [("struct_size", ctypes.c_uint32), ("reserved", ctypes.c_uint32), *_CALLS.items()]


def _words(text):
    return (text or b"").decode(errors="replace")


class Console:
    """The host of this one check. Stands in for the host library towards Python checks, too."""

    def __init__(self, check_id, likely=None, deadline=DEADLINE_S, claims=()):
        self.check_id, self.likely, self.claims = check_id, likely, dict(claims)
        self.status, self.end = 0, time.monotonic() + deadline

    # towards Python checks: the functions of python_entry.h

    def hn_python_report(self, kind, what, seen, subject, file, line):
        if kind == report.FAIL:
            self.status = 1
        elif kind != report.NOTED:
            self.status = self.status or 2
        print(f"{KINDS[kind]} {self.check_id}\n     demand   {_words(what)}")
        for label, text in (("seen", seen), ("about", subject)):
            if text:
                print(f"     {label:<8} {_words(text)}")
        if file:
            print(f"     at       {_words(file)}:{line}")

    def hn_python_note(self, key, text):
        print(f"note {_words(key)}: {_words(text)}")

    def hn_python_mark(self, file, line):
        pass

    def hn_python_milliseconds_left(self):
        return max(0, int(1000 * (self.end - time.monotonic())))

    def hn_python_capability(self, name):
        answer = self.claims.get(_words(name))
        return target.claim(_words(name)) if answer is None else ANSWERS[answer]

    def hn_host_fact(self, key, text):
        print(f"{_words(key)}: {_words(text)}")

    def hn_host_problem(self, text):
        print(_words(text), file=sys.stderr)

    # towards native checks: the table

    def leave(self):
        if self.likely and self.status == 1:
            print(f"     likely   {self.likely}")
        sys.stdout.flush()
        os._exit(self.status)

    def extension(self, _check, name, handle):
        table, handle[0] = target.extension(_words(name))
        return table

    def table(self):
        def tell(_check, pointer):
            found = pointer.contents
            place = (found.file, found.line)
            self.hn_python_report(found.kind, found.what, found.seen, found.subject, *place)

        calls = {
            "report": tell,
            "note": lambda _, key, text: self.hn_python_note(key, text),
            "mark": lambda *_: None,
            "abandon": lambda _: self.leave(),
            "milliseconds_left": lambda _: self.hn_python_milliseconds_left(),
            "extension": self.extension,
            "capability": lambda _, name: self.hn_python_capability(name),
        }
        kept = {name: _CALLS[name](call) for name, call in calls.items()}
        return HostTable(struct_size=ctypes.sizeof(HostTable), **kept)


def make_check(check_id, device_name, devices, table, scratch, seed):
    numbers = (ctypes.c_int32 * max(1, len(devices)))(*devices)
    raw = host_library.CheckStruct(
        struct_size=ctypes.sizeof(host_library.CheckStruct),
        device_count=len(devices),
        host=ctypes.addressof(table),
        id=check_id.encode(),
        device_name=device_name.encode(),
        devices=numbers,
        scratch=scratch.encode(),
        seed=seed,
    )
    check = host_library.Check(
        check_id, device_name, devices, scratch, seed, ctypes.addressof(raw)
    )
    return check, (raw, numbers)  # the second lives as long as the check runs


def parse(arguments):
    parser = argparse.ArgumentParser(prog="python -m assay_host.alone")
    parser.add_argument("--step", nargs=3, action="append", default=[])
    parser.add_argument("--adapter")
    parser.add_argument("--module", required=True)
    parser.add_argument("--device", type=int, action="append", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--likely", help="what usually causes a failure")
    parser.add_argument("--deadline", type=float, default=DEADLINE_S, help="seconds for the check")
    parser.add_argument("--claim", nargs=2, action="append", default=[],
                        metavar=("CAPABILITY", "yes|no"), help="what is claimed of the backend")
    parser.add_argument("check")
    return parser.parse_args(arguments)


def main():
    asked = parse(sys.argv[1:])
    console = Console(asked.check, asked.likely, asked.deadline, asked.claim)
    report.attach(console)
    setup = host_library.Setup(
        mode="exec",
        steps=[tuple(step) for step in asked.step],
        modules=[asked.module],
        adapter=asked.adapter,
        devices=asked.device,
    )
    target.prepare(setup)
    name, devices = target.load(setup)
    table = console.table()
    with tempfile.TemporaryDirectory() as scratch:
        check, _kept = make_check(asked.check, name, devices, table, scratch, asked.seed)
        report.begin(check)
        if os.path.isdir(asked.module):
            registry = case_runner.Registry()
            registry.add_folder(asked.module)
            registry.run(asked.check)
        else:
            target.run_native(check)
    if console.status == 0:
        print(f"nothing found by {asked.check}")
    console.leave()


if __name__ == "__main__":
    main()
