# SPDX-License-Identifier: BSD-3-Clause
"""Device guard, hooks and device module: one current device, seen alike from every side."""

import threading
import unittest

import torch

fakedev = torch.fakedev
accelerator = torch.accelerator


class Device(unittest.TestCase):
    def setUp(self):
        accelerator.set_device_index(0)

    def test_all_sides_count_alike(self):
        self.assertEqual(fakedev.device_count(), accelerator.device_count())
        self.assertEqual(accelerator.current_accelerator(), torch.device("fakedev"))

    def test_switch_by_any_route_is_seen_by_all(self):
        for switch in (accelerator.set_device_index, fakedev.set_device,
                       torch._C._accelerator_hooks_set_current_device):
            for index in (1, 0):
                switch(index)
                self.assertEqual(index, accelerator.current_device_index())
                self.assertEqual(index, fakedev.current_device())
                self.assertEqual(index, torch._C._accelerator_hooks_get_current_device())

    def test_exchange_returns_previous(self):
        self.assertEqual(0, torch._C._accelerator_exchangeDevice(1))
        self.assertEqual(1, torch._C._accelerator_exchangeDevice(0))
        self.assertEqual(0, torch._C._accelerator_hooks_exchange_device(1))
        self.assertEqual(1, torch._C._accelerator_hooks_maybe_exchange_device(-1))

    def test_bad_index_raises_and_changes_nothing(self):
        count = accelerator.device_count()
        for call in (accelerator.set_device_index, accelerator.current_stream, fakedev.set_device,
                     accelerator.get_device_capability, accelerator.synchronize, torch.Stream,
                     accelerator.memory_stats, accelerator.get_memory_info,
                     fakedev.get_device_properties):
            fakedev.init()
            with self.subTest(call.__name__), self.assertRaises(RuntimeError):
                call(count)
            self.assertEqual(0, accelerator.current_device_index())

    def test_current_device_is_per_thread(self):
        seen = []

        def other():
            seen.append(accelerator.current_device_index())
            accelerator.set_device_index(1)

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        self.assertEqual([0], seen)
        self.assertEqual(0, accelerator.current_device_index())

    def test_device_index_restores(self):
        with self.assertRaises(KeyError), accelerator.device_index(1):
            self.assertEqual(1, accelerator.current_device_index())
            raise KeyError
        self.assertEqual(0, accelerator.current_device_index())

    def test_capability_names_dtypes(self):
        dtypes = accelerator.get_device_capability(1)["supported_dtypes"]
        self.assertIn(torch.float32, dtypes)
        self.assertNotIn(torch.qint8, dtypes)


class DeviceModule(unittest.TestCase):
    def setUp(self):
        fakedev.set_device(0)

    def test_context_manager_takes_every_form(self):
        for form in (1, "fakedev:1", torch.device("fakedev", 1)):
            with fakedev.device(form):
                self.assertEqual(1, fakedev.current_device())
            self.assertEqual(0, fakedev.current_device())

    def test_context_manager_minus_one_and_none_change_nothing(self):
        fakedev.set_device(1)
        for form in (-1, None, "fakedev"):
            with fakedev.device(form):
                self.assertEqual(1, fakedev.current_device())

    def test_context_manager_restores_after_error(self):
        with self.assertRaises(KeyError), fakedev.device(1):
            raise KeyError
        self.assertEqual(0, fakedev.current_device())

    def test_other_device_type_is_refused(self):
        for call in (fakedev.set_device, fakedev.device, fakedev.synchronize,
                     fakedev.current_stream):
            with self.subTest(call.__name__), self.assertRaises(ValueError):
                call("cpu")

    def test_device_of_follows_the_tensor(self):
        with fakedev.device_of(torch.UntypedStorage(4, device="fakedev:1")):
            self.assertEqual(1, fakedev.current_device())
        with fakedev.device_of(torch.ones(2)):
            self.assertEqual(0, fakedev.current_device())

    def test_properties_of_every_device(self):
        for index in range(fakedev.device_count()):
            properties = fakedev.get_device_properties(index)
            self.assertGreater(properties.total_memory, 0)
            self.assertEqual(properties.name, fakedev.get_device_name(index))
        self.assertTrue(fakedev.can_device_access_peer(0, 1))

    def test_names_that_core_looks_up(self):
        for name in ("Stream", "Event", "stream", "current_stream", "default_stream", "synchronize",
                     "_is_in_bad_fork", "manual_seed_all", "get_rng_state", "set_rng_state",
                     "get_amp_supported_dtype", "is_initialized", "_lazy_init", "_initialized",
                     "default_generators", "Generator", "random", "amp", "memory_stats"):
            self.assertTrue(hasattr(fakedev, name), name)
        self.assertFalse(hasattr(fakedev, "no_such_name"))


class Names(unittest.TestCase):
    def test_renamed_on_both_sides(self):
        self.assertEqual("fakedev", torch._C._get_privateuse1_backend_name())
        self.assertEqual("fakedev", torch.utils.backend_registration._privateuse1_backend_name)
        self.assertEqual("DeviceType.FAKEDEV", str(torch._C._autograd.DeviceType.PrivateUse1))

    def test_another_name_is_refused(self):
        torch.utils.rename_privateuse1_backend("fakedev")
        with self.assertRaisesRegex(RuntimeError, "fakedev"):
            torch.utils.rename_privateuse1_backend("other")

    def test_generated_methods(self):
        self.assertFalse(torch.ones(1).is_fakedev)
        self.assertTrue(hasattr(torch.nn.Module, "fakedev"))
        self.assertTrue(torch.UntypedStorage(4, device="fakedev").is_fakedev)


if __name__ == "__main__":
    unittest.main()
