# SPDX-License-Identifier: BSD-3-Clause
"""Plugin of pytest on one side: loads the target, hands the device in, runs each test in a child of its own.

Loaded by `pytest -p assay.clients.plugin` before any conftest. ASSAY_CLIENT_SIDE is a JSON file: `device`, `steps`,
`records` (a file of lines, one for each thing that happened), `seconds` for a test, `forks`, `lists`, `default`, `only`.
The process itself runs no test and starts no device, so that its children can.
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
_users = []  # files that used the device, or what they import did, as they were read

_records = os.open(SIDE["records"], os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
MOST_TEXT = 2000


def tell(**record):
    os.write(_records, (json.dumps(record) + "\n").encode())


def pytest_sessionstart():
    """Lists of devices that modules of the tests keep: before the tests are read."""
    for name, devices in SIDE["lists"].items():
        module, _, attribute = name.partition(":")
        replace_list(importlib.import_module(module), attribute, list(dict.fromkeys(devices)))
    if SIDE["default"]:
        torch.set_default_device(SIDE["device"])


def replace_list(module, attribute, devices):
    """By one of the same kind: names or devices, in a list or given by a function."""
    old = getattr(module, attribute)
    if any(isinstance(one, torch.device) for one in (old() if callable(old) else old)):
        devices = [torch.device(one) for one in devices]
    setattr(module, attribute, (lambda: list(devices)) if callable(old) else devices)


def pytest_make_parametrize_id(val):
    """By its name, where pytest counts: else [device0] of one side would be another device than [device0] of the other."""
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
    """A file that used the device as it was read leaves a process whose children may not: then none is forked."""
    tell(read=[item.nodeid for item in session.items])
    if SIDE["forks"] and SIDE["steps"] and not SIDE["lists_only"] and not forks_well(SIDE["device"]):
        tell(forks=False, users=_users)
        SIDE["lists_only"] = True
    gc.collect()
    gc.freeze()  # else the first collection of each child touches, and so copies, all that was read


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
