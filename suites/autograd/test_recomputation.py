# SPDX-License-Identifier: BSD-3-Clause
"""Checkpointing, saved tensors on the CPU, and anomaly detection of NaN."""

import contextlib
import io
import warnings

import torch
from assay.checks import Case
from assay.checks.memory_in_use import bytes_in_use, settle
from assay.values.closeness import each_offered, expect_near, expect_refusal, ones_like
from torch.utils.checkpoint import checkpoint

PRELOAD = ("torch._dynamo",)  # checkpoint imports this module on first use
POINTS = 600


def block(x, factor):
    return x * factor * factor


class Recomputation(Case):
    def leaf(self, size=4):
        return self.on_device(torch.linspace(-1, 1, size)).requires_grad_()

    def test_checkpoint(self):
        """autograd.checkpoint_gives_equal_gradients"""
        self.is_about("module.get_amp_supported_dtype")  # checkpoint imports this name even if nothing calls it
        wanted, factor = self.leaf(), self.on_device(torch.linspace(1, 3, 4))
        block(wanted, factor).backward(ones_like(self, wanted))
        for reentrant in (False, True):
            x = self.leaf()
            try:
                y = checkpoint(block, x, factor, use_reentrant=reentrant)
                y.backward(ones_like(self, y))
            except AssertionError as error:
                self.expect(False, "a checkpointed block runs backward", str(error).splitlines()[0])
                return
            expect_near(self, x.grad, self.on_cpu(wanted.grad), f"checkpoint, use_reentrant={reentrant}")

    def test_checkpoint_random(self):
        """autograd.checkpoint_restores_the_rng_state"""
        self.leaf()
        initialized = getattr(self.device_module, "_initialized", "missing")
        self.clause("AGRD-030")
        what = "the device module's _initialized is true once the device is in use"
        self.expect_true(initialized is True, what, f"_initialized is {initialized!r}")
        self.clause("AGRD-018")
        for reentrant in (False, True):
            masks = []

            def noisy(x):
                mask = torch.rand(x.shape, device=x.device)
                masks.append(mask.detach())
                return x * mask

            x = self.leaf(64)
            checkpoint(noisy, x, use_reentrant=reentrant).sum().backward()
            self.expect_equal(len(masks), 2, "the forward runs twice")
            words = f"the second run draws the same numbers, use_reentrant={reentrant}"
            self.expect_tensor(masks[1], masks[0], words)
            self.expect_tensor(x.grad, masks[0], "the gradient belongs to the first draw")

    def test_checkpoint_random_second_device(self):
        """autograd.checkpoint_restores_the_rng_state_of_another_device"""
        masks = []

        def noisy(x):
            masks.append(torch.rand(x.shape, device=x.device))
            return x * masks[-1]

        x = self.on_device(torch.ones(64), 1).requires_grad_()
        checkpoint(noisy, x, use_reentrant=False).sum().backward()
        self.expect_equal(len(masks), 2, "the forward runs twice")
        self.expect_tensor(masks[1], masks[0], "the second run draws the same numbers on the tensor's own device")

    def saver(self, pinned):
        return torch.autograd.graph.save_on_cpu(pinned, self.device_name)

    def expect_round_trip(self, saver, spoil):
        """Calls spoil() after backward() returned but while the copies of backward() are still pending."""
        factors = torch.linspace(1, 3, POINTS)
        wanted = factors * factors
        x = self.leaf(POINTS)
        factor = self.on_device(factors)
        with saver:
            y = x * factor * factor  # saves the factor twice
        ones = ones_like(self, x)
        settle(self)
        with self.held_if_offered(torch.accelerator.current_stream(self.device)):
            y.backward(ones)
            spoil()
        expect_near(self, x.grad, wanted, "saved tensors come back unchanged", times=4)

    def test_save_on_cpu(self):
        """autograd.save_on_cpu_restores_saved_tensors"""
        saver, saved = self.saver(False), []
        pack = saver.pack_hook
        saver.pack_hook = lambda tensor: saved.append(pack(tensor)) or saved[-1]

        def overwrite():
            for _, on_cpu in saved:
                on_cpu.zero_()

        self.expect_round_trip(saver, overwrite)

    def test_save_on_pinned_cpu(self):
        """autograd.save_on_pinned_cpu_restores_saved_tensors"""
        others = []

        def take_their_memory():
            others.extend(torch.full((POINTS,), 77.0, pin_memory=True) for _ in range(8))

        self.expect_round_trip(self.saver(True), take_their_memory)

    def test_anomaly(self):
        """autograd.anomaly_mode_finds_nan"""

        class Nan(torch.autograd.Function):
            @staticmethod
            def forward(context, x):
                return x * 1

            @staticmethod
            def backward(context, gradient):
                return gradient * float("nan")

        x, printed = self.leaf(), io.StringIO()
        with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stderr(printed):
            warnings.simplefilter("always")
            with torch.autograd.set_detect_anomaly(True):
                y = Nan.apply(x * 2).sum()
                what, text = "NaN in a gradient is found", "returned nan values"
                expect_refusal(self, RuntimeError, text, what, y.backward)
        said = printed.getvalue() + "".join(str(one.message) for one in caught)
        name = "test_anomaly"
        self.expect_true(name in said, "the traceback of the forward call is printed", f"{said[:160]!r}")
        with warnings.catch_warnings(), torch.autograd.set_detect_anomaly(True):
            warnings.simplefilter("ignore")
            clean = self.leaf()
            (clean * 2).sum().backward()
        expect_near(self, clean.grad, torch.full((4,), 2.0), "a backward without NaN passes")

    def test_memory(self):
        """autograd.saved_tensors_are_freed"""

        class Square(torch.autograd.Function):
            @staticmethod
            def forward(context, x):
                context.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(context, gradient):
                return gradient * context.saved_tensors[0]

        def step(inner):
            y = Square.apply(inner(self.leaf(1000)))
            y.backward(ones_like(self, y))

        factor = self.on_device(torch.ones(1000))
        inners = {"tanh": lambda x: torch.tanh(x).exp(), "a product": lambda x: x * factor}
        offered = [inners[name] for name, _ in each_offered(self, inners, step)]
        before = bytes_in_use(self)
        for _ in range(100):
            for inner in offered:
                step(inner)
        kept = bytes_in_use(self) - before
        self.expect_true(kept <= 0, "the memory in use after 100 steps is that after one step", f"{kept} bytes more than {before}")
