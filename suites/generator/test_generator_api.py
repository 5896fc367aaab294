# SPDX-License-Identifier: BSD-3-Clause
"""torch.Generator and torch.manual_seed as a user calls them."""

import contextlib
import unittest
import warnings

import torch
from assay.checks import random_numbers
from assay.checks.random_numbers import COUNT


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
        """Compares the states, for backends whose operators accept no generator of the device."""
        first = generator.manual_seed(self.seed).get_state()
        generator.manual_seed(self.seed + 1)
        again = generator.manual_seed(self.seed).get_state()
        self.expect_tensor(again, first, "seeding again gives the same state")
        other = self.generator().get_state()
        self.expect_tensor(other, first, "another generator with the seed has the same state")
        drawn = self.draws_after_seed(self.seed)
        self.expect_tensor(self.draws_after_seed(self.seed), drawn, "seeding the module again starts the same sequence")

    def check_spare_normal(self, generator, go_back, what):
        """Backends often create normal numbers in pairs and keep the second number for the next draw. Setting a state
        must drop a kept number."""
        for count in (1, 3):
            go_back()
            first = self.normals(count, generator)
            if first is None:
                return
            go_back()
            self.expect_tensor(
                self.normals(count, generator), first, f"{what} restores the same normal numbers, {count} per draw"
            )

    def test_module_seed(self):
        """generator.module_seed_determines_draws"""
        self.draw()  # draws once, because seeding before the first use is tested elsewhere
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
        for count in (5, 257, 4096, 10001):
            runs = [self.runs_of_four(self.draw(generator, count=count)) for _ in range(3)]
            again = len(runs[0] & runs[1] | runs[1] & runs[2] | runs[0] & runs[2])
            self.expect_equal(again, 0, f"three draws of {count} numbers have no four successive numbers in common")

    def runs_of_four(self, drawn):
        return set(map(tuple, drawn.unfold(0, 4, 1).tolist()))

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
        self.expect_tensor(state, kept, "a saved state does not change with later draws")
        self.clause("GEN-013")
        generator.set_state(state)
        self.expect_tensor(self.draw(generator), first, "set_state(get_state()) reproduces the following draws")
        self.check_spare_normal(generator, lambda: generator.set_state(state), "the state")
        self.clause("GEN-016")
        self.check_shared_state(generator)

    def check_shared_state(self, generator):
        """If the backend supports shared states (graphsafe_set_state), two generators with one state continue the same
        sequence."""
        try:
            state = generator.graphsafe_get_state()
        except (RuntimeError, NotImplementedError) as error:
            self.note("graphsafe_get_state", str(error).split("\n")[0])
            return
        self.expect_device(state, self.device, "a shared state is a generator of the device")
        other = self.generator(self.seed + 1)
        other.graphsafe_set_state(state)
        self.expect_equal(other.initial_seed(), self.seed, "a generator that gets a shared state has its seed")
        self.expect_tensor(other.get_state(), generator.get_state(), "a generator that gets a shared state has its position")
        self.draw(other)
        self.expect_tensor(other.get_state(), generator.get_state(), "a draw advances a shared state for both generators")
        before = other.get_state()
        self.expect_raises((RuntimeError, TypeError, ValueError), "the state of a CPU generator is refused", other.graphsafe_set_state, torch.Generator())
        self.expect_tensor(other.get_state(), before, "a refused state does not change the generator")

    def check_state_comes_back(self, generator):
        """Tests the state itself, for backends whose operators accept no generator of the device."""
        self.clause("GEN-012")
        state = generator.get_state()
        kept = state.clone()
        generator.manual_seed(self.seed + 1)
        self.expect_tensor(state, kept, "a saved state does not change when a seed is set")
        self.clause("GEN-013")
        generator.set_state(state)
        self.expect_tensor(generator.get_state(), kept, "set_state(get_state()) restores the state")
        self.block("no operator draws from a generator of the device, so nothing shows the numbers of a state", "keyword.generator")

    def test_state_is_a_byte_tensor(self):
        """generator.state_is_a_byte_tensor"""
        generator = self.generator()
        before = generator.get_state()
        self.draw_if_taken(generator)
        after = generator.get_state()
        self.expect_dtype(before, torch.uint8, "a state is a uint8 tensor")
        self.expect_device(before, torch.device("cpu"), "a state is on the CPU")
        self.expect_equal(before.dim(), 1, "a state has one dimension")
        self.expect_true(before.is_contiguous(), "a state is contiguous", "it is not contiguous")
        self.expect_equal(after.numel(), before.numel(), "the size of a state is constant")

    def test_wrong_state_is_refused(self):
        """generator.wrong_state_is_rejected"""
        generator = self.generator()
        state = generator.get_state()
        twice = torch.cat([state, state])
        wrong = {
            "of another size": state[:-1].clone(), "of twice the size": twice, "with no bytes": state[:0].clone(),
            "of int64": state.long(), "of int8": state.view(torch.int8), "of every second byte": twice[::2], "that is a list": state.tolist(),
        }  # fmt: skip
        if self.known_kind.is_common:
            wrong["on the device"] = state.to(self.device)
        for what, one in wrong.items():
            self.expect_raises((RuntimeError, TypeError, ValueError), f"set_state refuses a state {what}", generator.set_state, one)
            self.expect_tensor(generator.get_state(), state, f"a refused state {what} does not change the generator")

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
            self.draw(device=device), first, "a draw on one device does not advance the generator of another"
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
        self.expect_tensor(generator.get_state(), before, "drawing from a clone does not change the original")
        clone.manual_seed(self.seed + 1)
        self.expect_tensor(generator.get_state(), before, "seeding a clone does not change the original")

    def test_given_generator_is_used(self):
        """generator.draw_advances_the_given_generator"""
        self.is_about("keyword.generator")
        generator = self.generator()
        before = generator.get_state()
        try:
            self.draw(generator)
        except RuntimeError as error:
            self.expect(False, "rand accepts a generator of its own device", str(error))
            return
        self.expect_different(generator.get_state(), before, "a draw advances the given generator")

    def test_generator_of_another_device(self):
        """generator.draws_do_not_depend_on_the_current_device"""
        self.put_device_back()
        device = self.devices[1]
        generator = self.generator(device=device)
        if self.any_generator() is None:
            self.block("no operator accepts a generator of the device", "keyword.generator")
        first = []
        for current in (device, self.device):
            torch.accelerator.set_device_index(current.index)
            generator.manual_seed(self.seed)
            with self.asks_a_special_case() if first else contextlib.nullcontext():
                drawn = torch.rand(COUNT, device=device, generator=generator)
            self.expect_device(drawn, device, "numbers of a generator are on its device")
            first.append(self.on_cpu(drawn))
            state = self.generator(device=device).get_state()
            self.expect_different(generator.get_state(), state, f"a draw advances its generator while device {current.index} is current")
        self.expect_tensor(first[1], first[0], "a generator draws the same numbers while another device is current")

    def test_manual_seed_reaches_the_device(self):
        """generator.manual_seed_reaches_every_device"""
        self.is_about("module.manual_seed_all", "module._is_in_bad_fork")
        draws = []
        self.clause("GEN-021")
        for device in self.devices[:2]:  # draws once, because seeding before the first use is tested elsewhere
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
        self.draw()  # draws once, because seeding before the first use is tested elsewhere
        for _ in range(2):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # if a seed has no effect, the numbers below show it
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
                "manual_seed_all(-1) seeds like 2**64 - 1",
            )

    def test_foreign_generator(self):
        """generator.generator_of_another_device_is_rejected"""
        self.draw()
        with self.asks_a_special_case():
            self.expect_raises(
                (RuntimeError, ValueError),
                "a random operator of the device rejects a CPU generator",
                self.op, "aten::uniform_", torch.rand, 8, device=self.device,
                generator=torch.Generator(),
            )


if __name__ == "__main__":
    unittest.main()
