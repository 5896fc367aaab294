# SPDX-License-Identifier: BSD-3-Clause
"""Tests a failed program under a watch: the report names the first wrong operator with its line, or another cause."""

import os
import unittest
from pathlib import Path

os.environ.update(TORCH_DEVICE_BACKEND_AUTOLOAD="0", FAKEDEV_FAULT="kernel.matmul_ignores_beta")

import torch  # noqa: E402
import torch_fakedev_faulty  # noqa: E402, F401
from assay.programs import judge as program_judge, second_look as program_second_look
from assay.programs.run import Run, finished


def program(place):
    model = place.model(lambda: torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh()))
    place.see("the result", model(place.numbers(2, 3)))  # forward


class SecondLook(program_judge.ProgramCase):
    seconds_left = 1000

    def setUp(self):
        self.notes = {}

    def expect(self, holds, what, seen):
        return holds

    def note(self, key, value):
        self.notes[key] = value

    def run_of(self, dtype, device="cpu"):
        return finished(program, Run(device, dtype))[0].seen

    def test_wrong_operator_is_named_with_its_line_and_module(self):
        self.assertFalse(self.judge(program))
        line = next(number for number, text in enumerate(Path(__file__).read_text().splitlines(), 1) if "# forward" in text)
        self.assertRegex(self.notes["under watch"],
                         rf"^aten.addmm.default is the first wrong operator, at .*_test.py:{line} in Sequential.0: element ")
        self.assertNotIn("ASSAY_WATCH", os.environ)

    def test_check_that_has_no_time_left_says_so(self):
        self.seconds_left = 1
        self.judge(program)
        self.assertIn("too little time", self.notes["under watch"])

    def test_identity_is_told_without_a_watch(self):
        def moved(place):
            place.see("the identity of parameters after Module.to", [] if place.device.type == "cpu" else ["weight"])

        self.seconds_left = 1
        self.judge(moved)
        self.assertIn("torch._has_compatible_shallow_copy_type(cpu, device) is False", self.notes["under watch"])

    def test_what_is_no_operator_s_is_told_by_what_differs(self):
        document = {"uncompared": []}
        for words, wanted in ((None, "order or memory"), ("the loss of step 1: element 0 is 1", "memory"),
                              ("missing gradients of step 1: ['a'], expected []", "missing gradients"),
                              ("parameters that are shared after Module.to: []", "sharing"),
                              ("the identity of parameters after Module.to: ['a']", "identity")):
            self.assertTrue(program_second_look.of_the_rest(document, words).startswith(wanted + ":"), words)
        unseen = {"uncompared": [{"reason": "a class of its own", "calls": 16}]}
        self.assertRegex(program_second_look.of_the_rest(unseen, "the loss of step 1: 1"), "^unknown: .*not compared: 16 calls, a class of its own")
        document["uncompared"].append({"reason": "nobody has written its memory", "calls": 5})
        self.assertTrue(program_second_look.of_the_rest(document, "the loss of step 1: element 0 is 1").startswith("memory:"))
        document["uncompared"].append({"reason": "it draws random numbers", "calls": 3})
        self.assertIn("3 calls drew", program_second_look.of_the_rest(document, "the loss of step 1: element 0 is 1"))


if __name__ == "__main__":
    unittest.main()
