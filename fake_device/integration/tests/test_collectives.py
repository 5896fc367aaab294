# SPDX-License-Identifier: BSD-3-Clause
"""Collectives of two ranks on device tensors. The program with both ranks runs once, and each test examines one step.
"""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.run import determine_local_world_size

from in_child import output

DEADLINE = 240


class Registration(unittest.TestCase):
    def test_backend_of_the_device(self):
        self.assertEqual("fakedist", dist.get_default_backend_for_device("fakedev"))
        self.assertEqual("fakedist", dist.get_default_backend_for_device(torch.device("fakedev:1")))
        self.assertIn("fakedist", dist.Backend.backend_list)
        self.assertEqual(["fakedev"], dist.Backend.backend_capability["fakedist"])


    def test_factory_with_options_gets_them_all(self):
        self.assertEqual("[] 1 [0] fakedev", output("""
            import tempfile, torch, torch.distributed as dist
            names = ("store", "group_rank", "group_size", "timeout", "group_id",
                     "global_ranks_in_group")
            def create(options, group_options):
                global seen, missing
                seen, missing = options, [name for name in names if not hasattr(options, name)]
                return dist.ProcessGroupGloo(options.store, options.group_rank,
                                             options.group_size, options.timeout)
            dist.Backend.register_backend("wide", create, extended_api=True, devices=["fakedev"])
            with tempfile.TemporaryDirectory() as folder:
                dist.init_process_group("fakedev:wide", init_method=f"file://{folder}/store",
                                        rank=0, world_size=1)
                dist.distributed_c10d._get_default_group()._get_backend(torch.device("fakedev"))
                print(missing, seen.group_size, list(seen.global_ranks_in_group) or [0],
                      torch.accelerator.current_accelerator().type)
                dist.destroy_process_group()
        """, GLOO_SOCKET_IFNAME="lo"))

    def test_launcher_counts_devices(self):
        count = torch.fakedev.device_count()
        for text in ("fakedev", "auto"):
            self.assertEqual(count, determine_local_world_size(text))

    def test_operators_of_sharding_work_on_the_device(self):
        importlib.import_module("torch.distributed.fsdp._fully_shard._fsdp_collectives")
        for name in ("all_gather_copy_in", "split_with_sizes_copy", "chunk_cat"):
            self.assertTrue(torch._C._dispatch_has_kernel_for_dispatch_key(f"fsdp::{name}", "PrivateUse1"), name)
        for device in ("fakedev:0", "fakedev:1"):
            x = torch.arange(4.0, device=device)
            out = torch.zeros(2, 2, device=device)
            torch.ops.fsdp.chunk_cat([x], 0, 2, out=out)
            self.assertEqual([[0, 1], [2, 3]], out.tolist())
            parts = [torch.zeros(1, device=device), torch.zeros(3, device=device)]
            torch.ops.fsdp.split_with_sizes_copy(x, [1, 3], 0, out=parts)
            self.assertEqual([[0], [1, 2, 3]], [part.tolist() for part in parts])


class TwoRanks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, Path(__file__).with_name("two_ranks.py"), folder],
                env={**os.environ, "GLOO_SOCKET_IFNAME": "lo"}, capture_output=True, text=True,
                timeout=DEADLINE, check=False)
        if done.returncode != 0:
            raise AssertionError(f"exit status {done.returncode}\n{done.stderr}")
        cls.seen = json.loads(done.stdout)

    def check(self, step, first, second=None):
        self.assertEqual([first, first if second is None else second], self.seen[step])

    def test_no_step_raised(self):
        raised = [text for both in self.seen.values() for text in both
                  if isinstance(text, str) and text.startswith("raised")]
        self.assertEqual([], raised)
        self.check("exit", 0)

    def test_group_knows_its_backend(self):
        for both in (self.seen["identity_0"], self.seen["identity_1"]):
            for rank, seen in enumerate(both):
                self.assertEqual(["fakedist", rank, 2], [seen[1], seen[3], seen[4]])
        self.assertEqual("fakedist", self.seen["identity_1"][0][0])

    def test_all_reduce(self):
        for rank in (0, 1):
            self.assertEqual(
                {"SUM": [[5, 9], f"fakedev:{rank}"], "PRODUCT": [[6, 20], f"fakedev:{rank}"],
                 "MIN": [[2, 4], f"fakedev:{rank}"], "MAX": [[3, 5], f"fakedev:{rank}"]},
                self.seen["all_reduce_1"][rank])

    def test_all_reduce_of_bits_of_floats_is_refused(self):
        self.assertIn(self.seen["all_reduce_refused_1"][0], ("RuntimeError", "ValueError"))

    def test_all_reduce_writes_through_strides(self):
        self.check("all_reduce_strided_1", [[2, 2], [6, 4]])

    def test_all_reduce_takes_what_the_stream_still_computes(self):
        self.check("all_reduce_pending_1", [40, 40])

    def test_broadcast_and_reduce_from_each_root(self):
        self.check("each_root_1", [[10, 3], [11, 1]], [[10, 2], [11, 3]])

    def test_gathered_by_rank(self):
        self.check("gathered_1", [[[0, 10], [1, 11]], [0, 10, 1, 11]])

    def test_each_rank_gets_its_chunk(self):
        self.check("reduce_scattered_1", [[3], [2, 4]], [[21], [6, 9]])

    def test_gather_and_scatter(self):
        self.check("gather_scatter_1", [None, 3], [[7, 8], 4])

    def test_all_to_all(self):
        self.check("all_to_all_1", [0, 10], [1, 2, 11, 12])
        self.check("all_to_all_lists_1", "Backend fakedist does not support alltoall")

    def test_send_and_receive(self):
        self.assertEqual([None, [1, 2]], self.seen["tags_1"])
        self.assertEqual([None, [0, 5]], self.seen["any_source_1"])

    def test_work_and_future(self):
        self.check("async_1", [3, True, True, True])

    def test_tensor_of_another_device_is_refused(self):
        self.check("wrong_tensor_1", "fakedist: expected a tensor on fakedev, got one on cpu")

    def test_mixed_group_routes_by_device(self):
        self.check("routes_by_device_2", [2, 2, "fakedev:0"], [2, 2, "fakedev:1"])

    def test_barrier(self):
        self.check("barrier_1", True)

    def test_subgroup_and_mesh(self):
        self.check("subgroup_1", 2)
        self.check("mesh_1", [0, 2], [1, 2])

    def test_data_parallel(self):
        (first_sum, first_grad), (second_sum, second_grad) = self.seen["ddp_1"]
        self.assertEqual(first_sum, second_sum)
        self.assertEqual(first_grad, second_grad)
        self.assertEqual([[6, 6, 6], [6, 6, 6]], first_grad)

    def test_functional_and_objects(self):
        self.check("functional_1", [3])
        self.check("object_1", [{"a": 1}, "b"])


if __name__ == "__main__":
    unittest.main()
