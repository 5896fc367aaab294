# SPDX-License-Identifier: BSD-3-Clause
"""Device allocator, its statistics, and storage."""

import gc
import threading
import unittest

import torch

accelerator = torch.accelerator


def storage(size, device="fakedev:0"):
    return torch.UntypedStorage(size, device=device)


class Allocator(unittest.TestCase):
    def setUp(self):
        accelerator.set_device_index(0)
        torch.fakedev.init()
        gc.collect()

    def test_zero_bytes_are_null_with_a_device(self):
        empty = storage(0, "fakedev:1")
        self.assertEqual((0, 0, 1), (empty.data_ptr(), empty.nbytes(), empty.device.index))

    def test_memory_is_on_the_device_asked(self):
        before = [accelerator.memory_allocated(i) for i in (0, 1)]
        block = storage(1 << 20, "fakedev:1")
        self.assertEqual(before[0], accelerator.memory_allocated(0))
        self.assertGreaterEqual(accelerator.memory_allocated(1), before[1] + (1 << 20))
        del block
        self.assertEqual(before[1], accelerator.memory_allocated(1))

    def test_statistics_have_every_key(self):
        stats = accelerator.memory_stats(1)
        self.assertEqual(122, len(stats))
        self.assertTrue(all(isinstance(v, int) and v >= 0 for v in stats.values()))
        self.assertEqual(sorted(stats), list(stats))

    def test_peak_and_accumulated_reset(self):
        keep = storage(4096)
        storage(1 << 20)
        self.assertGreater(accelerator.max_memory_allocated(0), accelerator.memory_allocated(0))
        accelerator.reset_peak_memory_stats(0)
        self.assertEqual(accelerator.max_memory_allocated(0), accelerator.memory_allocated(0))
        accelerator.reset_accumulated_memory_stats(0)
        self.assertEqual(0, accelerator.memory_stats(0)["allocation.all.allocated"])
        self.assertEqual(4096, keep.nbytes())

    def test_out_of_memory_is_its_own_error_and_leaves_no_trace(self):
        before = accelerator.memory_stats(0)
        with self.assertRaises(torch.OutOfMemoryError):
            storage(1 << 50)
        after = accelerator.memory_stats(0)
        self.assertEqual(before["num_ooms"] + 1, after["num_ooms"])
        self.assertEqual(before["allocated_bytes.all.current"],
                         after["allocated_bytes.all.current"])
        self.assertEqual(16, storage(16).nbytes())

    def test_freed_on_another_thread_and_device(self):
        before = accelerator.memory_allocated(1)
        blocks = [storage(512, "fakedev:1") for _ in range(100)]
        seen = []

        def drop():
            blocks.clear()
            seen.append(accelerator.current_device_index())

        thread = threading.Thread(target=drop)
        thread.start()
        thread.join()
        self.assertEqual([0], seen)
        self.assertEqual(before, accelerator.memory_allocated(1))

    def test_empty_cache_keeps_live_blocks(self):
        kept = storage(1 << 16)
        storage(1 << 22)
        reserved = accelerator.memory_reserved(0)
        accelerator.empty_cache()
        accelerator.empty_cache()
        self.assertLessEqual(accelerator.memory_reserved(0), reserved)
        self.assertEqual(1 << 16, kept.nbytes())

    def test_memory_info(self):
        for index in (0, 1):
            free, total = accelerator.get_memory_info(index)
            self.assertTrue(0 <= free <= total and total > 0)


class Storage(unittest.TestCase):
    def setUp(self):
        accelerator.set_device_index(0)

    def filled(self, count, device="fakedev:1"):
        block = storage(count, device)
        block.copy_(torch.arange(count, dtype=torch.uint8).untyped_storage())
        return block

    def test_resize_keeps_content_and_device(self):
        block = self.filled(100)
        block.resize_(5000)
        self.assertEqual(("fakedev:1", 5000), (str(block.device), block.nbytes()))
        self.assertEqual(list(range(100)), block.cpu().tolist()[:100])
        block.resize_(0)
        self.assertEqual((0, 0), (block.data_ptr(), block.nbytes()))
        block.resize_(10)
        self.assertEqual(10, block.nbytes())

    def test_impossible_size_changes_nothing(self):
        block = self.filled(100)
        for size in (-1, 1 << 50):
            with self.assertRaises(RuntimeError):
                block.resize_(size)
            self.assertEqual(list(range(100)), block.cpu().tolist())

    def test_copies_are_exact(self):
        near = self.filled(77, "fakedev:0")
        far = storage(77, "fakedev:1")
        far.copy_(near)
        self.assertEqual(list(range(77)), far.cpu().tolist())
        self.assertEqual(list(range(77)), far.clone().cpu().tolist())
        self.assertEqual("fakedev:0", str(far.to(device="fakedev:0").device))
        with self.assertRaises(RuntimeError):
            far.copy_(storage(78))

    def test_share_memory_is_nothing_to_do(self):
        block = self.filled(8)
        self.assertIs(block, block.share_memory_())
        self.assertTrue(block.is_shared())


if __name__ == "__main__":
    unittest.main()
