# SPDX-License-Identifier: BSD-3-Clause
"""Tests the samples that assay adds to PyTorch's for some operators."""

import unittest

import torch  # noqa: E402
from assay.operators import samples as own_samples, torch_testing
from assay.operators.arguments import Arguments


class OwnSamples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.operators = torch_testing.operators()

    def made(self, make, name, dtype=torch.float32):
        operator = self.operators[name]
        torch_testing.seed()
        found = []
        for sample in operator.sample_inputs("cpu", dtype):
            found += make(operator, Arguments.of(sample))
        return operator, found

    def test_large_ones_reach_over_a_block_and_the_cpu_takes_them(self):
        for name in ("add", "sum", "mm", "nn_functional_conv2d", "softmax", "gather", "cumsum", "nn_functional_layer_norm"):
            with self.subTest(name):
                operator, made = self.made(own_samples.large, name)
                taken = 0
                for sample in made:
                    try:
                        sample.on("cpu").call(operator.op)
                        taken += max(one.numel() for one in sample.tensors()) > 1024
                    except (RuntimeError, IndexError, ValueError):
                        pass
                self.assertTrue(taken)

    def test_larger_ones_need_an_index_of_more_than_16_bits(self):
        _, made = self.made(own_samples.larger, "exp")
        self.assertGreater(max(sample.input.numel() for sample in made), 1 << 16)

    def test_what_nobody_can_compute_is_not_made(self):
        operator, made = self.made(own_samples.larger, "kron")
        self.assertTrue(all(own_samples._fits(operator, sample) for sample in made))
        self.assertEqual(self.made(own_samples.large, "linalg_svd")[1], [])

    def test_scalars_and_dims_are_others(self):
        _, made = self.made(own_samples.options, "add")
        self.assertIn(2.5, [sample.kwargs.get("alpha") for sample in made])
        _, made = self.made(own_samples.options, "var")
        self.assertLessEqual({0, 2}, {sample.kwargs.get("correction") for sample in made})
        _, made = self.made(own_samples.options, "argmin")
        self.assertLessEqual({0, 1, 2}, {sample.kwargs.get("dim") for sample in made})

    def test_with_a_beta_of_0_nothing_of_the_input_counts(self):
        _, made = self.made(own_samples.options, "addmm")
        blank = [sample for sample in made if sample.kwargs.get("beta") == 0]
        self.assertTrue(blank)
        self.assertTrue(all(sample.input.isnan().all() for sample in blank))

    def test_ties_duplicates_and_layouts(self):
        _, made = self.made(own_samples.tied, "sort")
        self.assertTrue(all(len(sample.input.unique()) < sample.input.numel() for sample in made) and made)
        _, made = self.made(own_samples.duplicated, "index_add")
        self.assertTrue(any(len(sample.args[1].unique()) < sample.args[1].numel() for sample in made if sample.args[1].dim()))
        self.assertEqual(self.made(own_samples.duplicated, "index_copy")[1], [])
        _, made = self.made(own_samples.transposed, "mm")
        self.assertTrue(any(not sample.input.is_contiguous() for sample in made))
        _, made = self.made(own_samples.expanded, "sum")
        self.assertTrue(any(0 in sample.input.stride() for sample in made))
        self.assertTrue(any(sample.input.stride()[:2] == (1, 1) for sample in made))

    def test_elementwise_operators_get_dimensions(self):
        _, made = self.made(own_samples.with_dimensions, "cos")
        self.assertEqual({sample.input.dim() for sample in made}, {2, 4})


if __name__ == "__main__":
    unittest.main()
