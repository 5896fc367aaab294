# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.bench REQUEST: measures the first device of the target and prints the times without a judgement.

REQUEST is JSON with the target's name, its load steps and the options of assay bench. The exit status is 0, or 65 if
the target cannot be loaded or has no device.
"""

import datetime
import json
import os
import statistics
import sys

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # only the load steps may load a backend

import torch  # noqa: E402
from assay import files
from assay.bench import tasks as bench_tasks, timers as bench_timers
from assay.bench.compare import UNITS, interval
from assay.command import Refused, serve
from assay.host import load_steps

USUAL_MILLISECONDS = 200  # per row


def load(steps):
    for kind, argument, extra in steps:
        load_steps.run(kind, argument, extra)
    if torch.accelerator.device_count() == 0:
        raise Refused("the target has no device to time")
    return torch.device(torch._C._get_privateuse1_backend_name(), 0)


def timers_of(device):
    """Returns the timers by the kind that a task names. If events are not used, also returns the reason."""
    one = torch.zeros(1, device=device)
    on_device, reason = bench_timers.choose(device, lambda: one.fill_(1.0))
    clock = bench_timers.Clock(device)
    return {bench_tasks.HOST: bench_timers.HostClock(device), bench_tasks.WAITED: clock,
            bench_tasks.DEVICE: on_device}, reason


def measure(task, timer, seconds):
    """Returns the samples, the number of calls in each, and the backend's message if it does not support the task."""
    try:
        samples, calls = bench_timers.sample(timer, task.prepare(), seconds)
    except Exception as error:  # a backend may raise anything here
        return [], 0, (str(error) or type(error).__name__).splitlines()[0]
    return [task.value(sample) for sample in samples], calls, ""


def record(task, values, extra, target):
    """Returns a record of PyTorch's benchmark schema. A task that the backend does not support gets no record."""
    return {
        "benchmark": {"name": "assay", "mode": "bench", "dtype": "", "extra_info": extra},
        "model": {"name": task.name, "type": "device", "backend": target},
        "metric": {"name": task.metric, "benchmark_values": values},
        "dependencies": {"torch": {"repo": "pytorch/pytorch", "branch": "", "sha": torch.version.git_version or "",
                                   "version": torch.__version__}},
    }  # fmt: skip


def line(task, values, timer, refusal):
    if refusal:
        return f"{task.name:36} not offered: {refusal[:100]}"
    low, high = interval(values, doubt=0.05)
    return f"{task.name:36} {statistics.median(values):10.4g} {UNITS[task.metric]:8} ({low:.4g} to {high:.4g})  {len(values)} by {timer}"


def run(request):
    device = load(request["steps"])
    timers, reason = timers_of(device)
    seconds = (request["milliseconds"] or USUAL_MILLISECONDS) / 1e3
    wants_json = request["format"] == "json"
    if reason:
        print(f"assay: {reason}; the clock is used", file=sys.stderr)
    date = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    records = []
    for task in bench_tasks.tasks(device):
        timer = timers[task.timer]
        values, calls, refusal = measure(task, timer, seconds)
        if not refusal:
            extra = {"timer": timer.name, "calls": str(calls), "device": str(device), "date": date}
            records.append(record(task, values, extra, request["target"]))
        if not wants_json:
            print(line(task, values, timer.name, refusal), flush=True)
    text = json.dumps(records, indent=1) + "\n"
    if request["output"]:
        files.write(request["output"], [text.encode()])
    elif wants_json:
        print(text, end="")
    return 0


def main(arguments):
    try:
        return run(json.loads(arguments[0]))
    except (load_steps.StepError, ImportError) as error:
        raise Refused(error) from None


if __name__ == "__main__":
    serve(main, list)
