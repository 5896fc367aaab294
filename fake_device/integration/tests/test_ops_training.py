# SPDX-License-Identifier: BSD-3-Clause
"""Whole programs against the CPU: layers, training with AMP and GradScaler, convolution, RNN cells,
attention, optimisers, autocast's policies, the custom operator."""

import copy
import threading
import unittest
import warnings

import torch
from torch import nn
from torch._subclasses.fake_utils import CrossRefFakeMode
from torch.nn import functional as F

from operator_case import DEVICES, OperatorCase, moved
from torch_fakedev import testing


class Layers(OperatorCase):
    def check_layer(self, layer, *inputs, devices=DEVICES):
        """Outputs, gradients of parameters and of inputs."""
        def run(module, arguments):
            leaves = [a.clone().requires_grad_() if a.is_floating_point() else a
                      for a in arguments]
            result = module(*leaves)
            result = result[0] if isinstance(result, tuple) else result
            (result * result.detach().cos()).sum().backward()
            return [result.detach()] + [leaf.grad for leaf in leaves if leaf.grad is not None] + \
                [p.grad for p in module.parameters()]
        expected = run(copy.deepcopy(layer), inputs)
        for device in devices:
            with self.subTest(device=device):
                actual = run(copy.deepcopy(layer).to(device), moved(list(inputs), device))
                for one, other in zip(actual, expected, strict=True):
                    torch.testing.assert_close(one.cpu(), other, rtol=1e-4, atol=1e-4)

    def test_convolutions(self):
        for layer, shape in (
                (nn.Conv1d(4, 6, 3), (2, 4, 9)),
                (nn.Conv2d(4, 6, 3, padding=1), (2, 4, 5, 6)),
                (nn.Conv2d(4, 8, (3, 2), stride=2, dilation=2, groups=2, bias=False), (2, 4, 9, 8)),
                (nn.Conv3d(2, 3, 2), (1, 2, 3, 4, 5)),
                (nn.ConvTranspose1d(4, 3, 3, stride=2), (2, 4, 5)),
                (nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2),
                 (2, 4, 5, 4))):
            self.check_layer(layer, torch.randn(shape))

    def test_convolution_runs_on_the_device(self):
        layer = nn.Conv2d(2, 3, 3).to(DEVICES[0])
        x = torch.randn(1, 2, 5, 5, device=DEVICES[0])
        testing.forget_fallbacks()
        layer(x).sum().backward()
        self.assertEqual(testing.fallbacks(), {})

    def test_recurrent_layers(self):
        for bias in (True, False):
            self.check_layer(nn.LSTM(5, 4, num_layers=2, bias=bias), torch.randn(3, 2, 5))
            self.check_layer(nn.GRU(5, 4, bias=bias, bidirectional=True), torch.randn(3, 2, 5))
        self.check_layer(nn.RNN(5, 4), torch.randn(3, 2, 5))

    def test_composite_layers_keep_autograd(self):
        for layer, shape in (
                (nn.Linear(5, 3), (4, 5)), (nn.LayerNorm(5), (4, 5)), (nn.BatchNorm1d(5), (4, 5)),
                (nn.Softmax(-1), (4, 5)), (nn.LogSoftmax(-1), (4, 5)), (nn.GELU(), (4, 5)),
                (nn.ReLU(), (4, 5)), (nn.GroupNorm(2, 4), (3, 4, 5)),
                (nn.MaxPool2d(2), (1, 2, 4, 4)), (nn.AvgPool2d(2), (1, 2, 4, 4)),
                (nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), (2, 3, 8))):
            with self.subTest(layer=str(layer)[:30]):
                self.check_layer(layer, torch.randn(shape))
        self.check_layer(nn.Embedding(7, 3), torch.tensor([[1, 2], [6, 1]]))

    def test_losses(self):
        logits, target = torch.randn(4, 5), torch.tensor([0, 4, 2, 2])
        for function in (F.cross_entropy, F.nll_loss, F.multi_margin_loss):
            def loss(x, t, f=function):
                return torch.func.grad(lambda y: f(y, t))(x)
            self.check(loss, logits, target, falls_back=True)
        for function in (F.mse_loss, F.smooth_l1_loss):
            for reduction in ("none", "mean", "sum"):
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    self.check(lambda a, b, f=function, r=reduction: f(a, b, reduction=r), logits,
                               torch.randn(4, 5))

    def test_fast_path_of_the_encoder(self):
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval().to(DEVICES[-1])
        x = torch.randn(2, 3, 8, device=DEVICES[-1])
        slow = layer(x).detach()
        with torch.no_grad():
            torch.testing.assert_close(layer(x), slow, rtol=1e-4, atol=1e-5)


class Attention(OperatorCase):
    def run_attention(self, device, **options):
        torch.manual_seed(5)
        tensors = [torch.randn(2, 3, 4, 8).to(device).requires_grad_() for _ in range(3)]
        if "attn_mask" in options:
            options["attn_mask"] = options["attn_mask"].to(device)
        result = F.scaled_dot_product_attention(*tensors, **options)
        result.sin().sum().backward()
        return [result.detach().cpu()] + [tensor.grad.cpu() for tensor in tensors]

    def test_agrees_with_the_cpu(self):
        mask = torch.ones(4, 4).tril().bool()
        for options in ({}, {"is_causal": True}, {"attn_mask": mask},
                        {"attn_mask": torch.randn(4, 4)}, {"scale": 0.3}):
            for device in DEVICES:
                for one, other in zip(self.run_attention(device, **options),
                                      self.run_attention("cpu", **options), strict=True):
                    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)

    def test_the_overrideable_kernel_is_chosen(self):
        q = torch.randn(1, 2, 3, 4, device=DEVICES[0])
        overrideable = torch.nn.attention.SDPBackend.OVERRIDEABLE.value
        self.assertEqual(torch._fused_sdp_choice(q, q, q), overrideable)
        self.assertEqual(torch._fused_sdp_choice(q, q, q, dropout_p=0.5), 0)


class FakeTensors(OperatorCase):
    """Sizes, strides, dtype and device of real results equal those that core predicts."""

    def test_predicted_metadata(self):
        d = DEVICES[-1]

        def image():
            return torch.randn(2, 3, 5, 5, device=d).to(memory_format=torch.channels_last)

        def matrix():
            return torch.randn(3, 4, device=d).t()
        programs = (
            lambda: F.scaled_dot_product_attention(*[torch.randn(1, 3, 2, 4, device=d)] * 3),
            lambda: F.scaled_dot_product_attention(
                *[torch.randn(1, 3, 2, 4, device=d).transpose(1, 2)] * 3),
            lambda: F.conv2d(image(), torch.randn(3, 3, 3, 3, device=d)),
            lambda: nn.LSTM(3, 4, device=d)(torch.randn(2, 1, 3, device=d)),
            lambda: nn.GRU(3, 4, device=d)(torch.randn(2, 1, 3, device=d)),
            lambda: (image() + 1, image().mean((2, 3)), torch.cat([image()] * 2)),
            lambda: (matrix().relu(), torch.logical_not(matrix()), matrix().softmax(0)),
            lambda: (matrix()[matrix() > 0], matrix()[:, torch.tensor([0, 1], device=d)]),
            lambda: (torch.where(matrix() > 0, matrix(), 0.0), matrix().nonzero()),
            lambda: (matrix().max(1), matrix().cumsum(0), matrix().amax(0), matrix().sort()),
            lambda: (F.dropout(matrix(), 0.5), torch.randperm(5, device=d), matrix() @ matrix().t()),
        )
        for row, program in enumerate(programs):
            with self.subTest(row=row), CrossRefFakeMode():
                program()


class Training(OperatorCase):
    def train(self, device, optimizer, steps=15, amp=True, **options):
        torch.manual_seed(1)
        model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
        data, target = torch.randn(32, 6), torch.randn(32, 1)
        model, data, target = model.to(device), data.to(device), target.to(device)
        optimizer = optimizer(model.parameters(), lr=0.01, **options)
        kind = torch.device(device).type
        scaler = torch.amp.GradScaler(kind, enabled=amp, init_scale=256.0, growth_interval=4)
        losses = []
        for _ in range(steps):
            optimizer.zero_grad()
            with torch.autocast(kind, dtype=torch.bfloat16, enabled=amp):
                loss = F.mse_loss(model(data), target)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer) if amp else None
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.detach().cpu())
        return torch.stack(losses).float(), scaler.get_scale(), model

    def test_agrees_with_the_cpu_with_amp(self):
        expected, scale, _ = self.train("cpu", torch.optim.SGD)
        for device in DEVICES:
            actual, own_scale, _ = self.train(device, torch.optim.SGD)
            torch.testing.assert_close(actual, expected, rtol=5e-3, atol=5e-3)
            self.assertEqual(own_scale, scale)
        self.assertLess(float(expected[-1]), float(expected[0]))

    def test_optimisers_agree_with_the_cpu(self):
        for optimizer, options in ((torch.optim.SGD, {"momentum": 0.9}), (torch.optim.Adam, {}),
                                   (torch.optim.AdamW, {"foreach": False}),
                                   (torch.optim.Adam, {"fused": True}),
                                   (torch.optim.Adam, {"capturable": True})):
            plain = {k: v for k, v in options.items() if k != "capturable"}
            expected, _, reference = self.train("cpu", optimizer, amp=False, **plain)
            actual, _, model = self.train(DEVICES[-1], optimizer, amp=False, **options)
            with self.subTest(optimizer=optimizer.__name__, options=options):
                torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)
                for one, other in zip(model.parameters(), reference.parameters()):
                    torch.testing.assert_close(one.detach().cpu(), other.detach(), rtol=1e-3,
                                               atol=1e-4)

    def test_scaler_skips_a_step_with_infinity_and_grows_after_clean_ones(self):
        for device in DEVICES:
            weight = torch.ones(2, device=device, requires_grad=True)
            optimizer = torch.optim.SGD([weight], lr=1.0)
            scaler = torch.amp.GradScaler("fakedev", init_scale=8.0, growth_interval=2)
            for factor, scale, value in ((float("inf"), 4.0, 1.0), (0.5, 4.0, 0.5),
                                         (0.5, 8.0, 0.0)):
                optimizer.zero_grad()
                scaler.scale((weight * factor).sum()).backward()
                scaler.step(optimizer)
                scaler.update()
                self.assertEqual(scaler.get_scale(), scale)
                self.assert_same(weight.detach(), torch.full((2,), value))

    def test_gradients_between_devices(self):
        leaf = torch.ones(3, requires_grad=True)
        x = leaf.to(DEVICES[0]) * 2
        (x.to(DEVICES[-1]) * 3).cpu().sum().backward()
        self.assert_same(leaf.grad, torch.full((3,), 6.0))

    def test_backward_runs_on_the_forward_stream(self):
        seen = []

        class Observed(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, gradient):
                seen.append(torch.accelerator.current_stream(gradient.device))
                return gradient * 2

        for device in DEVICES:
            x = torch.ones(4, device=device, requires_grad=True)
            torch.accelerator.synchronize(device)
            stream = torch.Stream(device=device)
            with stream:
                y = Observed.apply(x)
            y.sum().backward()
            thread = threading.Thread(target=(Observed.apply(x) * 3).sum().backward)
            thread.start()
            thread.join()
            self.assertEqual([stream, torch.accelerator.current_stream(device)], seen)
            seen.clear()
            torch.accelerator.synchronize(device)
            self.assert_same(x.grad, torch.full((4,), 8.0))

    def test_double_backward_and_gradcheck(self):
        for device in DEVICES:
            x = torch.randn(3, dtype=torch.float64, device=device, requires_grad=True)
            self.assertTrue(torch.autograd.gradcheck(lambda t: (t * t).exp().sum(), (x,)))
            (first,) = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
            first.sum().backward()
            self.assert_same(x.grad, 6 * x.detach().cpu())


class Autocast(OperatorCase):
    def test_policies(self):
        half, single = torch.float16, torch.float32
        for device in DEVICES:
            a = torch.randn(4, 4, device=device)
            h = a.half()
            table = [
                (half, lambda: a @ a), (half, lambda: torch.mm(a, a)),
                (half, lambda: F.linear(a, a)), (half, lambda: torch.baddbmm(a, a[None], a[None])),
                (half, lambda: F.conv1d(a[None], a[:, :, None])),
                (half, lambda: F.scaled_dot_product_attention(
                    a[None, None], a[None, None], a[None, None])),
                (single, lambda: torch.exp(h)), (single, lambda: torch.pow(h, 2)),
                (single, lambda: F.layer_norm(h, (4,))), (single, lambda: F.mse_loss(h, h)),
                (single, lambda: F.softmax(h, 1)), (single, lambda: h.sum()),
                (single, lambda: h.cumsum(0)), (single, lambda: torch.norm(h)),
                (half, lambda: F.softmax(h, 1, dtype=half)),
                (single, lambda: torch.cat([a, h])), (single, lambda: torch.stack([a, h])),
                (single, lambda: torch.addcmul(a, h, h)), (half, lambda: h + h),
                (torch.float64, lambda: a.double() @ a.double()),
                (single, lambda: torch.ones(2, 2) @ torch.ones(2, 2)),
            ]
            with torch.autocast("fakedev", dtype=half):
                for row, (dtype, function) in enumerate(table):
                    with self.subTest(row=row, device=device):
                        self.assertEqual(function().dtype, dtype)
                with torch.autocast("fakedev", enabled=False):
                    self.assertEqual((a @ a).dtype, single)
                with self.assertRaisesRegex(RuntimeError, "unsafe to autocast"):
                    F.binary_cross_entropy(a.sigmoid(), a.sigmoid())
            self.assertEqual((a @ a).dtype, single)

    def test_parameters_are_cast_once_and_keep_float32_gradients(self):
        layer = nn.Linear(4, 4).to(DEVICES[-1])
        x = torch.randn(2, 4, device=DEVICES[-1])
        with torch.autocast("fakedev", dtype=torch.bfloat16):
            layer(layer(x)).sum().backward()
        self.assertEqual({p.grad.dtype for p in layer.parameters()}, {torch.float32})


class CustomOperator(OperatorCase):
    def test_value_gradient_and_shape(self):
        for device in DEVICES:
            x = torch.randn(3, device=device, requires_grad=True)
            y = torch.ops.fakedev.scaled_square(x, 2.0)
            y.sum().backward()
            self.assert_same(y.detach(), 2 * x.detach().cpu() ** 2)
            self.assert_same(x.grad, 4 * x.detach().cpu())
        self.assertEqual(
            torch.ops.fakedev.scaled_square(torch.empty(3, 2, device="meta"), 1.0).shape, (3, 2))


if __name__ == "__main__":
    unittest.main()
