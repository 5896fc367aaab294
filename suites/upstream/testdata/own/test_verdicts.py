# SPDX-License-Identifier: BSD-3-Clause
"""Every outcome that unittest has for a test."""

import unittest

import torch
from torch.testing._internal.common_device_type import (
    deviceCountAtLeast,
    dtypes,
    instantiate_device_type_tests,
    onlyCPU,
    onlyPRIVATEUSE1,
)
from torch.testing._internal.common_utils import TestCase, parametrize, run_tests, skipIfTorchDynamo

DTYPES = (torch.float32, torch.float64, torch.int64)


class TestWays(TestCase):
    def is_cpu(self, device):
        return torch.device(device).type == "cpu"

    def test_passes(self, device):
        pass

    @dtypes(*DTYPES)
    def test_fails(self, device, dtype):
        self.assertEqual(torch.tensor([1], dtype=dtype), torch.tensor([1 if self.is_cpu(device) else 2], dtype=dtype))

    @dtypes(*DTYPES)
    def test_raises(self, device, dtype):
        if not self.is_cpu(device):
            raise RuntimeError("the device is not what it was")

    @dtypes(*DTYPES)
    def test_is_refused(self, device, dtype):
        if not self.is_cpu(device):
            raise NotImplementedError("Could not run 'aten::frobnicate' with arguments from this backend")

    @dtypes(*DTYPES)
    def test_skips(self, device, dtype):
        raise unittest.SkipTest("not today")

    @unittest.skip("never")
    def test_is_skipped(self, device):
        self.fail()

    @onlyCPU
    def test_for_the_cpu(self, device):
        self.fail()

    @onlyPRIVATEUSE1
    def test_for_the_backend(self, device):
        self.assertFalse(self.is_cpu(device))

    @deviceCountAtLeast(2)
    def test_two_devices(self, devices):
        self.assertEqual(len(set(devices)), len(devices))

    @deviceCountAtLeast(40)
    def test_forty_devices(self, devices):
        self.fail()

    @unittest.expectedFailure
    def test_is_known_to_fail(self, device):
        self.fail("as everybody knows")

    @unittest.expectedFailure
    def test_passes_unexpectedly_here(self, device):
        if self.is_cpu(device):
            self.fail("only on the CPU")

    @unittest.expectedFailure
    def test_passes_unexpectedly_everywhere(self, device):
        pass

    @dtypes(*DTYPES)
    def test_fails_everywhere(self, device, dtype):
        self.assertEqual(1, 2)

    def test_raises_everywhere(self, device):
        torch.a_name_of_another_version()

    def test_fails_on_the_cpu_alone(self, device):
        self.assertFalse(self.is_cpu(device))

    def test_all_subtests_pass(self, device):
        for number in range(3):
            with self.subTest(number=number):
                self.assertLess(number, 3)

    def test_one_subtest_fails(self, device):
        for number in range(3):
            with self.subTest(number=number):
                self.assertTrue(number != 1 or self.is_cpu(device))

    def test_one_subtest_is_skipped(self, device):
        for number in range(3):
            with self.subTest(number=number):
                if number == 1:
                    self.skipTest("not this one")

    def test_all_subtests_are_skipped(self, device):
        for number in range(3):
            with self.subTest(number=number):
                self.skipTest("none of them")

    def test_one_subtest_is_refused(self, device):
        for number in range(3):
            with self.subTest(number=number):
                if number == 2 and not self.is_cpu(device):
                    raise NotImplementedError("Could not run 'aten::frobnicate' on it")

    def test_subtest_is_refused_and_another_fails(self, device):
        for number in range(3):
            with self.subTest(number=number):
                if number == 1 and not self.is_cpu(device):
                    raise NotImplementedError("Could not run 'aten::frobnicate' on it")
                self.assertTrue(number != 2 or self.is_cpu(device))

    def test_cleanup_fails(self, device):
        self.addCleanup(lambda: self.assertTrue(self.is_cpu(device)))

    @skipIfTorchDynamo("not a matter of compiling")
    @parametrize("wanted", ["a", "b", "c"])
    def test_letters(self, device, wanted):
        self.assertIn(wanted, "abc")


class TestAsksTheDevice(TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ones = torch.ones(3, device=cls.get_primary_device())

    @parametrize("factor", range(10))
    def test_uses_what_the_class_made(self, device, factor):
        self.assertEqual((self.ones * factor).sum().item(), 3 * factor)


class TestSetUpFails(TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if cls.device_type != "cpu":
            raise RuntimeError("the class cannot be set up")

    @parametrize("number", range(3))
    def test_never_begins(self, device, number):
        pass


class TestSetUpSkips(TestCase):
    @classmethod
    def setUpClass(cls):
        raise unittest.SkipTest("the class is not for today")

    @parametrize("number", range(3))
    def test_never_begins(self, device, number):
        self.fail()


class TestTearDownFails(TestCase):
    def tearDown(self):
        super().tearDown()
        self.assertEqual(self.device_type, "cpu")

    def test_is_followed_by_it(self, device):
        pass


for case in (TestWays, TestAsksTheDevice, TestSetUpFails, TestSetUpSkips, TestTearDownFails):
    instantiate_device_type_tests(case, globals())

if __name__ == "__main__":
    run_tests()
