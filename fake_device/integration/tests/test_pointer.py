# SPDX-License-Identifier: BSD-3-Clause
"""A device pointer is not for the host: touching it dies, and nothing in PyTorch touches it."""

import signal
import unittest

import torch
import torch.utils.dlpack

from in_child import run


class HostAccess(unittest.TestCase):
    def test_dereference_dies_and_a_kernel_elsewhere_does_not_care(self):
        done = run("""
            import ctypes, os, threading, torch
            from torch_fakedev.testing import Gate
            x = torch.full((1 << 16,), 2.0, device="fakedev:0")
            y = torch.zeros(1, device="fakedev:1")
            stream = torch.Stream("fakedev:0")
            gate = Gate(stream)
            with stream:
                z = x * x
            torch.accelerator.synchronize(1)
            if os.fork() == 0:
                ctypes.c_float.from_address(y.data_ptr()).value
                os._exit(0)
            status = os.wait()[1]
            gate.destroy()
            stream.synchronize()
            assert z.sum().item() == 4.0 * (1 << 16)
            os.kill(os.getpid(), os.WTERMSIG(status))
        """)
        self.assertEqual(-signal.SIGSEGV, done.returncode, done.stderr)

    def test_dereference_in_the_process_that_owns_it_dies(self):
        done = run("""
            import ctypes, torch
            x = torch.ones(4, device="fakedev:1")
            torch.accelerator.synchronize()
            ctypes.c_float.from_address(x.data_ptr()).value
        """)
        self.assertEqual(-signal.SIGSEGV, done.returncode, done.stderr)


class NothingTouches(unittest.TestCase):
    def setUp(self):
        self.tensor = torch.arange(6.0, device="fakedev:1").reshape(2, 3)

    def test_printing(self):
        self.assertIn("device='fakedev:1'", repr(self.tensor))
        for thing in (self.tensor.t(), self.tensor[:0], self.tensor[0, 0], self.tensor > 2,
                      self.tensor.to(torch.complex64), self.tensor.bfloat16(),
                      torch.full((2,), float("nan"), device="fakedev:0"),
                      torch.zeros(2000, device="fakedev:0")):
            self.assertIn("fakedev", repr(thing))

    def test_leaving_for_python(self):
        self.assertEqual(5.0, self.tensor[1, 2].item())
        self.assertEqual([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], self.tensor.tolist())
        self.assertEqual(15.0, float(self.tensor.sum()))
        self.assertTrue(bool((self.tensor == self.tensor).all()))

    def test_fallback(self):
        self.assertTrue(torch.equal(torch.svd(self.tensor)[1].cpu(),
                                    torch.svd(self.tensor.cpu())[1]))

    def test_capsule(self):
        capsule = torch.utils.dlpack.to_dlpack(self.tensor)
        twin = torch.utils.dlpack.from_dlpack(capsule)
        self.assertEqual((self.tensor.data_ptr(), torch.device("fakedev", 1)),
                         (twin.data_ptr(), twin.device))
        twin.fill_(9)
        self.assertEqual([9.0] * 6, self.tensor.flatten().tolist())
        with self.assertRaises(RuntimeError):
            twin.untyped_storage().resize_(1000)


if __name__ == "__main__":
    unittest.main()
