# SPDX-License-Identifier: BSD-3-Clause
"""Three training steps of two or four ranks on the device, compared with the same steps with gloo on the CPU."""

import unittest

import torch.distributed as dist
from suites.distributed.group_case import GroupCase, is_close
from suites.distributed.rank import ALL

CASE = "three steps on the device"


class Training(GroupCase):
    MODULE = "rank_training"

    def check(self, function, size=2):
        self.need_group()
        if not dist.is_gloo_available():
            self.does_not_apply("this torch was built without gloo, which computes the expected values")
        done = self.ask("in_both_places", function, size=size)
        for rank in done:
            if "alone" in rank.said:
                self.need_right_training(*rank.said["alone"])
        self.judge(done, {ALL: [[float(size)]] * size, CASE: lambda values: self.compare(done, values)})

    def compare(self, done, values):
        for rank, (seen, one) in enumerate(zip(values, done, strict=True)):
            for name, expected in one.said["expected"].items():
                what = f"{name} of rank {rank} after three steps equal those of gloo on the CPU"
                self.expect(is_close(seen[name], expected), what, f"got {str(seen[name])[:200]}, expected {str(expected)[:200]}")

    def test_ddp(self):
        """distributed.data_parallel_training_matches_gloo"""
        self.check("ddp")

    def test_ddp_options(self):
        """distributed.data_parallel_options_match_gloo"""
        self.check("ddp_options")

    def test_fsdp(self):
        """distributed.fully_sharded_training_matches_gloo"""
        self.check("fsdp")

    def test_hybrid(self):
        """distributed.hybrid_sharded_training_matches_gloo"""
        self.check("hybrid", size=4)

    def test_pipeline(self):
        """distributed.pipeline_training_matches_gloo"""
        self.check("pipeline")

    def test_dtensor(self):
        """distributed.sharded_tensors_match_gloo"""
        self.check("dtensor")

    def test_checkpoint(self):
        """distributed.sharded_checkpoint_loads_with_its_values"""
        self.check("checkpoint")


if __name__ == "__main__":
    unittest.main()
