# SPDX-License-Identifier: BSD-3-Clause
"""Late errors, a lost device, side streams in backward, many threads at once."""

import threading
import unittest

import torch
from torch_fakedev import testing

accelerator = torch.accelerator


class LostDevice(unittest.TestCase):
    def test_error_names_the_loss_and_reset_heals(self):
        accelerator.set_device_index(0)
        x = torch.ones(4, device="fakedev:1")
        accelerator.synchronize(1)
        testing.lose(1)
        try:
            with self.assertRaisesRegex(torch.AcceleratorError, "DEVICE_LOST"):
                x + x
            self.assertEqual(0, accelerator.current_device_index())
            self.assertEqual([2.0], torch.full((1,), 2.0, device="fakedev:0").tolist())
        finally:
            testing.reset(1)
        self.assertEqual([2.0] * 4, (x + x).tolist())


class SideStreams(unittest.TestCase):
    def test_backward_under_a_side_stream_leaves_all_streams(self):
        for device in ("fakedev:0", "fakedev:1"):
            before = [accelerator.current_stream(i) for i in (0, 1)]
            side = torch.Stream(device)
            with side:
                x = torch.arange(4.0, device=device, requires_grad=True)
                (x * x).sum().backward()
            side.synchronize()
            self.assertEqual([0.0, 2.0, 4.0, 6.0], x.grad.tolist())
            self.assertEqual(before, [accelerator.current_stream(i) for i in (0, 1)])
            self.assertEqual(0, accelerator.current_device_index())

    def test_blocking_copy_waits_for_its_producer(self):
        side = torch.Stream("fakedev:1")
        with side:
            x = torch.ones(1 << 16, device="fakedev:1")
            for _ in range(10):
                x = x + 1
            host = x.cpu()
        self.assertEqual(11.0 * (1 << 16), host.sum().item())


class Threads(unittest.TestCase):
    def test_devices_streams_and_memory_from_many_threads(self):
        failures = []

        def work(index):
            try:
                accelerator.set_device_index(index)
                with torch.Stream(f"fakedev:{index}"):
                    for value in range(30):
                        x = torch.full((100,), float(value), device="fakedev") * 2
                        assert x.device.index == index
                        assert x.sum().item() == 200.0 * value
                assert accelerator.current_device_index() == index
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(i % 2,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], failures)
        self.assertEqual(0, accelerator.current_device_index())


if __name__ == "__main__":
    unittest.main()
