# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch's own device test machinery finds the device, and samples of its operators agree."""

import importlib.util
import sys
import types
import unittest

import torch

if importlib.util.find_spec("expecttest") is None:
    # PyTorch's test machinery imports it for a base class and nothing that is used here.
    sys.modules["expecttest"] = types.SimpleNamespace(TestCase=unittest.TestCase)

from torch.testing._internal import common_device_type as device_type
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_utils import noncontiguous_like

DEVICES = ("fakedev:0", "fakedev:1")
# One of each kind: elementwise, reduction, product, view, index, in place.
NAMES = ("add", "relu", "exp", "where", "sum", "mm", "transpose", "conj", "index_select", "cat",
         "clamp", "cumsum")
CHOSEN = [info for info in op_db if info.aten_name in NAMES and not info.variant_test_name]


def moved(value, device):
    if isinstance(value, torch.Tensor):
        return value.detach().to(device)
    if isinstance(value, (tuple, list)):
        return type(value)(moved(item, device) for item in value)
    return value


def samples(info, dtype=torch.float32, limit=6):
    found = info.sample_inputs("cpu", dtype, requires_grad=False)
    return [sample for _, sample in zip(range(limit), found)]


def on(sample, device):
    keywords = {name: moved(value, device) for name, value in sample.kwargs.items()}
    return moved(sample.input, device), moved(tuple(sample.args), device), keywords


class Operators(unittest.TestCase):
    where = "here"

    def each(self, devices=DEVICES):
        self.assertEqual(len(NAMES), len(CHOSEN))
        for info in CHOSEN:
            for sample in samples(info):
                for device in devices:
                    self.where = f"{info.name} on {device}"
                    yield info, sample, device

    def same(self, host, device):
        torch.testing.assert_close(moved(device, "cpu"), host, equal_nan=True,
                                   msg=lambda text: f"{self.where}: {text}")

    def test_results_of_another_than_the_current_device(self):
        for info, sample, device in self.each():
            x, arguments, keywords = on(sample, device)
            result = info(x, *arguments, **keywords)
            self.same(info(sample.input, *sample.args, **sample.kwargs), result)
            self.assertEqual(torch.device(device), result.device)

    def test_noncontiguous_samples(self):
        for info, sample, device in self.each(DEVICES[1:]):
            x, arguments, keywords = on(sample, device)
            if isinstance(x, torch.Tensor):
                x = noncontiguous_like(x)
            self.same(info(sample.input, *sample.args, **sample.kwargs),
                      info(x, *arguments, **keywords))

    def test_out_keeps_its_identity(self):
        for info, sample, device in self.each(DEVICES[1:]):
            if not info.supports_out:
                continue
            x, arguments, keywords = on(sample, device)
            expected = info(x, *arguments, **keywords)
            out = torch.empty_like(expected)
            address = out.data_ptr()
            self.assertIs(out, info(x, *arguments, **keywords, out=out))
            self.assertEqual(address, out.data_ptr())
            self.same(expected.cpu(), out)

    def test_in_place_bumps_the_version(self):
        for info, sample, device in self.each(DEVICES[1:]):
            if info.inplace_variant is None or sample.broadcasts_input:
                continue
            x, arguments, keywords = on(sample, device)
            expected = info(x.clone(), *arguments, **keywords)
            if expected.dtype != x.dtype or expected.shape != x.shape:
                continue
            version = x._version
            info.inplace_variant(x, *arguments, **keywords)
            self.assertGreater(x._version, version)
            self.same(expected.cpu(), x)

    def test_gradients(self):
        for info, sample, device in self.each(DEVICES[1:]):
            if not info.supports_autograd or not isinstance(sample.input, torch.Tensor):
                continue
            gradients = []
            for place in ("cpu", device):
                x, arguments, keywords = on(sample, place)
                x.requires_grad_()
                info(x, *arguments, **keywords).sum().backward()
                gradients.append(x.grad)
            self.same(*gradients)

    def test_views_alias(self):
        for info in CHOSEN:
            if info.name not in ("transpose", "conj"):
                continue
            self.where = info.name
            x = torch.randn(3, 4, dtype=torch.complex64, device=DEVICES[1])
            view = x.transpose(0, 1) if info.name == "transpose" else x.conj()
            x.zero_()
            self.same(torch.zeros(view.shape, dtype=view.dtype), view.resolve_conj())

    def test_runs_are_alike(self):
        for info, sample, device in self.each(DEVICES[1:]):
            x, arguments, keywords = on(sample, device)
            first, second = (info(x, *arguments, **keywords) for _ in range(2))
            self.assertTrue(torch.equal(first.cpu(), second.cpu()))

    def test_edge_values(self):
        x = torch.tensor([float("nan"), float("inf"), -0.0, 1e-40, -1e38])
        for function in (torch.exp, torch.relu, torch.neg, lambda t: t.clamp(0, 1)):
            self.same(function(x), function(x.to(DEVICES[1])))


class Machinery(unittest.TestCase):
    def test_base_of_the_device_is_found(self):
        bases = device_type.get_device_type_test_bases()
        self.assertIn(device_type.PrivateUse1TestBase, bases)

    def test_generated_tests_run_on_the_device(self):
        class TestProbe(device_type.TestCase):
            @device_type.onlyPRIVATEUSE1
            def test_add(self, device):
                self.assertEqual("fakedev", torch.ones(1, device=device).device.type)

            @device_type.onlyCPU
            def test_host(self, device):
                self.assertEqual("cpu", device)

        scope = {"TestProbe": TestProbe}
        device_type.instantiate_device_type_tests(
            TestProbe, scope, only_for=("privateuse1", "cpu"))
        self.assertEqual(["CPU", "PRIVATEUSE1"],
                         sorted(name.removeprefix("TestProbe") for name in scope))
        result = unittest.TestResult()
        for case in scope.values():
            unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
        self.assertEqual(([], []), (result.failures, result.errors))
        self.assertEqual(4, result.testsRun)
        self.assertEqual(2, len(result.skipped))

    def test_configuration_can_be_set_back(self):
        base = device_type.PrivateUse1TestBase
        base.set_test_configs(op_allowlist=["add"])
        base.set_test_configs()
        self.assertFalse(base.bypass_device_restrictions)


if __name__ == "__main__":
    unittest.main()
