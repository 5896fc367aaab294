# SPDX-License-Identifier: BSD-3-Clause
"""The rows of assay bench. Each row has a task, its timer, and the amount of work per call. Called by __main__.py."""

from dataclasses import dataclass

import torch

KIB, MIB = 1 << 10, 1 << 20
SIZES = {"4 KiB": 4 * KIB, "1 MiB": MIB, "64 MiB": 64 * MIB}
LATENCY, BANDWIDTH, THROUGHPUT = "latency_us", "bandwidth_gb_per_s", "throughput_gflop_per_s"
HOST, WAITED, DEVICE = "host", "waited", "device"


@dataclass
class Task:
    """`prepare` returns the call that is timed. `amount` is the number of bytes or operations per call; the rate is
    computed from `amount`."""

    name: str
    metric: str
    timer: str
    prepare: object
    amount: float = 0

    def value(self, seconds):
        return seconds * 1e6 if self.metric == LATENCY else self.amount / seconds / 1e9


def bytes_on(device, size, **given):
    return torch.zeros(size, dtype=torch.uint8, device=device, **given)


def launches(device):
    def fill():
        one = torch.zeros(1, device=device)
        return lambda: one.fill_(1.0)

    yield Task("launch of a kernel", LATENCY, HOST, fill)
    yield Task("kernel, until it is done", LATENCY, WAITED, fill)
    yield Task("wait for an idle device", LATENCY, HOST, lambda: lambda: torch.accelerator.synchronize(device))


def allocations(device):
    for name, size in SIZES.items():
        yield Task(f"allocate and free {name}", LATENCY, HOST,
                   lambda size=size: lambda: torch.empty(size, dtype=torch.uint8, device=device))


def copies(device):
    def copy(to, source, size, pinned=False):
        given = {"pin_memory": True} if pinned else {}
        first = bytes_on(source, size, **given if source == "cpu" else {})
        second = bytes_on(to, size, **given if to == "cpu" else {})
        return lambda: second.copy_(first, non_blocking=pinned)

    ways = (("to the device", device, "cpu"), ("to the host", "cpu", device), ("within the device", device, device))
    for way, to, source in ways:
        for name, size in SIZES.items():
            yield Task(f"copy {way}, {name}", BANDWIDTH, WAITED if "cpu" in (to, source) else DEVICE,
                       lambda to=to, source=source, size=size: copy(to, source, size), size)
            if "cpu" in (to, source):
                yield Task(f"copy {way}, {name}, pinned", BANDWIDTH, DEVICE,
                           lambda to=to, source=source, size=size: copy(to, source, size, pinned=True), size)


def queues(device):
    def record():
        event = torch.Event(device)
        return event.record

    def wait():
        event = torch.Event(device)
        event.record()
        stream = torch.accelerator.current_stream(device)
        return lambda: stream.wait_event(event)

    def switch():
        mine, other = torch.accelerator.current_stream(device), torch.Stream(device)

        def there_and_back():
            torch.accelerator.set_stream(other)
            torch.accelerator.set_stream(mine)

        return there_and_back

    yield Task("record an event", LATENCY, HOST, record)
    yield Task("let a stream wait for an event", LATENCY, HOST, wait)
    yield Task("make a stream", LATENCY, HOST, lambda: lambda: torch.Stream(device))
    yield Task("switch the stream and back", LATENCY, HOST, switch)


def operators(device):
    def with_tensors(call, *shapes):
        def prepare():
            tensors = [torch.rand(shape).to(device) for shape in shapes]
            return lambda: call(*tensors)

        return prepare

    count, bytes_of_one = MIB, 4
    yield Task("add, 1 Mi numbers", BANDWIDTH, DEVICE, with_tensors(torch.add, count, count), 3 * count * bytes_of_one)
    yield Task("relu, 1 Mi numbers", BANDWIDTH, DEVICE, with_tensors(torch.relu, count), 2 * count * bytes_of_one)
    yield Task("sum, 1 Mi numbers", BANDWIDTH, DEVICE, with_tensors(torch.sum, count), count * bytes_of_one)
    yield Task("softmax, 1024 rows of 1024", BANDWIDTH, DEVICE,
               with_tensors(lambda x: torch.softmax(x, 1), (1024, 1024)), 2 * count * bytes_of_one)
    for side in (128, 512):
        yield Task(f"matmul, {side}", THROUGHPUT, DEVICE, with_tensors(torch.matmul, (side, side), (side, side)), 2 * side**3)


def tasks(device):
    for part in (launches, allocations, copies, queues, operators):
        yield from part(device)
