# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.host.probe REQUEST ANSWER: examines a target in this separate, short-lived process.

REQUEST and ANSWER are JSON files. With {"inventory": true}, only files are listed, for the preflight. Otherwise the
target is loaded and its capabilities are probed. The answer is written after every step, so that a crash or a hang does
not lose the earlier results. If a probe ends the process, the next process skips that capability and continues with the
others. Nothing is parsed from stdout.
"""

import json
import os
import signal
import sys
import traceback

from assay.host import SAFE, usable_devices

PROBE_S = 20  # time limit of one probe
ENDED = "the process ended in this probe"
AUTOLOAD_S = 60  # time limit of a probe that imports torch


class Answer:
    """The answer so far, which is written to disk after each change."""

    def __init__(self, path):
        self.path, self.content = path, {}

    def put(self, **members):
        self.content.update(members)
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.content, file, indent=1)
        os.replace(self.path + ".new", self.path)


def sentence(error):
    """The first sentence of a message. The second sentence is left out, because torch lists every backend in it."""
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0].split('. ')[0]}"[:300]


def attempt(call):
    """Returns ("yes", "") or ("no", the refusal). A crash is detected by the parent process."""
    try:
        call()
        return "yes", "probed"
    except Exception as error:
        return "no", sentence(error)


class Facts:
    """Questions about the loaded target that probes may use."""

    def __init__(self, torch, library, name, devices):
        self.torch, self.library, self.name, self.devices = torch, library, name, devices
        self.device = torch.device(name, devices[0]) if devices else None
        self.module = getattr(torch, name, None)

    def tensor(self):
        return self.torch.ones(4).to(self.device)


def _count(devices):
    return "one usable device" if devices == 1 else f"{devices or 'no'} usable devices"


def tried(call):
    """A probe that calls `call` with the facts. The capability exists if the call is not refused."""
    return lambda facts: attempt(lambda: call(facts))


def tried_on_counting_allocator(call):
    def look(facts):
        if not facts.library.bridge.bridge_allocator_has_stats():
            return "no", "the allocator is not a c10::DeviceAllocator"
        return attempt(lambda: call(facts))

    return look


def several_devices(facts):
    return ("yes" if len(facts.devices) > 1 else "no"), _count(len(facts.devices))


def time_events(facts):
    first, last = (facts.torch.Event(facts.device, enable_timing=True) for _ in range(2))
    first.record()
    last.record()
    last.synchronize()
    first.elapsed_time(last)


def pinned_memory(facts):
    if not facts.library.bridge.bridge_host_registered():
        return "no", "no HostAllocator is registered"
    return attempt(lambda: facts.torch.ones(4).pin_memory())


def cast(facts):
    with facts.torch.autocast(facts.name, dtype=facts.module.get_amp_supported_dtype()[0]):
        pass


def bring_and_return(dtype):
    return tried(lambda facts: facts.torch.ones(2, dtype=getattr(facts.torch, dtype)).to(facts.device).cpu())


def methods_of_tensor(facts):
    there = hasattr(facts.torch.Tensor, facts.name)
    return ("yes" if there else "no"), f"Tensor.{facts.name} is {'' if there else 'not '}there"


def fallback_to_cpu(facts):
    there = facts.library.bridge.bridge_has_fallback(b"PrivateUse1")
    return ("yes" if there else "no"), "registered" if there else "no fallback at PrivateUse1"


def save_and_load(facts):
    import io

    file = io.BytesIO()
    facts.torch.save(facts.tensor(), file)
    file.seek(0)
    facts.torch.load(file)


def autoload(facts):
    """Tests autoloading in a new interpreter, because autoloading is disabled in all other processes."""
    import subprocess

    signal.alarm(2 * AUTOLOAD_S)
    code = "import torch; print('\\n' + torch._C._get_privateuse1_backend_name())"
    done = subprocess.run(
        [sys.executable, *SAFE, "-c", code],
        env={**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "1"},
        capture_output=True, text=True, timeout=AUTOLOAD_S, stdin=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        words = (done.stderr.strip().splitlines() or ["no words"])[-1]
        return "no", f"import torch fails with autoloading on: {words}"[:300]
    name = done.stdout.splitlines()[-1]
    if name != facts.name:
        return "no", f"import torch does not load {facts.name}"
    return "yes", "import torch alone loads it"


# {capability: function(facts) that returns (answer, evidence)}
PROBES = {
    "multi_device": several_devices,
    "device.capability": tried(lambda facts: facts.torch.accelerator.get_device_capability(facts.device)),
    "device.sync": tried(lambda facts: facts.torch.accelerator.synchronize(facts.device)),
    "streams": tried(lambda facts: facts.torch.Stream(facts.device)),
    "events": tried(lambda facts: facts.torch.Event(facts.device).record()),
    "events.timing": tried(time_events),
    "memory.stats": tried_on_counting_allocator(lambda facts: facts.torch.accelerator.memory_stats(facts.device)),
    "memory.info": tried_on_counting_allocator(lambda facts: facts.torch.accelerator.get_memory_info(facts.device)),
    "memory.pinned": pinned_memory,
    "rng": tried(lambda facts: facts.torch.Generator(facts.device)),
    "rng.offset": tried(lambda facts: facts.torch.Generator(facts.device).get_offset()),
    "amp": tried(cast),
    "fp64": bring_and_return("float64"),
    "complex": bring_and_return("complex64"),
    "methods": methods_of_tensor,
    "fallback": fallback_to_cpu,
    "serialization": tried(save_and_load),
    "autoload": autoload,
}


def describe_names(torch, name, devices):
    """Describes the name of the device with and without an index, because some backends omit the index."""
    found = {}
    for label, device in (("bare", name), ("explicit", f"{name}:{devices[0]}")):
        try:
            found[label] = str(torch.ones(1).to(device).device)
        except Exception as error:
            found[label] = sentence(error)
    return found


def describe_module(torch, name):
    module = getattr(torch, name, None)
    wanted = ("device_count", "is_available", "current_device", "set_device", "synchronize",
              "manual_seed_all", "_is_in_bad_fork", "get_rng_state", "device")
    if module is None:
        return {"kind": "absent", "lacks": list(wanted)}
    kind = "module" if type(module).__name__ == "module" else (
        "class" if isinstance(module, type) else f"instance of {type(module).__name__}")
    return {"kind": kind, "lacks": [word for word in wanted if not hasattr(module, word)]}


def count_of_module(module):
    """device_count() of the device module, or None if the call fails."""
    try:
        return int(module.device_count())
    except Exception:
        return None


def load(request, answer):
    """Loads the target as the Python host does, and records the registrations of each step in the answer."""
    import torch
    from assay.host import load_steps, target_library, torch_changes

    answer.put(torch={
        "version": torch.__version__,
        "git": torch.version.git_version,
        "path": os.path.dirname(torch.__file__),
    })
    library = target_library.open_library()
    changes, steps = torch_changes.take(), []
    before = library.take_registration()
    locks = load_steps.stale_locks(request["steps"])
    hint = f"; a build lock exists, remove it if no build is running: {', '.join(locks)}" if locks else ""
    for kind, argument, extra in request["steps"]:
        step = {"step": f"{kind} {argument.strip().splitlines()[0]}", "ok": False,
                "message": f"the process ended in this step{hint}", "registered": {}}
        steps.append(step)
        answer.put(steps=steps)
        had_module = set(vars(torch))
        try:
            load_steps.run(kind, argument, extra)
        except load_steps.StepError as error:
            step["message"] = str(error)
            answer.put(steps=steps)
            return None
        after = library.take_registration()
        step.update(ok=True, message=after.words_since(before), registered=after.added_since(before))
        if library.backend_name() in set(vars(torch)) - had_module:
            step["registered"]["device_module"] = True
        before = after
        answer.put(steps=steps)
    answer.put(changes=torch_changes.differences(changes, torch_changes.take()))
    return torch, library


def look(request, answer, known):
    """`known` has the capabilities that an earlier process has decided."""
    loaded = load(request, answer)
    if loaded is None:
        return
    torch, library = loaded
    name = request.get("device_name") or library.backend_name()
    counts = {who: library.count_of(who) for who in ("guard", "hooks")}
    counted = next((count for count in counts.values() if count is not None), 0)
    counts["module"] = count_of_module(getattr(torch, name, None))
    answer.put(device={"name": name, "count": counted, "counts": counts,
                       "module": describe_module(torch, name)})
    several = sorted({*range(min(counted, 4)), max(counted - 1, 0)}) if counted else []
    devices, refusal = request.get("devices"), ""
    if not devices:  # only the first and the last device are tried, because the count may be a constant
        indices = usable_devices.candidates(library, several)
        devices, takes, refusal = usable_devices.find(torch, library, name, indices)
        if takes:
            answer.content["device"]["takes"] = takes
    answer.content["device"]["usable"] = devices
    if not devices:
        answer.content["device"]["refusal"] = refusal
    if devices:
        answer.content["device"]["names"] = describe_names(torch, name, devices)
    if request.get("adapter"):
        library.open_adapter(request["adapter"], name, devices)
    facts, capabilities = Facts(torch, library, name, devices), {}
    answer.put(capabilities=capabilities)
    for capability, function in PROBES.items():
        if capability in known:
            capabilities[capability] = known[capability]
            continue
        claim = request.get("claims", {}).get(capability)
        if claim is None and request.get("adapter"):
            claim = ("no", "yes", None)[library.claim(capability)[0]]
        entry = {"claim": claim or "unknown", "probed": "crash", "evidence": ENDED}
        capabilities[capability] = entry
        answer.put()
        signal.alarm(PROBE_S)
        entry["probed"], entry["evidence"] = (
            function(facts) if devices else ("unknown", "no usable device"))
        signal.alarm(0)
    answer.put(complete=True)


def begin(request, answer, known):
    answer.put(
        schema="assay/probe/1",
        target=request["target"],
        preflight=request["preflight"],
        torch={},
        device={"name": "", "count": 0},
        steps=[],
        capabilities={},
        complete=False,
    )
    look(request, answer, known)


def in_a_child(call):
    """Wait status of a child that runs `call` and skips exit handlers, because checks test the exit handlers."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    status = 1
    try:
        call()
        status = 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def known_so_far(path):
    """The decided capabilities, and the capability whose probe ended the process, or None."""
    with open(path, encoding="utf-8") as file:
        capabilities = json.load(file)["capabilities"]
    ended = (name for name, entry in capabilities.items() if entry["evidence"] == ENDED)
    return capabilities, next(ended, None)


def how_it_ended(status):
    if not os.WIFSIGNALED(status):
        return f"the process exited with status {os.WEXITSTATUS(status)} in this probe"
    if os.WTERMSIG(status) == signal.SIGALRM:
        return f"this probe did not end within {PROBE_S} s"
    return f"the process died of {signal.Signals(os.WTERMSIG(status)).name} in this probe"


def survey(request, path):
    """Repeats the examination until a process completes or ends outside a probe. Returns its wait status."""
    known = {}
    while True:
        status = in_a_child(lambda: begin(request, Answer(path), known))
        known, suspect = known_so_far(path)
        if suspect is None:
            return status
        known[suspect]["evidence"] = how_it_ended(status)


def leave_as(status):
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


def main():
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    if not request.get("inventory"):
        leave_as(survey(request, sys.argv[2]))
    from assay.host import inventory

    Answer(sys.argv[2]).put(**inventory.take(request["steps"]))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
