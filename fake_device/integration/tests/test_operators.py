# SPDX-License-Identifier: BSD-3-Clause
"""Tests of operators that programs need and that no check covers: dtypes that only accelerators have, the choice of
attention, layouts of convolutions, refused probabilities, memory in proportion to operands and results."""

import unittest

import torch
from torch._subclasses import FakeTensorMode
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

import torch_fakedev  # noqa: F401 (registers the device)

DEVICE = "fakedev:1"


class Names(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.seen.append(str(function))
        return function(*args, **(kwargs or {}))


def on_device(*tensors):
    return [tensor.to(DEVICE) for tensor in tensors]


def bytes_of(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def results_of(value):
    return [value] if isinstance(value, torch.Tensor) else [tensor for tensor in value if tensor is not None]


class Operators(unittest.TestCase):
    def test_histogram_of_integers(self):
        numbers = torch.tensor([[1, 2, 2], [3, 9, -4]])
        for dtype in (torch.uint8, torch.int16, torch.int32, torch.int64):
            given = numbers.clamp(0).to(dtype)
            for bins, low, high in ((3, 1, 3), (4, 0, 0), (7, 0, 9), (1, 2, 2)):
                seen = torch.histc(given.to(DEVICE), bins, low, high)
                wanted = torch.histc(given.double(), bins, low, high).to(dtype)
                self.assertTrue(torch.equal(seen.cpu(), wanted), (dtype, bins, low, high, seen.cpu(), wanted))
        same = torch.full((5,), 7).to(DEVICE)
        self.assertEqual(torch.histc(same, 3).tolist(), [0, 5, 0])
        with self.assertRaises(RuntimeError):
            torch.histc(same, 3, 5, 1)

    def test_attention_obeys_the_users_choice(self):
        query = torch.randn(1, 2, 4, 8, device=DEVICE)
        for backend, wanted in ((SDPBackend.MATH, False), (SDPBackend.OVERRIDEABLE, True)):
            with sdpa_kernel(backend), Names() as names:
                torch.nn.functional.scaled_dot_product_attention(query, query, query)
            self.assertEqual(wanted, any("overrideable" in name for name in names.seen), (backend, names.seen))
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION), self.assertRaisesRegex(RuntimeError, "No viable backend"):
            torch.nn.functional.scaled_dot_product_attention(query, query, query)

    def test_probabilities_outside_0_and_1_are_refused(self):
        for value in (2.0, -0.5, float("nan")):
            given = torch.tensor([0.5, value], device=DEVICE)
            for draw in (torch.bernoulli, lambda p: torch.zeros(2, device=DEVICE).bernoulli_(p),
                         lambda p: torch.zeros(2, device=DEVICE).bernoulli_(p.cpu())):
                with self.assertRaises(RuntimeError, msg=value):
                    draw(given)

    def test_encoder_with_padding_in_evaluation(self):
        torch.manual_seed(0)
        encoder = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2).eval()
        numbers, padding = torch.randn(3, 5, 16), torch.zeros(3, 5, dtype=torch.bool)
        padding[1, 3:] = padding[2, 1:] = True
        with torch.no_grad():
            wanted = encoder(numbers, src_key_padding_mask=padding)
            seen = encoder.to(DEVICE)(numbers.to(DEVICE), src_key_padding_mask=padding.to(DEVICE)).cpu()
        torch.testing.assert_close(seen, wanted)

    def test_convolutions_of_channels_last_have_the_layout_that_core_predicts(self):
        for dims, layer in ((4, torch.nn.Conv2d), (4, torch.nn.ConvTranspose2d), (5, torch.nn.Conv3d)):
            layout = torch.channels_last if dims == 4 else torch.channels_last_3d
            module = layer(4, 6, 3, stride=2, padding=1, groups=2)
            numbers = torch.randn(2, 4, *[7] * (dims - 2))
            wanted = module(numbers)
            gradient = torch.randn_like(wanted)
            parameters = list(module.parameters())
            wanted_gradients = torch.autograd.grad(wanted, parameters, gradient)
            module = module.to(DEVICE).to(memory_format=layout)
            given = numbers.to(DEVICE).to(memory_format=layout).requires_grad_()
            seen = module(given)
            with FakeTensorMode(allow_non_fake_inputs=True) as mode:
                predicted = module(mode.from_tensor(given))
            self.assertEqual(seen.stride(), predicted.stride(), layer)
            torch.testing.assert_close(seen.cpu(), wanted, rtol=1e-4, atol=1e-5)
            gradients = torch.autograd.grad(seen, [given, *module.parameters()], gradient.to(DEVICE))
            torch.testing.assert_close([one.cpu() for one in gradients[1:]], list(wanted_gradients), rtol=1e-4, atol=1e-4)


class Memory(unittest.TestCase):
    def assert_in_proportion(self, name, call, operands):
        call(*operands)  # the first call may allocate memory that it keeps
        torch.accelerator.synchronize(DEVICE)
        torch.accelerator.reset_peak_memory_stats(DEVICE)
        before = torch.accelerator.memory_allocated(DEVICE)
        results = results_of(call(*operands))
        torch.accelerator.synchronize(DEVICE)
        peak = torch.accelerator.max_memory_allocated(DEVICE) - before
        self.assertLessEqual(peak, 4 * bytes_of([*operands, *results]), name)

    def test_masks(self):
        few = torch.zeros(300, 200, dtype=torch.bool)
        few[::10] = True
        for share, mask in (("few", few), ("all", ~torch.zeros_like(few)), ("none", torch.zeros_like(few))):
            for dtype in (torch.bool, torch.float16, torch.float32):
                operands = on_device(torch.randn(300, 200).to(dtype), mask)
                self.assert_in_proportion(f"masked_select {share} {dtype}", torch.masked_select, operands)
                self.assert_in_proportion(f"index {share} {dtype}", lambda x, m: x[m], operands)
                self.assertTrue(torch.equal(torch.masked_select(*operands).cpu(), operands[0].cpu()[mask]))
            self.assert_in_proportion(f"nonzero {share}", torch.nonzero, on_device(mask))
            self.assert_in_proportion(f"nonzero of floats {share}", torch.nonzero, on_device(mask.float()))
            self.assertTrue(torch.equal(mask.to(DEVICE).nonzero().cpu(), mask.nonzero()))
        row, column = torch.randn(1, 300), torch.arange(200).unsqueeze(1) % 7 == 3
        self.assert_in_proportion("broadcast", torch.masked_select, on_device(row, column))
        self.assertTrue(torch.equal(torch.masked_select(*on_device(row, column)).cpu(), torch.masked_select(row, column)))

    def test_multinomial(self):
        for sizes, samples, again in (((20000,), 50, True), ((3, 40), 5000, True), ((20000,), 50, False)):
            weights = torch.rand(sizes)
            self.assert_in_proportion(f"multinomial {sizes}", lambda p, s=samples, a=again: torch.multinomial(p, s, a), on_device(weights))
        self.assertEqual(torch.multinomial(torch.rand(0, 3, device=DEVICE), 5, True).shape, (0, 5))
        draws = torch.multinomial(torch.tensor([[1.0, 0.0, 3.0], [0.0, 1.0, 0.0]], device=DEVICE), 4000, True)
        shares = torch.stack([(draws == i).double().mean(1) for i in range(3)], 1).cpu()
        torch.testing.assert_close(shares, torch.tensor([[0.25, 0, 0.75], [0, 1, 0]], dtype=torch.double), rtol=0, atol=0.04)

    def test_convolutions(self):
        cases = {"one image": ((1, 8, 32, 32), (8, 8, 5, 5), {"padding": 2}),
                 "many images": ((16, 8, 8, 8), (8, 8, 3, 3), {"padding": 1}),
                 "large weight": ((8, 64, 6, 6), (64, 64, 3, 3), {"padding": 1}),
                 "groups, stride, dilation": ((4, 8, 17, 15), (12, 2, 3, 2), {"groups": 4, "stride": 2, "dilation": 2})}
        for name, (input_size, weight_size, options) in cases.items():
            numbers, weight = torch.randn(input_size), torch.randn(weight_size)

            def forward(x, w, options=options):
                return torch.nn.functional.conv2d(x, w, **options)

            def backward(x, w, gradient, options=options):
                stride, padding, dilation = ([options.get(key, at_least)] * 2 for key, at_least in (("stride", 1), ("padding", 0), ("dilation", 1)))
                return torch.ops.aten.convolution_backward(gradient, x, w, None, stride, padding, dilation, False, [0, 0],
                                                           options.get("groups", 1), [True, True, False])[:2]

            wanted = forward(numbers, weight)
            gradient = torch.randn_like(wanted)
            operands = on_device(numbers, weight, gradient)
            self.assert_in_proportion(name, forward, operands[:2])
            self.assert_in_proportion(f"{name}, backward", backward, operands)
            torch.testing.assert_close(forward(*operands[:2]).cpu(), wanted, rtol=1e-4, atol=1e-4)
            for seen, right in zip(backward(*operands), backward(numbers, weight, gradient), strict=True):
                torch.testing.assert_close(seen.cpu(), right, rtol=1e-4, atol=1e-3)


if __name__ == "__main__":
    unittest.main()
