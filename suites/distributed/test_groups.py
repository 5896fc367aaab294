# SPDX-License-Identifier: BSD-3-Clause
"""Groups of ranks: created by name, by device and for several devices; refused tensors; sub-groups; the end."""

import unittest

import torch.distributed as dist
from suites.distributed.group_case import GroupCase
from suites.distributed.rank import ALL
from suites.distributed.rank_groups import HAS_BACKENDS

SIZE = 2
TOTAL = [3.0, 4.0]  # the sums of the numbers of `total` in rank_groups.py
REFUSED = ["RuntimeError", "ValueError", "TypeError"]
ROUNDS = 3


class Groups(GroupCase):
    MODULE = "rank_groups"

    def test_by_name(self):
        """distributed.group_is_created_by_name"""
        name = self.need_group()
        done = self.ask("by_name")
        self.clause("DIST-006")
        self.judge(done, {"the group": [[name, rank, SIZE] for rank in range(SIZE)], "all_reduce": [TOTAL] * SIZE})
        if all(self.values_of(done, HAS_BACKENDS)):
            self.clause("DIST-009")
            self.judge(done, {"the name of the Backend object": [name] * SIZE})

    def test_default(self):
        """distributed.group_without_a_name_uses_the_registered_backend"""
        name = self.need_group()
        table = {one: [[name, TOTAL]] * SIZE for one in ("a group without a backend", "a group with device_id")}
        self.judge(self.ask("default"), table)

    def test_mixed(self):
        """distributed.mixed_group_chooses_the_backend_by_device"""
        name = self.need_group()
        self.need_gloo()
        self.judge(self.ask("mixed"), {
            "a tensor of the CPU": [[[3.0], "cpu"]] * SIZE,
            "a tensor of the device": [[[21.0], True]] * SIZE,
            "the backends by device": [["gloo", name]] * SIZE,
        })

    def need_gloo(self):
        if not dist.is_gloo_available():
            self.does_not_apply("this torch was built without gloo, which serves the CPU")

    def test_wrong_device(self):
        """distributed.tensor_of_another_device_is_refused_on_every_rank"""
        name = self.need_group()
        if "cpu" in dist.Backend.backend_capability[name]:
            self.does_not_apply(f"{name} is registered for the CPU too")
        done = self.ask("wrong_device")
        if not all(self.values_of(done, HAS_BACKENDS)):
            self.does_not_apply("the process group is a class of Python, which no Backend object restricts to a device")
        self.judge(done, {"all_reduce before": [TOTAL] * SIZE, "all_reduce after": [TOTAL] * SIZE})
        for name in (
            "all_reduce of a CPU tensor", "allreduce of the Backend with a CPU tensor",
            "broadcast of the Backend with a CPU tensor", "all_gather of a CPU tensor",
        ):
            self.expect_all_raised(done, name, REFUSED)

    def test_absence(self):
        """distributed.device_tensor_in_a_group_without_its_backend_is_refused"""
        if not dist.is_available() or not dist.is_gloo_available():
            self.does_not_apply("this torch was built without gloo")
        self.need_any_kind()
        done = self.start("without_backend", size=1)
        name = "all_gather of a device tensor"
        if "value" in done[0].cases.get(name, ()):  # a tensor subclass may give its host tensor to gloo
            self.expect_equal(done[0].cases[name]["value"], [1.0, 2.0], f"{name} raises or gives the right values")
        else:
            self.expect_all_raised(done, name, ["RuntimeError"], "No backend type associated with device type")
        self.judge(done, {"the device": [[1.0, 2.0]], "all_reduce of a CPU tensor": [[1.0, 1.0]]})

    def test_subgroups(self):
        """distributed.subgroups_are_independent"""
        self.judge(self.ask("subgroups"), {
            "the whole group": [TOTAL] * SIZE,
            "new_group": [1] * SIZE,
            "pairs of ranks in turn": [[3.0, 3.0]] * SIZE,
            "groups of one rank": [[5.0], [6.0]],
            "two groups with work under way": [[[3.0], [200.0]]] * SIZE,
            "a group after another one is destroyed": [TOTAL] * SIZE,
        })

    def test_numbered(self):
        """distributed.subgroups_number_their_ranks_in_order"""
        self.judge(self.ask("numbered", size=4), {
            ALL: [[4.0]] * 4,
            "new_subgroups": seen_within([[0, 1], [2, 3]]),
            "new_subgroups_by_enumeration": seen_within([[0, 2], [1, 3]]),
            "objects within a sub-group": [
                [[f"of rank {group[-1]}"], group, [{"rank": one} for one in group] if rank == group[-1] else None]
                for rank, group in enumerate(([0, 3], [1, 2], [1, 2], [0, 3]))
            ],
        })

    def test_split(self):
        """distributed.split_group_creates_the_groups_or_raises"""
        done = self.ask("split", size=3)
        self.judge_or_raised(done, "split_group", seen_within([[0, 2], [1]]), [*REFUSED, "NotImplementedError", "AttributeError"])
        self.judge(done, {ALL: [[3.0]] * 3, "the whole group after the split": [[6.0, 6.0]] * 3})

    def test_objects(self):
        """distributed.objects_reach_every_rank"""
        self.judge(self.ask("objects"), {
            "broadcast_object_list": [[{"a": 1}, "b" * 100]] * SIZE,
            "all_gather_object": [[[rank, 1 + 50 * rank] for rank in range(SIZE)]] * SIZE,
            "a tensor of the device in an object": [[True, [1.0, 2.0]]] * SIZE,
        })

    def test_again(self):
        """distributed.new_group_works_after_destroy"""
        table = {}
        for number in range(3):
            table[f"group {number + 1}"] = [[1.0 + 2 * number, 4.0]] * SIZE
            table[f"the end of group {number + 1}"] = [False] * SIZE
        self.judge(self.ask("again"), table)

    def test_exits(self):
        """distributed.rank_exits_normally_after_its_last_collective"""
        for number in range(ROUNDS):
            for is_destroyed in (True, False):
                done = self.ask("exits", is_destroyed, ends=True, share=1 / (ROUNDS * 3))
                self.judge(done, {"the last sum": [[2.0]] * SIZE})
                self.expect_exits(done, is_destroyed, number)

    def expect_exits(self, done, is_destroyed, number):
        how = "after destroy_process_group()" if is_destroyed else "without destroy_process_group()"
        for rank in done:
            good = rank.status == 0 and not rank.is_killed
            self.require(self.expect(good, f"a rank that ends {how} exits with status 0", f"{rank.how_it_ended()} (round {number + 1} of {ROUNDS})"))


def seen_within(groups):
    """The value of `within` in rank_groups.py on each rank, for groups that divide all ranks."""
    seen = {rank: [number, group, group[-1], sum(group)] for group in groups for number, rank in enumerate(group)}
    return [seen[rank] for rank in sorted(seen)]


if __name__ == "__main__":
    unittest.main()
