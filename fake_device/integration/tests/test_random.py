# SPDX-License-Identifier: BSD-3-Clause
"""Generators: one per device, states are copies, seeds begin again."""

import copy
import pickle
import unittest

import torch
from torch.utils.checkpoint import checkpoint

from in_child import output

fakedev = torch.fakedev


def draw(generator, count=64):
    return torch.rand(count, device=generator.device, generator=generator).cpu()


class Generator(unittest.TestCase):
    def setUp(self):
        fakedev.set_device(0)

    def test_device_and_default_seed(self):
        self.assertEqual(torch.device("fakedev", 1), torch.Generator("fakedev:1").device)
        self.assertEqual(torch.device("fakedev", 0), torch.Generator("fakedev").device)
        self.assertEqual(67280421310721, torch.Generator("fakedev:1").initial_seed())
        with self.assertRaises(RuntimeError):
            torch.Generator(f"fakedev:{fakedev.device_count()}")

    def test_same_seed_same_numbers(self):
        generator = torch.Generator("fakedev:1").manual_seed(2**64 - 1)
        first = draw(generator)
        self.assertFalse(torch.equal(first, draw(generator)))
        self.assertEqual(2**64 - 1, generator.initial_seed())
        generator.manual_seed(2**64 - 1)
        self.assertTrue(torch.equal(first, draw(generator)))

    def test_offset_counts_and_can_be_set_back(self):
        generator = torch.Generator("fakedev:0").manual_seed(3)
        first = draw(generator)
        self.assertGreater(generator.get_offset(), 0)
        generator.set_offset(0)
        self.assertTrue(torch.equal(first, draw(generator)))

    def test_state_is_a_copy(self):
        generator = torch.Generator("fakedev:0").manual_seed(3)
        draw(generator)
        state = generator.get_state()
        kept = state.clone()
        first = draw(generator)
        self.assertTrue(torch.equal(kept, state))
        generator.set_state(state)
        self.assertTrue(torch.equal(first, draw(generator)))

    def test_wrong_state_changes_nothing(self):
        generator = torch.Generator("fakedev:0").manual_seed(3)
        state = generator.get_state()
        for wrong in (torch.zeros(15, dtype=torch.uint8), torch.zeros(17, dtype=torch.uint8),
                      torch.zeros(32, dtype=torch.uint8)[::2], torch.zeros(16)):
            with self.assertRaises((RuntimeError, TypeError)):
                generator.set_state(wrong)
        self.assertTrue(torch.equal(state, generator.get_state()))

    def test_clone_pickle_and_deepcopy_go_their_own_way(self):
        generator = torch.Generator("fakedev:1").manual_seed(3)
        draw(generator)
        for twin in (generator.clone_state(), copy.deepcopy(generator),
                     pickle.loads(pickle.dumps(generator))):
            self.assertEqual(generator.device, twin.device)
            offset = generator.get_offset()
            numbers = draw(twin)
            self.assertEqual(offset, generator.get_offset())
            twin.set_offset(offset)
            self.assertTrue(torch.equal(numbers, draw(twin)))

    def test_graphsafe_state_is_shared(self):
        generator = torch.Generator("fakedev:0").manual_seed(3)
        other = torch.Generator("fakedev:0")
        other.graphsafe_set_state(generator.graphsafe_get_state())
        draw(generator)
        self.assertEqual(generator.get_offset(), other.get_offset())

    def test_seed_is_never_the_same(self):
        generator = torch.Generator("fakedev:0")
        seeds = {generator.seed() for _ in range(8)}
        self.assertEqual(8, len(seeds))
        self.assertIn(generator.initial_seed(), seeds)

    def test_generator_of_another_device_is_refused(self):
        for wrong in (torch.Generator("cpu"), torch.Generator("fakedev:1")):
            with self.assertRaisesRegex(RuntimeError, "Expected a"):
                torch.rand(4, device="fakedev:0", generator=wrong)


class DefaultGenerators(unittest.TestCase):
    def test_manual_seed_reaches_every_device(self):
        for seed in (7, -1, -2**63, 2**64 - 1):
            torch.manual_seed(seed)
            first = [torch.rand(8, device=f"fakedev:{i}").cpu() for i in (0, 1)]
            torch.manual_seed(seed)
            for index, numbers in enumerate(first):
                self.assertTrue(torch.equal(numbers, torch.rand(8, device=f"fakedev:{index}").cpu()))

    def test_devices_do_not_share(self):
        fakedev.manual_seed_all(5)
        offset = fakedev.default_generators[1].get_offset()
        torch.rand(100, device="fakedev:0")
        self.assertEqual(offset, fakedev.default_generators[1].get_offset())
        self.assertGreater(fakedev.default_generators[0].get_offset(), offset)

    def test_rng_state_takes_every_form(self):
        for device in (1, "fakedev:1", torch.device("fakedev", 1)):
            state = fakedev.get_rng_state(device)
            torch.rand(4, device="fakedev:1")
            fakedev.set_rng_state(state, device)
            self.assertTrue(torch.equal(state, fakedev.get_rng_state(1)))
        fakedev.set_rng_state_all(fakedev.get_rng_state_all())

    def test_fork_rng_restores_all_devices(self):
        before = fakedev.get_rng_state_all()
        with torch.random.fork_rng(devices=range(fakedev.device_count()), device_type="fakedev"):
            for index in range(fakedev.device_count()):
                torch.rand(4, device=f"fakedev:{index}")
        for one, other in zip(before, fakedev.get_rng_state_all()):
            self.assertTrue(torch.equal(one, other))

    def test_seed_before_first_use_takes_effect(self):
        code = """
            import torch
            torch.manual_seed(11)
            assert not torch.fakedev.is_initialized()
            print(torch.rand(4, device="fakedev:1").tolist())
        """
        torch.manual_seed(11)
        self.assertEqual(str(torch.rand(4, device="fakedev:1").tolist()), output(code))


class ComputedOnTheCpu(unittest.TestCase):
    """Operators without a kernel whose numbers the device's generator decides all the same."""

    CALLS = {
        "poisson": lambda x, generator: torch.poisson(x, generator),
        "binomial": lambda x, generator: torch.binomial(x * 10, x, generator),
        "gamma": lambda x, generator: torch._standard_gamma(x, generator),
        "dirichlet": lambda x, generator: torch._sample_dirichlet(x, generator),
        "rrelu": lambda x, generator: torch.rrelu(-x, training=True, generator=generator),
    }

    def test_generator_decides(self):
        x = torch.full((64,), 0.5, device="fakedev:1")
        generator = torch.Generator("fakedev:1")
        for name, call in self.CALLS.items():
            with self.subTest(operator=name):
                host = torch.get_rng_state()
                first = call(x, generator.manual_seed(5)).cpu()
                self.assertTrue(torch.equal(first, call(x, generator.manual_seed(5)).cpu()))
                self.assertFalse(torch.equal(first, call(x, generator).cpu()))
                self.assertTrue(torch.equal(host, torch.get_rng_state()))
                with self.assertRaisesRegex(RuntimeError, "Expected a"):
                    call(x, torch.Generator("cpu"))

    def test_rrelu_in_evaluation_draws_nothing(self):
        state = fakedev.get_rng_state(1)
        torch.rrelu(torch.ones(4, device="fakedev:1"), training=False)
        self.assertTrue(torch.equal(state, fakedev.get_rng_state(1)))


class Checkpoint(unittest.TestCase):
    def test_recomputation_draws_the_same_numbers(self):
        for reentrant in (True, False):
            for device in ("fakedev:0", "fakedev:1"):
                with self.subTest(reentrant=reentrant, device=device):
                    x = torch.ones(64, device=device, requires_grad=True)
                    y = checkpoint(lambda t: torch.rand_like(t) * t, x, use_reentrant=reentrant)
                    y.sum().backward()
                    self.assertTrue(torch.equal(y.detach().cpu(), x.grad.cpu()))


if __name__ == "__main__":
    unittest.main()
