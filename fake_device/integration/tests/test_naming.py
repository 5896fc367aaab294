# SPDX-License-Identifier: BSD-3-Clause
"""Device strings, generated methods, and what a process without any accelerator answers."""

import unittest

import torch

from in_child import output


class Strings(unittest.TestCase):
    def test_malformed_ones_are_refused(self):
        for text in ("fakedev:", "fakedev:-1", "fakedev:x", "fakedev:01", "fakedev1"):
            with self.subTest(text), self.assertRaisesRegex(RuntimeError, "Invalid device string"):
                torch.device(text)

    def test_unknown_type_names_the_known_ones(self):
        with self.assertRaisesRegex(RuntimeError, "Expected one of cpu.*privateuseone"):
            torch.device("fakedevice")

    def test_names_of_others_are_refused(self):
        self.assertEqual("6", output("""
            import torch
            refused = 0
            for name in ("cpu", "cuda", "hip", "mps", "xpu", "mtia"):
                try:
                    torch.utils.rename_privateuse1_backend(name)
                except RuntimeError:
                    refused += 1
            print(refused)
        """, TORCH_DEVICE_BACKEND_AUTOLOAD="0"))


class Recorder(torch.Tensor):
    """Notes which functions of torch are called on it."""

    seen = []

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        cls.seen.append((getattr(function, "__name__", str(function)), kwargs))
        return super().__torch_function__(function, types, args, kwargs or {})


class Methods(unittest.TestCase):
    def test_move_keeps_what_is_asked(self):
        x = torch.arange(24.0).reshape(1, 2, 3, 4)
        for index in (0, 1):
            y = x.fakedev(index, non_blocking=True, memory_format=torch.channels_last)
            self.assertEqual(f"fakedev:{index}", str(y.device))
            self.assertTrue(y.is_contiguous(memory_format=torch.channels_last))
            self.assertTrue(torch.equal(x, y.cpu()))
            self.assertIs(y, y.fakedev(index))

    def test_subclass_sees_them(self):
        Recorder.seen.clear()
        x = torch.ones(2).as_subclass(Recorder)
        y = x.fakedev(1)
        self.assertEqual((torch.device("fakedev:1"), Recorder), (y.device, type(y)))
        self.assertTrue(y.is_fakedev)
        names = " ".join(name for name, _ in Recorder.seen)
        self.assertIn("fakedev", names)
        self.assertTrue(all(not (kwargs or {}).get("non_blocking") for _, kwargs in Recorder.seen))


class NoAccelerator(unittest.TestCase):
    def test_questions_are_answered_and_the_rest_is_refused(self):
        self.assertEqual("False 0 None 3", output("""
            import torch
            calls = (torch.accelerator.current_device_index, torch.accelerator.current_stream,
                     torch.accelerator.synchronize)
            refused = 0
            for call in calls:
                try:
                    call()
                except RuntimeError as error:
                    refused += "Cannot access accelerator device when none is available" in str(error)
            print(torch.accelerator.is_available(), torch.accelerator.device_count(),
                  torch.accelerator.current_accelerator(), refused)
        """, TORCH_DEVICE_BACKEND_AUTOLOAD="0"))


if __name__ == "__main__":
    unittest.main()
