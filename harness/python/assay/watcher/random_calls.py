# SPDX-License-Identifier: BSD-3-Clause
"""Judges the random calls of a watched program: what follows exactly from the drawn numbers, and their distribution.

Called by mode.py. random_operators.py knows the distributions.
"""

import time

import torch
from assay.values.judge import roundings_of
from assay.watcher import comparison, random_operators


class RandomCalls:
    """`watch` is the Watch of the process."""

    def __init__(self, watch):
        self.watch, self.drawn = watch, {}

    def look(self, call, function, arguments, named, result):
        numbers = random_operators.numbers_of(function, result)
        if not isinstance(numbers, torch.Tensor) or numbers.device.type != self.watch.device or self.watch.left <= 0:
            return
        if numbers.numel() * numbers.element_size() > self.watch.most_bytes:
            return
        began = time.perf_counter_ns()
        words = self.exact(call.kind, function, arguments, result)
        if words is None:
            words = self.add(call, function, arguments, named, numbers)
        else:
            self.watch.ledger.add(call.kind.compared)
            self.watch.tell(call.words(), call.kind, None, words)
        self.watch.left -= time.perf_counter_ns() - began

    def exact(self, kind, function, arguments, result):
        """What is wrong in a result that the drawn numbers determine, or None if nothing is wrong or determined."""
        judge = EXACT.get(function._schema.name)
        return judge(arguments, result, self.watch.by_storage) if judge and (self.watch.everything or kind.is_chosen()) else None

    def add(self, call, function, arguments, named, numbers):
        """Collects the numbers, and judges them when there are enough."""
        drawn = self.drawn.setdefault((call.kind.op, numbers.dtype), random_operators.Drawn())
        form = None if drawn.is_enough() else random_operators.form_of(function, arguments, named)
        if form is None:
            return
        words = drawn.add(form, numbers)
        if words:
            drawn.calls += 1
        elif words is None:
            drawn.last = call.kind, call.words()
            words = drawn.verdict()
        if words is not None and words is not False:
            self.tell(drawn, call.kind, call.words(), words)

    def tell(self, drawn, kind, where, words):
        calls, ledger = drawn.take_calls(), self.watch.ledger
        ledger.add(kind.compared, times=calls)
        ledger.add(ledger.slot(kind="uncompared", op=kind.op, reason=kind.reason), times=-calls)
        if words:
            self.watch.tell(where, kind, None, words)

    def end(self):
        """Judges the operators that drew too few numbers for the first verdict."""
        for drawn in self.drawn.values():
            words = drawn.verdict_on_few()
            if words is not None:
                self.tell(drawn, *drawn.last, words)


def of_dropout(arguments, result, by_storage):
    """Dropout keeps each element times 1 / (1 - p), or writes 0, as its mask says."""
    p = arguments[1]
    if arguments[2] is False or not 0 < p < 1 or not arguments[0].is_floating_point():
        return None
    given, seen, mask = (one.double() for one in comparison.plain((arguments[0], *result), {}, None, by_storage))
    wanted = given * mask / (1 - p)
    info = torch.finfo(result[0].dtype)
    off = (seen - wanted).abs() > roundings_of(result[0].dtype, 1) * wanted.abs() + info.smallest_normal
    off &= given.isfinite() & (wanted.abs() < info.max)
    if not off.any():
        return None
    at = int(off.flatten().nonzero()[0])
    given, seen, wanted, mask = (one.flatten()[at].item() for one in (given, seen, wanted, mask))
    return f"element {at} is {seen:g}, expected {wanted:g}: the input is {given:g}, the mask {mask:g} and p {p:g}"


def of_permutation(_arguments, result, by_storage):
    numbers = comparison.plain(result, {}, None, by_storage)[0].double()
    return None if torch.equal(numbers.sort().values, torch.arange(len(numbers)).double()) else "the numbers are no permutation"


EXACT = {"aten::native_dropout": of_dropout, "aten::randperm": of_permutation}
