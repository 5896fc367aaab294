# SPDX-License-Identifier: BSD-3-Clause
"""Pinned host memory: held, found again, and not reused while a copy reads it."""

import threading
import unittest

import torch
from torch.utils.data import DataLoader
from torch_fakedev.testing import Gate

from in_child import output


class Pinned(unittest.TestCase):
    def test_pin_memory_copies_and_is_recognised(self):
        source = torch.arange(12.0).reshape(3, 4).t()
        pinned = source.pin_memory()
        self.assertTrue(torch.equal(source, pinned))
        self.assertEqual(source.stride(), pinned.stride())
        self.assertTrue(pinned.is_pinned() and pinned[2:, 1:].is_pinned())
        self.assertFalse(source.is_pinned() or torch.empty(0).is_pinned())
        self.assertIs(pinned, pinned.pin_memory())

    def test_factory_and_storage(self):
        self.assertTrue(torch.empty(5, pin_memory=True).is_pinned())
        block = torch.arange(5).untyped_storage()
        self.assertTrue(block.pin_memory().is_pinned())
        self.assertFalse(block.is_pinned())

    def test_freed_block_is_not_pinned(self):
        address = torch.empty(1000, pin_memory=True).data_ptr()
        view = torch.frombuffer(bytearray(8), dtype=torch.uint8)
        self.assertFalse(view.is_pinned())
        again = torch.empty(1000, pin_memory=True)
        self.assertEqual(address, again.data_ptr(), "the cache gives the block again")

    def test_block_is_not_reused_while_a_copy_reads_it(self):
        stream = torch.Stream("fakedev:0")
        pinned = torch.full((1000,), 7.0).pin_memory()
        address = pinned.data_ptr()
        with Gate(stream), stream:
            device = pinned.to("fakedev:0", non_blocking=True)
            del pinned
            other = torch.zeros(1000, pin_memory=True)
            self.assertNotEqual(address, other.data_ptr())
        stream.synchronize()
        self.assertEqual(7000.0, device.cpu().sum().item())

    def test_freed_on_another_thread(self):
        blocks = [torch.empty(10, pin_memory=True)]
        thread = threading.Thread(target=blocks.clear)
        thread.start()
        thread.join()
        self.assertTrue(torch.empty(10, pin_memory=True).is_pinned())

    def test_empty_host_cache(self):
        torch.fakedev.init()
        kept = torch.ones(10).pin_memory()
        torch.accelerator.empty_host_cache()
        self.assertEqual(10, kept.sum().item())

    def test_loader_pins_with_another_device_current(self):
        torch.accelerator.set_device_index(1)
        try:
            loader = DataLoader(list(range(8)), batch_size=4, pin_memory=True)
            self.assertTrue(all(batch.is_pinned() for batch in loader))
            self.assertEqual(1, torch.accelerator.current_device_index())
        finally:
            torch.accelerator.set_device_index(0)

    def test_loader_pins_from_workers(self):
        code = """
            import torch
            from torch.utils.data import DataLoader
            loader = DataLoader(list(range(8)), batch_size=4, pin_memory=True, num_workers=2,
                                timeout=60)
            print([(batch.tolist(), batch.is_pinned()) for batch in loader])
        """
        self.assertEqual("[([0, 1, 2, 3], True), ([4, 5, 6, 7], True)]", output(code))

    def test_nothing_is_pinned_before_first_use(self):
        code = """
            import torch
            print(torch.ones(2).is_pinned(), torch.fakedev.is_initialized())
            torch.accelerator.empty_host_cache()
        """
        self.assertEqual("False False", output(code))


if __name__ == "__main__":
    unittest.main()
