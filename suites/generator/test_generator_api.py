# SPDX-License-Identifier: BSD-3-Clause
"""torch.Generator and torch.manual_seed as a user meets them."""

import unittest
import warnings

import torch
from assay.checks import random_numbers


class GeneratorApi(random_numbers.Drawing):
    def test_same_seed_same_numbers(self):
        """generator.same_seed_gives_the_same_numbers"""
        generator = self.generator()
        if self.draw_if_taken(generator) is None:
            self.check_states_of_seeds(generator)
            return
        generator.manual_seed(self.seed)
        first = self.draw(generator)
        generator.manual_seed(self.seed)
        again = self.draw(generator)
        self.expect_tensor(again, first, "seeding again starts the same sequence")
        other = self.draw(self.generator())
        self.expect_tensor(other, first, "another generator with the seed draws the same numbers")
        self.check_spare_normal(generator, lambda: generator.manual_seed(self.seed), "the seed")

    def check_states_of_seeds(self, generator):
        """Where operators take no generator of the device: what they would draw from."""
        first = generator.manual_seed(self.seed).get_state()
        generator.manual_seed(self.seed + 1)
        again = generator.manual_seed(self.seed).get_state()
        self.expect_tensor(again, first, "seeding again gives the same state")
        other = self.generator().get_state()
        self.expect_tensor(other, first, "another generator with the seed has the same state")

    def check_spare_normal(self, generator, go_back, what):
        """Normals are often made in pairs: an odd number leaves one over, which is no part of any state."""
        for count in (1, 3):
            go_back()
            first = self.normals(count, generator)
            if first is None:
                return
            go_back()
            self.expect_tensor(
                self.normals(count, generator), first, f"{what} gives the same normal numbers, {count} at once"
            )

    def test_module_seed(self):
        """generator.module_seed_determines_draws"""
        self.draw()  # a seed before the first use is a question of its own
        first = self.draws_after_seed(self.seed)
        self.expect_tensor(
            self.draws_after_seed(self.seed), first,
            "the device draws the same numbers after its module was given the same seed",
        )

    def test_draws_differ(self):
        """generator.two_draws_differ"""
        generator = self.any_generator()
        first, second = self.draw(generator), self.draw(generator)
        self.expect_different(first, second, "two draws without reseeding differ")

    def test_state_round_trip(self):
        """generator.set_state_restores_later_draws"""
        generator = self.generator()
        if self.draw_if_taken(generator) is None:
            self.check_state_comes_back(generator)
            return
        self.clause("GEN-012")
        state = generator.get_state()
        kept = state.clone()
        first = self.draw(generator)
        self.expect_tensor(state, kept, "a state that was taken does not change with later draws")
        self.clause("GEN-013")
        generator.set_state(state)
        self.expect_tensor(
            self.draw(generator), first, "set_state(get_state()) reproduces the following draws"
        )
        self.check_spare_normal(generator, lambda: generator.set_state(state), "the state")
        self.clause("GEN-016")
        self.check_shared_state(generator)

    def check_shared_state(self, generator):
        """The state itself is handed over, where that is offered: whoever has it draws on from where another one stopped."""
        try:
            state = generator.graphsafe_get_state()
        except (RuntimeError, NotImplementedError) as error:
            self.note("graphsafe_get_state", str(error).split("\n")[0])
            return
        self.expect_device(state, self.device, "the state that is handed over is a generator of the device")
        other = self.generator(self.seed + 1)
        other.graphsafe_set_state(state)
        self.expect_equal(other.initial_seed(), self.seed, "who is handed a state has its seed")
        self.expect_tensor(other.get_state(), generator.get_state(), "who is handed a state has its position")
        self.draw(other)
        self.expect_tensor(other.get_state(), generator.get_state(), "a state that was handed over is advanced for both")
        before = other.get_state()
        self.expect_raises((RuntimeError, TypeError, ValueError), "the state of a generator of the CPU is refused", other.graphsafe_set_state, torch.Generator())
        self.expect_tensor(other.get_state(), before, "a refused state leaves the generator as it was")

    def check_state_comes_back(self, generator):
        """Where operators take no generator of the device."""
        self.clause("GEN-012")
        state = generator.get_state()
        kept = state.clone()
        generator.manual_seed(self.seed + 1)
        self.expect_tensor(state, kept, "a state that was taken does not change when a seed is set")
        self.clause("GEN-013")
        generator.set_state(state)
        self.expect_tensor(generator.get_state(), kept, "set_state(get_state()) brings the state back")

    def test_state_is_a_byte_tensor(self):
        """generator.state_is_a_byte_tensor"""
        generator = self.generator()
        before = generator.get_state()
        self.draw_if_taken(generator)
        after = generator.get_state()
        self.expect_dtype(before, torch.uint8, "a state is a tensor of bytes")
        self.expect_device(before, torch.device("cpu"), "a state is on the CPU")
        self.expect_equal(before.dim(), 1, "a state has one dimension")
        self.expect_true(before.is_contiguous(), "a state is contiguous", "it is not")
        self.expect_equal(after.numel(), before.numel(), "the size of a state is constant")

    def test_wrong_state_is_refused(self):
        """generator.wrong_state_is_rejected"""
        generator = self.generator()
        state = generator.get_state()
        twice = torch.cat([state, state])
        wrong = {
            "of another size": state[:-1].clone(), "of twice the size": twice, "without bytes": state[:0].clone(),
            "of int64": state.long(), "of int8": state.view(torch.int8), "of every second byte": twice[::2], "that is a list": state.tolist(),
        }  # fmt: skip
        if self.known_kind.is_common:
            wrong["on the device"] = state.to(self.device)
        for what, one in wrong.items():
            self.expect_raises((RuntimeError, TypeError, ValueError), f"set_state refuses a state {what}", generator.set_state, one)
            self.expect_tensor(generator.get_state(), state, f"a state {what} leaves the generator as it was")

    def test_generators_are_independent(self):
        """generator.drawing_does_not_advance_other_generators"""
        other = self.generator()
        before = other.get_state()
        self.draw(self.any_generator())
        self.draw()
        self.expect_tensor(other.get_state(), before, "a draw advances no other generator")
        if len(self.devices) > 1 and self.seed_has_effect():
            self.check_devices_apart(*self.devices[:2])

    def check_devices_apart(self, device, neighbour):
        self.seed_module(self.seed)
        first = self.draw(device=device)
        self.seed_module(self.seed)
        self.draw(device=neighbour)
        self.expect_tensor(
            self.draw(device=device), first, "a draw on one device does not advance another's numbers"
        )

    def test_clone_is_independent(self):
        """generator.clone_is_independent"""
        generator = self.generator()
        self.draw_if_taken(generator)
        self.clause("GEN-015")
        clone = generator.clone_state()
        self.clause("GEN-005")
        self.require(self.expect_device(clone, self.device, "a clone is on the original's device"))
        self.clause("GEN-015")
        self.expect_tensor(clone.get_state(), generator.get_state(), "a clone has an equal state")
        before = generator.get_state()
        self.draw_if_taken(clone)
        self.expect_tensor(generator.get_state(), before, "drawing from a clone leaves the original")
        clone.manual_seed(self.seed + 1)
        self.expect_tensor(generator.get_state(), before, "seeding a clone leaves the original")

    def test_given_generator_is_used(self):
        """generator.given_generator_is_used"""
        self.is_about("keyword.generator")
        generator = self.generator()
        before = generator.get_state()
        try:
            self.draw(generator)
        except RuntimeError as error:
            self.expect(False, "rand takes a generator of its own device", str(error))
            return
        self.expect_different(
            generator.get_state(), before, "a draw advances the generator it was given"
        )

    def test_manual_seed_reaches_the_device(self):
        """generator.manual_seed_reaches_every_device"""
        self.is_about("module.manual_seed_all", "module._is_in_bad_fork")
        draws = []
        self.clause("GEN-021")
        for device in self.devices[:2]:  # a seed before the first use is a question of its own
            self.draw(device=device)
        for _ in range(2):
            self.seed_torch()
            draws.append([self.draw(device=device) for device in self.devices[:2]])
        for device, first, again in zip(self.devices, *draws):
            self.clause("GEN-021" if device == self.device else "GEN-020")
            self.expect_tensor(again, first, f"torch.manual_seed seeds device {device.index}")

    def test_torch_seed(self):
        """generator.torch_manual_seed_determines_draws"""
        draws = []
        self.draw()  # a seed before the first use is a question of its own
        for _ in range(2):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what does not take effect is seen in the numbers
                torch.manual_seed(self.seed)
            draws.append(self.draw())
        self.expect_tensor(
            draws[1], draws[0], "the device draws the same numbers after torch.manual_seed of the same seed"
        )

    def test_manual_seed_takes_negative(self):
        """generator.manual_seed_accepts_every_int"""
        if not hasattr(self.device_module, "manual_seed_all"):
            self.block("the device module has no manual_seed_all", "module.manual_seed_all")
        for seed in (-1, -(2**63), 2**64 - 1, 0):
            try:
                self.device_module.manual_seed_all(seed)
            except Exception as error:
                self.expect(False, f"manual_seed_all({seed}) is accepted", f"{type(error).__name__}: {error}")
                return
        if self.seed_has_effect():
            self.expect_tensor(
                self.draws_after_seed(-1), self.draws_after_seed(2**64 - 1),
                "manual_seed_all(-1) seeds as 2**64 - 1 does",
            )

    def test_foreign_generator(self):
        """generator.generator_of_another_device_is_rejected"""
        self.draw()
        with self.asks_a_special_case():
            self.expect_raises(
                (RuntimeError, ValueError),
                "a generator of the CPU is rejected by a random operator of the device",
                self.op, "aten::uniform_", torch.rand, 8, device=self.device,
                generator=torch.Generator(),
            )


if __name__ == "__main__":
    unittest.main()
