# SPDX-License-Identifier: BSD-3-Clause
"""The target in the Python host: prepare, load, warm_up, start, begin_check, run_native, end_check, extension, claim,
take_state, state_changes.

Called by __main__.py. Each function is called at most once, except `extension` and the functions for a check. Records
as facts the registrations of each step and the changes that loading made. Before warm_up, no operator runs and no
device is started.
"""

import contextlib
import os
import re
import signal
import sys

from assay.host import bare_process

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # a broken plugin would make `import torch` fail
bare_process.import_torch()

import torch  # noqa: E402
from assay.host import load_steps, means, python_state, report, target_library, torch_changes, usable_devices

QUESTION_SECONDS = 5
MAY_STREAMS = 2
RECURSION_LIMIT = 1000  # the value in a new interpreter
MOST_DEVICES = 8  # some backends return a constant of 127; no check needs more than a few

_library = None
_name, _devices = "", []
_fallen_back = {}  # {operator: None} in the order of the first fallback
_steps = []


def library():
    return _library


def steps():
    """The load steps, for a check that loads the target again in another process."""
    return list(_steps)


def prepare(setup):
    global _library
    _library = target_library.open_library()
    # PyTorch's headers state only the version number, even for a nightly build or a checkout.
    bridge, here = _library.torch_of_bridge(), re.match(r"[\d.]*\d", torch.__version__)[0]
    if bridge != here:
        raise RuntimeError(
            f"the bridge is built for torch {bridge}, this interpreter has {here}: "
            f"run `assay bridge build --python {os.path.realpath('/proc/self/exe')}`"
        )
    for module in setup.modules:
        if module.endswith(".so"):
            _library.open_suite(module)


def _run_steps(steps):
    before = _library.take_registration()
    for number, (kind, argument, extra) in enumerate(steps, 1):
        load_steps.run(kind, argument, extra)
        after = _library.take_registration()
        first_line = argument.strip().split("\n")[0]
        report.fact(f"step {number} {kind} {first_line}", after.words_since(before))
        before = after


def _find_devices():
    """Finds the devices. Queries the guard first, because the hooks and the device module may be missing or wrong."""
    for who in ("guard", "hooks"):
        count = _library.count_of(who)
        if count is not None:
            return list(range(min(count, MOST_DEVICES)))
    return []


def _restore_settings():
    """Restores the defaults of torch and Python, because checks are written for them. If a target changes defaults, the
    facts of the run and a check of the suite autoload report the change. Without the restoration, checks of other
    clauses would fail as well."""
    torch.set_default_dtype(torch.float32)
    torch.set_anomaly_enabled(False)
    sys.setrecursionlimit(max(RECURSION_LIMIT, sys.getrecursionlimit()))


def load(setup):
    global _name, _devices
    for lock in load_steps.stale_locks(setup.steps):
        report.fact("stale build lock", f"{lock}: if loading hangs, remove it")
    before = torch_changes.take()
    _steps[:] = setup.steps
    _run_steps(setup.steps)
    for change in torch_changes.differences(before, torch_changes.take()):
        report.fact("torch was changed", change)
    _restore_settings()
    _name = setup.device_name or _library.backend_name()
    _devices = list(setup.devices) or _find_devices()
    if setup.adapter:
        _library.open_adapter(setup.adapter, _name, _devices)
    return _name, _devices


def _is_initialized():
    return getattr(getattr(torch, _name, None), "is_initialized", lambda: None)()


def _what_starts_nothing():
    """The sum of HN_MAY_... flags; see harness/host/target/process_state.h."""
    before = _is_initialized()
    may = _library.try_device(_devices)
    if _is_initialized() != before:
        return 0
    streams = _library.try_streams(_devices)
    return may if streams == MAY_STREAMS and _is_initialized() != before else may | streams


def _try_questions():
    """The state queries that jobs may use on the backend. A child process tries them first, because they may crash."""
    try:
        child = os.fork()
    except OSError:
        return 0
    if child == 0:
        signal.alarm(QUESTION_SECONDS)
        with contextlib.suppress(BaseException):
            os._exit(_what_starts_nothing())
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 0


def warm_up():
    """Copies one tensor to each device and back. Checks use the devices for which this copy works. If it works for
    none, checks use all devices. A failure is not reported here, because checks report it."""
    report.fact("state can be asked", _try_questions())
    indices = usable_devices.candidates(_library, _devices)
    usable, takes, refusal = usable_devices.find(torch, _library, _name, indices)
    report.fact("usable devices", " ".join(map(str, usable)))
    if takes:
        report.fact("takes", takes)
    if refusal:
        report.fact("warm-up", refusal)


def start():
    """Calls the device module's _lazy_init if it exists, as the first call of a program would. A native check then
    finds an initialised device. The checks of initialisation report an exception."""
    if hasattr(getattr(torch, _name, None), "_lazy_init"):
        with contextlib.suppress(Exception):
            torch.accelerator.current_device_index()


def begin_check(check):
    """Called in the job before its check. Starts the recording of means if the run requests it."""
    means.begin(check.scratch, _library, check.device_name)
    begin_case()
    _fallen_back.clear()


def begin_case():
    """Begins one case of a check with many cases. fallbacks_of_case() then covers this case."""
    if _library:
        _fallen_back.update(dict.fromkeys(fallbacks_of_case()))
        _library.bridge.bridge_fallback_watch()


def fallbacks_of_case():
    """Operators that fell back to the CPU since the case began, each once, in the order of first use."""
    return list(filter(None, _library.bridge.bridge_fallback_names().decode().split(", "))) if _library else []


def note_fallbacks():
    """Notes the fallbacks, because a wrong value may come from the CPU kernel instead of the backend."""
    begin_case()
    if _fallen_back:
        report.note("through the CPU fallback", ", ".join(_fallen_back))


def end_check():
    """Called before the job reports its end, for every kind of end."""
    if _library:
        _library.end_means()


def take_state(may):
    """Records the state before a check. `may` are the permitted queries of the backend."""
    if _library:
        _library.take_state(may, _devices)
        python_state.take()


def state_changes(may):
    """Sentences about the state that a check has changed and not restored."""
    return _library.state_changes(may, _devices) + python_state.changes() if _library else []


def run_native(check):
    if not _library.run_check(check.pointer):
        raise RuntimeError(f"no suite of this host has the check {check.id}")


def extension(name):
    return _library.extension(name) if _library else (None, None)


def hold_stream(stream, seconds):
    """Closes the target's gate on a torch.Stream. Returns an object that opens it again, or None if there is no gate."""
    return _library.hold_stream(stream.device_index, stream.stream_id, seconds)


def claim(capability):
    """The adapter's claim about a capability, or UNKNOWN without an adapter."""
    return _library.claim(capability)[0] if _library else report.UNKNOWN
