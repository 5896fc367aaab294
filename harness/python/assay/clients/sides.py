# SPDX-License-Identifier: BSD-3-Clause
"""Runs the tests of a client on one device. It starts processes of pytest, watches them and restarts them.

A process collects some files and forks for each test (assay/clients/plugin.py). If it dies during collection, its
files are collected one by one, so a bad file loses only its own tests. If it dies later, a new process continues
after the test that killed it. If the target does not work after a fork, each test gets a new process.
"""

import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from assay import places
from assay.host import SAFE

READING = 600  # seconds without a new record, or for collection, after which a process is killed
FILES_A_PROCESS = 16
GRACE = 10


class Stopped(Exception):
    """A signal stopped the program."""


class Side:
    """`device` is its name, `steps` are the load steps, `plugins` are paths of further pytest plugins."""

    def __init__(self, client, device, steps, room, forks=True, jobs=1):
        self.client, self.device, self.steps, self.room = client, device, steps, Path(room)
        self.stem = device.replace(":", "-")  # beginning of the names of its files
        self.forks, self.jobs, self.number = forks, jobs, 0
        self.lock, self.running, self.stopped = threading.Lock(), set(), False
        self.is_told = False
        self.seconds = client.seconds  # per test

    # ---- input of a process -----------------------------------------------------------------------

    def filled(self, text):
        return text.replace("{device}", self.device).replace("{folder}", str(self.client.folder))

    def environment(self, side):
        """The folder suites/ is removed from the path, because the tests have modules with the same names."""
        settings = {**self.client.environment, **self.client.device.get("environment", {})}
        paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and not places.is_data(path)]
        ours = [str(Path(self.client.tests, path)) for path in self.client.pythonpath]
        made = {**os.environ, **{name: self.filled(value) for name, value in settings.items()},
                "PYTHONPATH": os.pathsep.join([*ours, *paths, *self.plugin_folders()]), "ASSAY_CLIENT_SIDE": str(side),
                "ASSAY_CLIENT_DEVICE": self.device, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "PYTHONFAULTHANDLER": "",
                "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        made.pop("PYTHONSAFEPATH", None)
        return made

    def plugin_folders(self):
        own = self.client.device.get("plugin")
        files = [Path(self.client.folder, one) for one in [own, *(heal["plugin"] for heal in self.client.heal)] if one]
        return list(dict.fromkeys(str(file.parent) for file in files))

    def words(self, files, plugins):
        own = self.client.device.get("plugin")
        named = [Path(one).stem for one in ([own] if own else []) + list(plugins)]
        options = [self.filled(one) for one in self.client.options + self.client.device.get("options", [])]
        match = ["-k", self.client.match] if self.client.match else []
        named = ["assay.clients.plugin", "no:cacheprovider", "no:faulthandler", *named]
        return [sys.executable, *SAFE, "-m", "assay.clients.pytest_run", "-q", "--continue-on-collection-errors", "--rootdir", str(self.client.tests),
                *(word for one in named for word in ("-p", one)), *options, *match, *files]

    # ---- the whole run -----------------------------------------------------------------------------

    def parts(self, files):
        """Splits the files into the parts that one process collects."""
        size = max(1, min(FILES_A_PROCESS, -(-len(files) // self.jobs)))
        return [files[at:at + size] for at in range(0, len(files), size)]

    def run(self, files, only=None, plugins=()):
        """Returns the records by test name and the files that could not be collected: {name: record}, {name: record}."""
        tests, unread = {}, {}
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for some, others in pool.map(lambda part: self.run_part(part, only, plugins), self.parts(files)):
                tests.update(some)
                unread.update(others)
        if self.stopped:
            raise Stopped
        return tests, unread

    def run_part(self, files, only=None, plugins=()):
        if self.stopped:
            return {}, {}
        if not self.forks:
            return self.run_one_by_one(files, only, plugins)
        said = self.process(files, only, plugins)
        if said.names is None and len(files) > 1:
            parts = [self.run_part([one], only, plugins) for one in files]
            return ({name: one for part in parts for name, one in part[0].items()},
                    {name: one for part in parts for name, one in part[1].items()})
        if said.names is None:
            return {}, {files[0]: {"outcome": said.ended, "message": said.words}, **said.unread}
        if not said.forks:
            self.tell_why_slow(said.users)
            return self.run_one_by_one(files, only, plugins)
        left = [name for name in said.names if name not in said.tests]
        if left and not self.stopped:
            said.tests[left[0]] = {"outcome": "crash", "message": said.words, "where": "", "calls": 0, "seconds": 0}
            if left[1:]:
                said.tests.update(self.run_part(files, left[1:], plugins)[0])
        return said.tests, said.unread

    def tell_why_slow(self, users):
        """Prints once why each test gets a new process, because this costs hours and a single line in a test may be
        the cause."""
        with self.lock:
            if self.is_told:
                return
            self.is_told = True
        who = f"{users[0]}, or a module that it imports, uses the device" if users else "the device is used"
        print(f"assay: each test has a new process on {self.device}, which is slow: {who} while the tests are collected, "
              "and a forked child cannot use it after that. A plugin that asks the device in a child process avoids this.", file=sys.stderr, flush=True)

    def run_one_by_one(self, files, only, plugins):
        listed = self.process(files, only, plugins, lists_only=True)
        if listed.names is None:
            return {}, {name: {"outcome": listed.ended, "message": listed.words} for name in files}
        tests = {}
        for name in listed.names:
            said = self.process([name], [name], plugins, forks=False)
            if self.stopped:
                break
            tests[name] = said.tests.get(name) or {"outcome": said.ended, "message": said.words, "where": "", "calls": 0,
                                                   "seconds": 0}
        return tests, listed.unread

    # ---- one process -------------------------------------------------------------------------------

    def process(self, files, only, plugins, lists_only=False, forks=True):
        with self.lock:
            self.number += 1
            stem = self.room / f"{self.stem}-{self.number}"
        side, records, log = (stem.with_suffix(end) for end in (".json", ".jsonl", ".log"))
        lists = {name: [self.filled(one) for one in devices] for name, devices in self.client.device.get("lists", {}).items()}
        side.write_text(json.dumps({
            "device": self.device, "steps": self.steps, "records": str(records), "seconds": self.seconds,
            "forks": self.forks and forks, "lists": lists, "default": self.client.device.get("default", False), "only": only,
            "lists_only": lists_only}), encoding="utf-8")
        with log.open("wb") as out:
            process = subprocess.Popen(self.words(files, plugins), cwd=self.client.tests, env=self.environment(side), stdout=out,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
            in_time = self.watch(process, records)
        return Said(records, log, process.returncode if in_time else None)

    def watch(self, process, records):
        """Waits while the process writes new records. Returns True if it ended by itself."""
        with self.lock:
            self.running.add(process)
        seconds = READING if self.forks else GRACE
        size, in_time = -1, False
        while not in_time:
            try:
                process.wait(max(seconds, self.seconds + GRACE))
                in_time = True
            except subprocess.TimeoutExpired:
                now = records.stat().st_size if records.exists() else 0
                if now == size or not self.forks:
                    break
                size = now
        with self.lock:
            self.running.discard(process)
        end(process)
        return in_time

    def counted(self):
        """Number of tests that have ended, and of tests collected so far."""
        done, read = set(), set()
        for path in self.room.glob(f"{self.stem}-*.jsonl"):
            for record in lines(path):
                read.update(record.get("read", ()))
                done.update([record["test"]] if "test" in record else [])
        return len(done), len(read)

    def stop(self):
        self.stopped = True
        with self.lock:
            for process in self.running:
                end(process)


def end(process):
    """Kills the process with all processes that it started."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


class Said:
    """Records of one process. `names` are the tests that it collected, or None if it did not finish collection."""

    def __init__(self, records, log, status):
        self.names, self.tests, self.unread, self.forks, self.users = None, {}, {}, True, []
        for record in lines(records):
            if "read" in record:
                self.names = record["read"]
            elif "forks" in record:
                self.forks, self.users = record["forks"], record["users"]
            elif "unread" in record:
                self.unread[record["unread"]] = {"outcome": record["outcome"], "message": record["message"]}
            elif "test" in record:
                self.tests[record.pop("test")] = record
        died = status is not None and status < 0
        self.ended = "crash" if died else "timeout" if status is None else "error"
        last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:] or [""]
        self.words = f"ended by {signal.Signals(-status).name}" if died else last[0][:500]


def lines(path):
    """Lines of a file of records. If the process was killed, its last line may be cut off and is ignored."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue
