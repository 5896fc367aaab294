# SPDX-License-Identifier: BSD-3-Clause
"""Reads the tests of a client on one side with pytest, and runs single tests in this process.

`suites/clients` calls this module: list_checks.py reads the tests in child processes; a host reads the tests once and
forks a job for each. A process reads tests for one side only, because the environment names the device. Reading uses no
device unless the files of the client use the device.
"""

import contextlib
import ctypes
import importlib
import json
import os
import random
import shlex
import sys
from pathlib import Path

import torch
from assay import places
from assay.clients.request import CPU, client_of
from assay.host import load_steps

MOST_TEXT = 2000
RANKS = ("failed", "error", "xpassed", "xfailed", "skipped", "passed")


class Calls:
    """Number of operators that reached the device, counted by PyTorch's dispatcher."""

    def __init__(self):
        self.bridge = ctypes.CDLL(os.environ["ASSAY_BRIDGE"], mode=ctypes.RTLD_GLOBAL)
        self.bridge.bridge_calls_seen.restype = ctypes.c_int64
        self.bridge.bridge_calls_count()

    def seen(self):
        return self.bridge.bridge_calls_seen()


class Side:
    """`name` is the name of the run: cpu, target, or heal-N. In heal-N, a plugin removes one cause on the target.

    A Side is also a plugin of pytest that passes the device to the tests. The backend must be loaded before `read`.
    """

    def __init__(self, path, name):
        request = json.loads(Path(path).read_text(encoding="utf-8"))
        self.client, self.name = client_of(request), name
        self.listed = Path(request["folder"], f"{name}.json")  # what list_checks.py found
        wanted = Path(request["folder"], f"{name}-tests.json")  # selected tests and a plugin for them
        self.wanted = json.loads(wanted.read_text(encoding="utf-8")) if wanted.exists() else {"plugins": [], "tests": None}
        self.items, self.unread, self.users, self.calls = {}, {}, [], None

    def read(self, files):
        """Adds the tests of the files to `items`, by name, and the files that pytest cannot read to `unread`."""
        from _pytest import config as pytest_config, main as pytest_main

        if self.calls is None:
            self.prepare()
        here = os.getcwd()
        os.chdir(self.client.tests)
        try:
            config = pytest_config._prepareconfig(self.words(files), [self])
            session = pytest_main.Session.from_config(config)
            config._do_configure()
            config.hook.pytest_sessionstart(session=session)
            with self.default_device():
                config.hook.pytest_collection(session=session)
        finally:
            os.chdir(here)
        self.items.update((item.nodeid, item) for item in session.items)

    def prepare(self):
        """Sets the environment of the tests and of their child processes. The environment does not contain the folder
        suites/."""
        self.device = CPU if self.name == CPU else torch._C._get_privateuse1_backend_name()
        self.calls = Calls()
        self.paths = [str(Path(self.client.tests, path)) for path in self.client.pythonpath]
        paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and not places.is_data(path)]
        settings = {**self.client.environment, **self.client.device.get("environment", {})}
        os.environ.update({name: self.filled(value) for name, value in settings.items()})
        os.environ.update(PYTHONPATH=os.pathsep.join(self.paths + paths), ASSAY_CLIENT_DEVICE=self.device)
        os.environ.pop("PYTHONSAFEPATH", None)

    def filled(self, text):
        return text.replace("{device}", self.device).replace("{folder}", str(self.client.folder))

    def words(self, files):
        options = [self.filled(one) for one in self.client.options + self.client.device.get("options", [])]
        match = ["-k", self.client.match] if self.client.match else []
        paths = ["-o", f"pythonpath={shlex.join(self.paths)}"] if self.paths else []
        return ["-q", "--capture=sys", "--rootdir", str(self.client.tests), "-p", "no:cacheprovider", "-p", "no:faulthandler",
                *paths, *options, *match, *files]

    @contextlib.contextmanager
    def default_device(self):
        if self.client.device.get("default"):
            torch.set_default_device(self.device)
        yield
        torch.set_default_device(None)

    def uses_device(self):
        """True if the reading of the tests has used the device. Then a fork of this process cannot use the device."""
        module = getattr(torch, self.device, None) if self.device != CPU else None
        return bool(self.calls.seen() or getattr(module, "is_initialized", bool)())

    # ---- hooks of pytest ---------------------------------------------------------------------------

    def pytest_load_initial_conftests(self, early_config):
        """Registers the client's plugins after pytest has set the path of the tests and before the first conftest."""
        own = self.client.device.get("plugin")
        for plugin in ([own] if own else []) + self.wanted["plugins"]:
            load_steps.run("import", str(Path(self.client.folder, plugin).resolve()))
            early_config.pluginmanager.register(sys.modules[Path(plugin).stem])

    def pytest_sessionstart(self):
        """Replaces lists of devices in modules of the tests, before the tests are read."""
        for name, devices in self.client.device.get("lists", {}).items():
            module, _, attribute = name.partition(":")
            replace_list(importlib.import_module(module), attribute, list(dict.fromkeys(map(self.filled, devices))))

    def pytest_make_parametrize_id(self, val):
        """The name of a device. pytest would number the devices, and [device0] would differ between the sides."""
        return str(val) if isinstance(val, torch.device) else None

    def pytest_collectreport(self, report):
        if report.outcome != "passed":
            self.unread[report.nodeid] = {"outcome": report.outcome, "message": str(report.longrepr)[-MOST_TEXT:]}

    # ---- one test ----------------------------------------------------------------------------------

    def run(self, name):
        """Runs a test in its job and returns the worst outcome of its phases and subtests as a record."""
        from _pytest.runner import runtestprotocol

        item, reports = self.items[name], []

        class Collected:
            @staticmethod
            def pytest_runtest_logreport(report):
                reports.append(report)

        os.chdir(self.client.tests)
        seed()
        before = self.calls.seen()
        item.config.pluginmanager.register(Collected)
        with self.default_device():
            runtestprotocol(item, log=True, nextitem=None)
        item.config.pluginmanager.unregister(Collected)
        worst = min(reports, key=lambda report: RANKS.index(outcome_of(report)))
        return {"outcome": outcome_of(worst), "message": message_of(worst)[:MOST_TEXT], "where": place_of(worst),
                "calls": self.calls.seen() - before}


def replace_list(module, attribute, devices):
    """The replacement has the same form: names or devices, in a list or returned by a function."""
    old = getattr(module, attribute)
    if any(isinstance(one, torch.device) for one in (old() if callable(old) else old)):
        devices = [torch.device(one) for one in devices]
    setattr(module, attribute, (lambda: list(devices)) if callable(old) else devices)


def seed():
    """Seeds the generators, so that a test that draws random numbers on the CPU gets the same numbers on both sides."""
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
    """The line of the test that led to the exception."""
    entries = getattr(getattr(report.longrepr, "reprtraceback", None), "reprentries", ())
    found = [entry.reprfileloc for entry in entries if getattr(entry, "reprfileloc", None)]
    return f"{found[0].path}:{found[0].lineno}" if found else ""
