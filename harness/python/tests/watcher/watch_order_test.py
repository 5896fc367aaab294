# SPDX-License-Identifier: BSD-3-Clause
"""Tests the search for the last call after which a watched program must wait, with runs that a table answers."""

import types
import unittest
from unittest import mock

from assay.watcher import order
from assay.watcher.settling import NEVER

CALLS = 40


class Runs:
    """A program that is right if it waits after one of the calls `first` to `last`, and in the runs of `lucky`."""

    def __init__(self, last=0, lucky=(), exits=lambda number: 0, prints=lambda number, is_right: b""):
        self.last, self.lucky, self.exits, self.prints, self.count, self.fails_with = last, lucky, exits, prints, 0, 1

    def run(self, since, compares):
        self.count += 1
        is_right = since <= self.last or self.count in self.lucky
        return types.SimpleNamespace(exit=self.exits(self.count) if is_right else self.fails_with, output=self.prints(self.count, is_right), calls=CALLS,
                                     wrong=[] if is_right else [30, 31], settled={"op": f"aten.{since}", "line": "a.py:1", "module": "", "backward": False})


class Order(unittest.TestCase):
    def test_last_call_after_which_the_program_must_wait_is_found(self):
        for last in (1, 2, 17, 29, 30):
            found = order.of_operator(Runs(last), {"number": 30, "op": "aten.mm", "line": "a.py:9"})
            self.assertEqual(found["op"], f"aten.{last}")
            self.assertLess(found["runs"], 10)
            self.assertEqual(order.of_program(Runs(last))["op"], f"aten.{last}")

    def test_run_that_is_right_by_chance_does_not_mislead(self):
        self.assertEqual(order.of_operator(Runs(5, lucky={3}), {"number": 30, "op": "aten.mm", "line": ""})["op"], "aten.5")

    def test_wrong_kernel_and_chance_are_not_the_order_of_work(self):
        first = {"number": 30, "op": "aten.mm", "line": ""}
        self.assertIsNone(order.of_operator(Runs(0), first))
        found = order.of_operator(Runs(NEVER), first)
        self.assertEqual((found["op"], "by time or chance" in found["words"]), ("", True))
        self.assertIn("in the same way", order.of_program(Runs(NEVER))["words"])
        with self.assertRaises(order.Unknown):
            order.of_program(Runs(NEVER, exits=lambda number: number % 2))

    def test_output_that_changes_from_run_to_run_decides_nothing(self):
        self.assertIn("in the same way", order.of_program(Runs(NEVER, prints=lambda number, _: b"%d" % number))["words"])

    def test_output_of_the_program_shows_what_its_status_does_not(self):
        runs = Runs(7, prints=lambda _, is_right: b"loss 1" if is_right else b"loss 2")
        runs.fails_with = 0
        found = order.of_program(runs)
        self.assertEqual((found["op"], "prints something else" in found["words"]), ("aten.7", True), found)

    def test_only_wrong_numbers_or_the_option_start_further_runs(self):
        document = {"first": None, "cut_off": False, "exit": 0}
        with mock.patch.object(order, "Runs", side_effect=AssertionError):
            self.assertIsNone(order.found(document, ["true"], {"order": None, "folder": "/nowhere"}, 1))
            self.assertIsNone(order.found({**document, "cut_off": True}, ["true"], {"order": "always", "folder": "/nowhere"}, 1))


if __name__ == "__main__":
    unittest.main()
