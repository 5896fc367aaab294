# SPDX-License-Identifier: BSD-3-Clause
"""How PyTorch uses generators and seeds: fork_rng, checkpoint, pickle, offsets."""

import copy
import itertools
import pickle
import unittest
import warnings
from unittest import mock

import torch
from assay.checks.random_numbers import COUNT, Drawing
from assay.values import words as expectation_words

FAR = (2**31, 2**32, 2**34)


class GeneratorUses(Drawing):
    def test_fork_rng(self):
        """generator.fork_rng_restores_the_states"""
        indices = [device.index for device in self.devices[:2]]
        inside = []
        try:
            with torch.random.fork_rng(devices=indices, device_type=self.device_name):
                inside = [self.draw(device=device) for device in self.devices[:2]]
                raise KeyError
        except KeyError:
            pass
        except Exception as error:
            self.expect(False, "fork_rng works with the device module", f"{type(error).__name__}: {error}")
            return
        for device, values in zip(self.devices, inside):
            self.expect_tensor(
                self.draw(device=device), values,
                f"fork_rng restores device {device.index}, also after an exception",
            )

    def test_checkpoint(self):
        """generator.checkpoint_repeats_dropout"""
        from torch.utils.checkpoint import checkpoint

        ones = torch.ones(COUNT)

        def masked(x):
            return self.op("aten::mul", torch.mul, x, torch.rand(COUNT, device=self.device))

        x = self.on_device(ones).requires_grad_()
        result = checkpoint(masked, x, use_reentrant=False)
        result.backward(self.on_device(ones))
        self.expect_tensor(x.grad, result, "the recomputed forward pass draws the numbers of the first one")

    def test_reentrant_checkpoint(self):
        """generator.reentrant_checkpoint_computes_the_gradient"""
        self.is_about("module.get_amp_supported_dtype")
        from torch.utils.checkpoint import checkpoint

        x = self.on_device(torch.ones(COUNT)).requires_grad_()

        def doubled(tensor):
            return self.op("aten::mul", torch.mul, tensor, 2.0)

        try:
            checkpoint(doubled, x, use_reentrant=True).backward(self.on_device(torch.ones(COUNT)))
        except Exception as error:
            self.expect(False, "checkpoint(use_reentrant=True) works without autocast",
                        f"{type(error).__name__}: {error}")
            return
        self.expect_tensor(x.grad, torch.full((COUNT,), 2.0), "the gradient of a checkpointed function is right")

    def test_offset_refusal(self):
        """generator.unsupported_offset_keeps_the_state"""
        generator = self.generator()
        try:
            generator.get_offset()
        except (RuntimeError, NotImplementedError) as error:
            self.expect_true(len(str(error)) > 10, "a generator without offsets raises a clear error", repr(error))
            self.expect_raises(
                type(error), "deepcopy of a generator without offsets raises the same error",
                copy.deepcopy, generator,
            )
        else:
            self.expect_device(copy.deepcopy(generator), self.device, "a generator with offsets can be copied")
        self.check_state_works(generator)

    def check_state_works(self, generator):
        try:
            state = generator.get_state()
            first = self.draw_if_taken(generator)
            generator.manual_seed(self.seed + 1)
            generator.set_state(state)
            again = generator.get_state()
        except RuntimeError as error:
            self.expect(False, "get_state and set_state work with and without offsets", str(error))
            return
        self.expect_tensor(again, state, "get_state returns the state that was set")
        if first is not None:
            self.expect_tensor(self.draw(generator), first, "the state replays the draws")

    def test_offset(self):
        """generator.set_offset_replays_draws"""
        generator = self.generator()
        self.clause("GEN-017")
        try:
            start = generator.get_offset()
            first = self.draw(generator)
            grown = generator.get_offset()
            generator.set_offset(start)
        except (RuntimeError, NotImplementedError) as error:
            self.block_if_refused(error)
            self.lacks("rng.offset", error)
        self.expect_equal(generator.get_offset(), start, "get_offset returns the offset that was set")
        self.clause("GEN-018")
        self.expect_equal(start, 0, "the offset is 0 after seeding")
        self.expect_true(grown > start, "the offset grows with draws", f"{start}, then {grown}")
        self.expect_tensor(self.draw(generator), first, "set_offset replays the draws")
        self.clause("GEN-017")
        drawn = {start: first}
        for offset in FAR:
            try:
                generator.set_offset(offset)
            except (RuntimeError, ValueError) as error:
                self.note(f"set_offset({offset})", error)
                continue
            self.expect_equal(generator.get_offset(), offset, "get_offset returns a large offset that was set")
            drawn[offset] = self.draw(generator)
        for (one, numbers), (other, others) in itertools.combinations(drawn.items(), 2):
            self.expect_different(numbers, others, f"the offsets {one} and {other} give other numbers")

    def test_copies(self):
        """generator.pickle_keeps_the_state"""
        generator = self.generator()
        self.draw_if_taken(generator)
        ways = {"deepcopy": copy.deepcopy, "pickle": lambda one: pickle.loads(pickle.dumps(one))}
        copies = [self.copied(generator, name, way) for name, way in ways.items()]
        state, expected = generator.get_state(), self.draw_if_taken(generator)
        for other in copies:
            self.expect_device(other, self.device, "a copied generator is on its device")
            self.expect_equal(other.initial_seed(), self.seed, "a copied generator keeps the seed")
            self.expect_tensor(other.get_state(), state, "a copied generator has the state")
            if expected is not None:
                self.expect_tensor(self.draw(other), expected, "a copied generator draws the same numbers as the original")

    def copied(self, generator, name, way):
        """Returns a copy. A generator without offsets may raise a clear error, but no internal error of Python."""
        try:
            return way(generator)
        except NotImplementedError as error:
            self.block(str(error), "generator.get_offset")
        except Exception as error:
            seen = expectation_words.error_words(error)
            self.require(self.expect(False, f"{name} of a generator works or says what is missing", seen))

    def test_states_of_all(self):
        """generator.rng_state_all_covers_every_device"""
        module = self.device_module
        missing = [name for name in ("get_rng_state_all", "set_rng_state_all") if not hasattr(module, name)]
        if missing:
            self.lacks("rng.states", f"the device module has no {', '.join(missing)}")
        states = module.get_rng_state_all()
        self.expect_equal(len(states), torch.accelerator.device_count(), "get_rng_state_all has one state per device")
        first = [self.draw(device=device) for device in self.devices[:2]]
        module.set_rng_state_all(states)
        for device, values in zip(self.devices, first):
            self.expect_tensor(self.draw(device=device), values, f"set_rng_state_all restores device {device.index}")

    def test_seed_width(self):
        """generator.seeds_keep_all_bits"""
        generator = self.generator(0)
        for seed in (0, 2**33 + 1, 2**63, 2**64 - 1):
            generator.manual_seed(seed)
            self.expect_equal(generator.initial_seed(), seed, "a seed keeps all 64 bits")

    def test_bad_index(self):
        """generator.generator_of_a_nonexistent_device_is_rejected"""
        self.generator(0)
        missing = f"{self.device_name}:{torch.accelerator.device_count()}"
        self.expect_raises(
            RuntimeError, "a generator for a device that does not exist is refused",
            torch.Generator, device=missing,
        )

    def test_bare_device(self):
        """generator.device_without_index_is_the_current_device"""
        for device in self.devices[:2]:
            torch.accelerator.set_device_index(device.index)
            self.expect_device(
                torch.Generator(device=self.device_name), device,
                "a generator made without an index is on the current device",
            )
        torch.accelerator.set_device_index(self.device.index)

    def test_before_first_use(self):
        """generator.seed_before_first_use_takes_effect"""
        first = self.draws_after_seed(self.seed)
        self.expect_tensor(self.draws_after_seed(self.seed), first, "a seed set before the first use takes effect")

    def test_order_before_first_use(self):
        """generator.last_seed_before_first_use_wins"""
        for seed in (self.seed, self.seed + 1, self.seed + 2):
            torch.manual_seed(seed)
        early = self.draw()
        self.expect_tensor(
            self.draws_after_seed(self.seed + 2), early, "the last of several seeds before the first use takes effect"
        )

    def test_no_seed_function(self):
        """generator.torch_manual_seed_warns_without_a_seed_function"""
        bare = mock.Mock(spec=[])
        with mock.patch.object(torch, self.device_name, bare, create=True):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                torch.manual_seed(self.seed)
        self.expect_true(
            any(issubclass(one.category, UserWarning) for one in seen),
            "torch.manual_seed warns if the module cannot seed", f"{[str(s.message) for s in seen]}",
        )


if __name__ == "__main__":
    unittest.main()
