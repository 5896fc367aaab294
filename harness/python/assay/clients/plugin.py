# SPDX-License-Identifier: BSD-3-Clause
"""pytest plugin for one side: loads the target, passes the device to the tests and runs each test in its own child
process.

Loaded by `pytest -p assay.clients.plugin` before any conftest. ASSAY_CLIENT_SIDE names a JSON file with `device`,
`steps`, `records` (an output file with one line per event), `seconds` per test, `forks`, `lists`, `default` and
`only`. This process runs no test and does not start the device, so that its children can.
"""

import gc
import importlib
import json
import os
from pathlib import Path

import pytest
import torch
from assay.clients import child as client_child
from assay.clients.probe import forks_well
from assay.host import load_steps

SIDE = json.loads(Path(os.environ["ASSAY_CLIENT_SIDE"]).read_text(encoding="utf-8"))
for _step in SIDE["steps"]:
    load_steps.run(*_step)
_calls = client_child.Calls()
_users = []  # test files that used the device, themselves or by an import, during collection

_records = os.open(SIDE["records"], os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
MOST_TEXT = 2000


def tell(**record):
    os.write(_records, (json.dumps(record) + "\n").encode())


def pytest_sessionstart():
    """Replaces the lists of devices in modules of the tests. This must happen before collection."""
    for name, devices in SIDE["lists"].items():
        module, _, attribute = name.partition(":")
        replace_list(importlib.import_module(module), attribute, list(dict.fromkeys(devices)))
    if SIDE["default"]:
        torch.set_default_device(SIDE["device"])


def replace_list(module, attribute, devices):
    """The new list has the form of the old one: names or torch.device objects, a list or a function that returns one."""
    old = getattr(module, attribute)
    if any(isinstance(one, torch.device) for one in (old() if callable(old) else old)):
        devices = [torch.device(one) for one in devices]
    setattr(module, attribute, (lambda: list(devices)) if callable(old) else devices)


def pytest_make_parametrize_id(val):
    """Names a device parameter by the device. pytest would number them, and [device0] would be a different device on
    each side."""
    return str(val) if isinstance(val, torch.device) else None


def pytest_collectreport(report):
    if _calls.seen() and not _users:
        _users.append(report.nodeid.split("::")[0])
    if report.outcome != "passed":
        tell(unread=report.nodeid, outcome=report.outcome, message=str(report.longrepr)[-MOST_TEXT:])


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    if SIDE["only"] is not None:
        chosen = set(SIDE["only"])
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
        items[:] = [item for item in items if item.nodeid in chosen]


def pytest_collection_finish(session):
    """If a file used the device during collection, children of this process cannot use it. Then no test is forked."""
    tell(read=[item.nodeid for item in session.items])
    if SIDE["forks"] and SIDE["steps"] and not SIDE["lists_only"] and not forks_well(SIDE["device"]):
        tell(forks=False, users=_users)
        SIDE["lists_only"] = True
    gc.collect()
    gc.freeze()  # otherwise the first garbage collection in each child would copy all collected objects


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    if SIDE["lists_only"]:
        return True
    tell(begins=item.nodeid)
    if SIDE["forks"]:
        tell(test=item.nodeid, **client_child.in_a_child(item, _calls, SIDE["seconds"]))
    else:
        tell(test=item.nodeid, **client_child.run(item, _calls))
    return True
