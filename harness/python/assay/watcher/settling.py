# SPDX-License-Identifier: BSD-3-Clause
"""Waits for the device after the later calls of a watched program, to show that a result depends on the order of work.

order.py runs the program again and moves the first of these calls. Called by mode.py. A call that returns views does
no work on the device, so it gets no number.
"""

import itertools

import torch
from assay.watcher import comparison, views as watch_views
from assay.watcher.place import Where, words_of_place

NEVER = 1 << 62
OUR_FRAMES = 4  # number of frames from alone() to the mode, which may be the outermost frame


class Settling:
    """Waits after call number `since` of each process and after all later calls. If `compares` is not set, the watch does nothing else, so that
    the program runs almost as without a watch."""

    def __init__(self, since=NEVER, compares=True):
        self.since, self.compares = since, compares
        self.restart()

    def restart(self):
        """A forked child counts its own calls."""
        self.numbers = itertools.count(1)

    def next(self, function):
        """The number of a call, or 0 for a call that does no work."""
        return 0 if watch_views.gives_views(function) else next(self.numbers)

    def after(self, watch, number, op, where):
        if number < self.since or watch.captures.under_way:
            return
        if number == self.since:
            watch.ledger.tell(settled=number, op=op, **words_of_place(where.line, where.ends, where.is_backward))
        wait_for_all(watch.device)

    def alone(self, watch, function, arguments, named):
        """Runs a call without comparing it."""
        is_ours = isinstance(function, torch._ops.OpOverload) and watch.concerns(comparison.flat((arguments, named)))
        number = self.next(function) if is_ours else 0
        if not number:
            return function(*arguments, **named)
        where = Where()
        where.find(watch.forwards, OUR_FRAMES)
        watch.forwards.remember(where.ours)
        watch.ledger.add(watch.ledger.slot(kind="settled"))
        result = function(*arguments, **named)
        self.after(watch, number, str(function), where)
        return result


def wait_for_all(device):
    """Waits for all devices and also for the current stream, because one of these waits may be what is broken."""
    for index in range(torch.accelerator.device_count()):
        torch.accelerator.synchronize(index)
    stream = getattr(torch.accelerator, "current_stream", None)
    if stream is not None and torch.accelerator.current_accelerator().type == device:
        stream().synchronize()
