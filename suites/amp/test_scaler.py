# SPDX-License-Identifier: BSD-3-Clause
"""torch.amp.GradScaler on the device. Scales are powers of two, so every expected value is exact."""

import math

import torch
from assay.checks import Case
from assay.checks.mixed_precision import low_precision
from assay.values.closeness import expect_near, expect_refusal

PRELOAD = ("torch._dynamo",)  # optimizers import this module on first use
SCALE = 256.0


class Scaler(Case):
    def make(self, **options):
        options.setdefault("init_scale", SCALE)
        return torch.amp.GradScaler(self.device_name, **options)

    def parameter(self, device=None, value=1.0, size=4):
        return torch.nn.Parameter(torch.full((size,), value).to(device or self.device))

    def optimizer(self, *parameters, **options):
        return torch.optim.SGD(parameters, lr=1.0, **options)

    def backward(self, scaler, parameters, factor=1.0):
        """Runs backward of a loss whose unscaled gradient is `factor` everywhere."""
        for parameter in parameters:
            scaler.scale((parameter * factor).sum()).backward()

    def test_scale_is_lazy(self):
        """amp.scale_is_created_on_the_device_of_the_first_output"""
        for device in self.devices:
            scaler = self.make()
            self.expect_equal(scaler.is_enabled(), True, "a scaler of the backend is enabled")
            self.expect_equal(scaler._scale, None, "a scaler allocates nothing before its first use")
            scaled = scaler.scale(torch.ones(1).to(device))
            self.expect_tensor(scaled, torch.full((1,), SCALE), "the output is scaled")
            self.expect_device(scaled, device, "the scaled output is on its own device")
            self.expect_dtype(scaler._scale, torch.float32, "the scale is float32")
            self.expect_device(scaler._scale, device, "the scale is on the device of the first output")

    def test_scales_nested_outputs(self):
        """amp.scale_multiplies_nested_outputs"""
        scaler = self.make()
        one = self.on_device(torch.ones(3))
        seen = scaler.scale([one, (one * 2, [one * 3])])
        self.expect_equal(type(seen[1]), tuple, "scale() keeps the type of a container")
        flat = [seen[0], seen[1][0], seen[1][1][0]]
        for number, tensor in enumerate(flat, 1):
            self.expect_tensor(tensor, torch.full((3,), SCALE * number), f"output {number}")
        on_cpu = self.make().scale(torch.ones(2))
        self.expect_tensor(on_cpu, torch.full((2,), SCALE), "a CPU output is accepted")

    def test_scales_each_device(self):
        """amp.scale_multiplies_outputs_on_several_devices"""
        scaler = self.make()
        outputs = [torch.ones(3).to(device) for device in self.devices[:2]]
        for device, seen in zip(self.devices, scaler.scale(outputs)):
            self.expect_device(seen, device, "a scaled output stays on its device")
            self.expect_tensor(seen, torch.full((3,), SCALE), "every output is multiplied by the same scale")

    def test_unscale_is_exact(self):
        """amp.unscale_is_exact"""
        scaler, parameters = self.make(), [self.parameter(), self.parameter(size=700)]
        optimizer = self.optimizer(*parameters)
        self.backward(scaler, parameters, 0.75)
        for parameter in parameters:
            wanted = torch.full_like(parameter.grad.cpu(), 0.75 * SCALE)
            self.expect_tensor(parameter.grad, wanted, "backward gives scaled gradients")
        scaler.unscale_(optimizer)
        for parameter in parameters:
            wanted = torch.full_like(parameter.grad.cpu(), 0.75)
            self.expect_tensor(parameter.grad, wanted, "unscale_ divides by the scale exactly")

    def bad_step(self, value):
        scaler, good, bad = self.make(), self.parameter(), self.parameter(size=300)
        optimizer = self.optimizer(good, bad)
        self.backward(scaler, [good, bad])
        gradient = bad.grad.cpu()
        gradient[-1] = value
        bad.grad.copy_(gradient.to(self.device))
        scaler.step(optimizer)
        scaler.update()
        return scaler, good, bad

    def test_bad_gradient_skips_step(self):
        """amp.inf_gradient_skips_the_step"""
        for value in (math.inf, -math.inf, math.nan):
            with self.subTest(gradient=value):
                _, good, bad = self.bad_step(value)
                self.expect_tensor(bad, torch.ones(300), f"{value} skips the step")
                self.expect_tensor(good, torch.ones(4), "no parameter changes in a skipped step")

        for value in (complex(1, math.inf), complex(math.nan, 1), complex(1, math.nan)):
            with self.subTest(gradient=value):
                self.expect_bad_in_complex(value)

    def expect_bad_in_complex(self, value):
        """If the real or the imaginary part of a gradient is inf or NaN, the step must be skipped."""
        given = torch.tensor([value, 1 + 1j])
        there = torch.nn.Parameter(self.on_device(torch.ones_like(given)))
        there.grad, scaler = self.on_device(given), self.make()
        scaler.scale(self.on_device(torch.ones(1)))
        try:
            scaler.step(self.optimizer(there))
        except (RuntimeError, NotImplementedError) as error:
            self.note(f"a gradient of {value} is refused", str(error).split("\n")[0])
            return
        self.expect_tensor(there, torch.ones_like(given), f"{value} skips the step")

    def test_bad_gradient_lowers_scale(self):
        """amp.inf_gradient_lowers_the_scale"""
        scaler, _, _ = self.bad_step(math.inf)
        wanted = SCALE * scaler.get_backoff_factor()
        self.expect_equal(scaler.get_scale(), wanted, "inf multiplies the scale by the backoff")

    def clean_step(self, scaler, parameter, optimizer):
        optimizer.zero_grad()
        self.backward(scaler, [parameter], 0.5)
        scaler.step(optimizer)
        scaler.update()

    def test_clean_step_is_taken(self):
        """amp.step_with_finite_gradients_is_taken"""
        scaler, parameter = self.make(), self.parameter()
        self.clause("AMP-026")
        self.clean_step(scaler, parameter, self.optimizer(parameter))
        self.expect_tensor(parameter, torch.full((4,), 0.5), "the step uses unscaled gradients")
        self.clause("AMP-028")
        self.expect_equal(scaler.get_scale(), SCALE, "the scale does not change")

    def test_scale_grows(self):
        """amp.scale_grows_after_the_growth_interval"""
        scaler, parameter = self.make(growth_interval=3, growth_factor=4.0), self.parameter()
        optimizer, seen = self.optimizer(parameter), []
        for _ in range(6):
            self.clean_step(scaler, parameter, optimizer)
            seen.append(scaler.get_scale())
        wanted = [SCALE, SCALE, SCALE * 4, SCALE * 4, SCALE * 4, SCALE * 16]
        self.expect_equal(seen, wanted, "after each growth_interval clean steps the scale grows")

    def test_bad_step_restarts_interval(self):
        """amp.skipped_step_restarts_the_growth_interval"""
        scaler, parameter = self.make(growth_interval=2), self.parameter()
        optimizer = self.optimizer(parameter)
        self.clean_step(scaler, parameter, optimizer)
        self.clause("AMP-027")
        optimizer.zero_grad()
        self.backward(scaler, [parameter], math.inf)
        scaler.step(optimizer)
        scaler.update()
        wanted = SCALE * scaler.get_backoff_factor()
        self.expect_equal(scaler.get_scale(), wanted, "a bad step lowers the scale")
        self.clause("AMP-028")
        left = scaler.get_scale()
        self.clean_step(scaler, parameter, optimizer)
        self.expect_equal(scaler.get_scale(), left, "a bad step restarts the growth interval")

    def test_float16_gradients(self):
        """amp.unscaling_float16_gradients_is_rejected"""
        scaler = self.make()
        half = torch.nn.Parameter(self.on_device(torch.ones(4, dtype=torch.float16)))
        self.backward(scaler, [half])
        text, optimizer = "Attempting to unscale FP16 gradients", self.optimizer(half)
        what = "float16 gradients are refused"
        expect_refusal(self, ValueError, text, what, scaler.unscale_, optimizer)

    def test_unscale_twice(self):
        """amp.second_unscale_is_rejected"""
        scaler, parameter = self.make(), self.parameter()
        optimizer = self.optimizer(parameter)
        self.backward(scaler, [parameter])
        scaler.unscale_(optimizer)
        text, what = "unscale_() has already been called", "a second unscale_ is refused"
        expect_refusal(self, RuntimeError, text, what, scaler.unscale_, optimizer)
        scaler.update()
        optimizer.zero_grad()
        self.backward(scaler, [parameter])
        scaler.unscale_(optimizer)
        self.expect_tensor(parameter.grad, torch.ones(4), "unscale_ works again after update()")

    def test_state_round_trip(self):
        """amp.scaler_state_dict_round_trips"""
        scaler, parameter = self.make(growth_interval=5), self.parameter()
        self.clean_step(scaler, parameter, self.optimizer(parameter))
        seen = scaler.state_dict()
        wanted = {
            "scale": SCALE,
            "growth_factor": 2.0,
            "backoff_factor": 0.5,
            "growth_interval": 5,
            "_growth_tracker": 1,
        }
        self.expect_equal(seen, wanted, "the state of a scaler is plain numbers")
        other = self.make(init_scale=2.0)
        other.load_state_dict(seen)
        self.expect_equal(other.state_dict(), seen, "load_state_dict() restores a state")
        scaled = other.scale(self.on_device(torch.ones(2)))
        self.expect_tensor(scaled, torch.full((2,), SCALE), "a scaler with that state has the same scale")

    def test_inf_on_either_device(self):
        """amp.inf_on_either_device_skips_the_step"""
        for bad in (0, 1):
            with self.subTest(bad=bad):
                scaler = self.make()
                parameters = [self.parameter(device) for device in self.devices[:2]]
                optimizer = self.optimizer(*parameters)
                for number, parameter in enumerate(parameters):
                    self.backward(scaler, [parameter], math.inf if number == bad else 1.0)
                scaler.step(optimizer)
                scaler.update()
                for parameter in parameters:
                    self.expect_tensor(parameter, torch.ones(4), f"inf on device {bad} skips the step on both devices")
                self.expect_equal(scaler.get_scale(), SCALE / 2, "the scale is lowered")

    def test_fused_step(self):
        """amp.fused_step_equals_plain_step"""
        results = {}
        for fused in (False, True):
            scaler, parameter = self.make(), self.parameter()
            optimizer = self.optimizer(parameter, fused=fused, foreach=False)
            for factor in (0.5, math.inf, 0.25):
                optimizer.zero_grad()
                self.backward(scaler, [parameter], factor)
                scaler.step(optimizer)
                scaler.update()
            results[fused] = (parameter.detach().cpu(), scaler.get_scale())
        self.expect_tensor(results[False][0], torch.full((4,), 0.25), "the plain step is right")
        self.expect_tensor(results[True][0], results[False][0], "the fused step gives the same result")
        self.expect_equal(results[True][1], results[False][1], "the fused and the plain step end with the same scale")

    def test_training_region(self):
        """amp.autocast_training_matches_the_cpu"""
        half = low_precision(self)
        torch.manual_seed(1)
        reference = torch.nn.Linear(4, 3)
        model = torch.nn.Linear(4, 3)
        model.load_state_dict(reference.state_dict())
        model = model.to(self.device)
        x = torch.linspace(-1, 1, 20).reshape(5, 4)
        scaler = self.make()
        ours, theirs = (torch.optim.SGD(m.parameters(), lr=0.1) for m in (model, reference))
        for _ in range(5):
            with torch.autocast(self.device_name, dtype=half):
                loss = model(x.to(self.device)).float().square().mean()
            ours.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(ours)
            scaler.update()
            theirs.zero_grad()
            reference(x).square().mean().backward()
            theirs.step()
        times = torch.finfo(half).eps * 4e5  # each step rounds activations to half once or twice
        for seen, wanted in zip(model.parameters(), reference.parameters(), strict=True):
            expect_near(self, seen, wanted, "five steps stay near float32", times)
