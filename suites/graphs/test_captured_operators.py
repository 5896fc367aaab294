# SPDX-License-Identifier: BSD-3-Clause
"""For each operator with a kernel of the backend, captures a call in a graph and replays the graph."""

import unittest

import torch
from assay.checks.asking import Many
from assay.refusals.behind_fallback import has_kernel
from suites.graphs.captured_calls import CALLS, DRAWN
from suites.graphs.captured_graphs import GraphCase

TURNS = 1, 2
NEAR = {"rtol": 1e-5, "atol": 1e-6}


def is_its_own(operator):
    """Returns whether the kernel was written for this operator. A boxed fallback that is registered for the operator
    has no unboxed form, and does not count."""
    if not has_kernel(operator):
        return False
    lines = torch._C._dispatch_dump(operator).split("\n")
    return any(line.startswith("PrivateUse1: ") and "unboxed" in line for line in lines)


def results_of(returned):
    return [returned] if isinstance(returned, torch.Tensor) else [one for one in returned if one is not None]


def words_of(error):
    """Returns the text of the first exception of a capture. The end of a failed capture raises a second exception."""
    while error.__context__ is not None:
        error = error.__context__
    return f"raised {type(error).__name__}: {error}".split("\n")[0]


class CapturedOperators(GraphCase):
    def test_kernels(self):
        """graphs.kernels_of_the_backend_can_be_captured"""
        self.graph()
        self.need_any_kind()
        many, left_out = Many(self), []
        for name, call in CALLS.items():
            self.ask(many, left_out, name, call, self.expect_replayed)
        for name, (call, could_be) in DRAWN.items():
            self.ask(many, left_out, name, call, lambda *replayed, could_be=could_be: self.expect_drawn(*replayed, could_be))
        if left_out:
            self.note("no kernel of its own", "; ".join(left_out))
        if not many.asked:
            self.does_not_apply("the backend has no kernel of its own for the operators of this check")
        many.conclude()

    def ask(self, many, left_out, name, call, judge):
        if not any(map(is_its_own, call.kernels.split())):
            left_out.append(name)
            return
        with many.one(name):
            given = [self.placed(one) for one in call.inputs]
            self.called(call, given)
            self.change(call, given, 0)
            what = f"{name}, for which the backend has a kernel, can be captured"
            graph = self.graph()
            try:
                replayed = results_of(self.captured(graph, lambda: call.call(*given)))
            except Exception as error:
                self.expect(False, what, words_of(error))
                return
            judge(name, call, given, graph, replayed)

    def placed(self, one):
        """An input in its first state."""
        numbers = one.numbers(0)
        with self.stream:
            return self.op("pin_memory", numbers.pin_memory) if one.pinned else self.on_device(numbers)

    def change(self, call, given, turn):
        self.stream.synchronize()
        with self.stream:
            for tensor, one in zip(given, call.inputs, strict=True):
                tensor.copy_(one.numbers(turn))
        self.stream.synchronize()

    def called(self, call, given):
        """Returns the results without a graph. Compiles and allocates, because a capture must do neither."""
        with self.stream:
            results = results_of(call.call(*given))
        return self.brought(results)

    def brought(self, results):
        self.stream.synchronize()
        with self.stream:
            return [self.on_cpu(one).clone() for one in results]

    def replay_with_others(self, call, given, graph, results, turn):
        """Overwrites the results, changes the inputs, and replays the graph."""
        with self.stream:
            for one in results:
                one.copy_(torch.ones(one.shape, dtype=one.dtype))
        self.change(call, given, turn)
        self.replay(graph)
        return self.brought(results)

    def expect_replayed(self, name, call, given, graph, results):
        for turn in TURNS:
            seen = self.replay_with_others(call, given, graph, results, turn)
            self.change(call, given, turn)
            what = f"replay() of a graph that captured {name} gives the result of the call for the current inputs"
            for one, expected in zip(seen, self.called(call, given), strict=True):
                self.expect_tensor(one, expected, what, **NEAR)

    def expect_drawn(self, name, call, given, graph, results, could_be):
        for turn in TURNS:
            (seen,) = self.replay_with_others(call, given, graph, results, turn)
            what = f"replay() of a graph that captured {name} gives numbers of the right range"
            self.expect_true(could_be(seen).all(), what, seen.tolist()[:4])


if __name__ == "__main__":
    unittest.main()
