# SPDX-License-Identifier: BSD-3-Clause
"""Tests of sparse COO tensors of the device against the CPU: gradients of embeddings, optimizers, sums, products."""

import io
import unittest

import torch

import torch_fakedev  # noqa: F401 (registers the device)

DEVICE = "fakedev:1"
INDICES, VALUES = torch.tensor([[1, 0, 1, 2], [2, 1, 2, 0]]), torch.tensor([4.0, 2.0, 1.0, 3.0])


def sparse(device):
    return torch.sparse_coo_tensor(INDICES.to(device), VALUES.to(device), (3, 4))


def rows(device):
    return torch.sparse_coo_tensor(INDICES[:1].to(device), torch.arange(8.0).reshape(4, 2).to(device), (3, 2))


class Sparse(unittest.TestCase):
    def both(self, function):
        """Calls the function for the CPU and for the device, compares the results, and returns the result of the
        device."""
        wanted, seen = function("cpu"), function(DEVICE)
        self.assertEqual((str(seen.device), seen.layout, seen.dtype), (DEVICE, wanted.layout, wanted.dtype))
        if wanted.is_sparse:
            self.assertEqual(wanted.is_coalesced(), seen.is_coalesced())
            self.assertEqual(wanted.coalesce().indices().tolist(), seen.coalesce().indices().tolist())
            wanted, seen = wanted.to_dense(), seen.to_dense()
        torch.testing.assert_close(seen.cpu(), wanted)
        return seen

    def test_creation(self):
        self.both(sparse)
        self.both(rows)
        self.both(lambda device: torch.sparse_coo_tensor((2, 3), device=device))
        self.both(lambda device: torch.empty(2, 3, layout=torch.sparse_coo, device=device))
        self.both(lambda device: torch.eye(3, device=device).to_sparse())
        self.both(lambda device: torch.ones(2, 3, device=device).to_sparse(1))
        self.both(lambda device: torch.zeros(2, 3, device=device).to_sparse())
        self.both(lambda device: sparse("cpu").to(device))
        self.assertIn("size=(3, 4), nnz=4", str(sparse(DEVICE)))

    def test_coalesce(self):
        self.both(lambda device: sparse(device).coalesce())
        self.both(lambda device: rows(device).coalesce())
        self.both(lambda device: sparse(device).coalesce().values())
        self.both(lambda device: torch.sparse_coo_tensor((2, 3), device=device).coalesce())

    def test_arithmetic(self):
        for other in (sparse, lambda device: sparse(device).coalesce() * 3):
            self.both(lambda device, other=other: sparse(device) + other(device))
            self.both(lambda device, other=other: torch.ones(3, 4, device=device).add(other(device), alpha=-2))
            self.both(lambda device, other=other: torch.ones(3, 4, device=device).add_(other(device)))
            self.both(lambda device, other=other: sparse(device).add_(other(device)))
        self.both(lambda device: torch.ones(3, 2, device=device) + rows(device))
        self.both(lambda device: torch.ones(3, 4, dtype=torch.int64, device=device) + sparse(device))
        self.both(lambda device: sparse(device).mul_(2))
        self.both(lambda device: torch.arange(12.0, device=device).reshape(3, 4).sparse_mask(sparse(device).coalesce()))
        self.both(lambda device: sparse(device).zero_())
        self.both(lambda device: sparse(device).clone())
        for place in ("cpu", DEVICE):
            with self.assertRaises(RuntimeError):
                sparse(place) + torch.ones(3, 4, device=place)

    def test_products(self):
        matrix = torch.arange(8.0).reshape(4, 2)
        self.both(lambda device: torch.sparse.mm(sparse(device), matrix.to(device)))
        self.both(lambda device: sparse(device) @ matrix.to(device))
        self.both(lambda device: torch.addmm(torch.ones(3, 2, device=device), sparse(device), matrix.to(device), beta=2, alpha=3))
        self.both(lambda device: torch.addmm(torch.full((2,), torch.nan, device=device), sparse(device), matrix.to(device), beta=0))

    def test_gradients_of_a_product(self):
        for which in range(2):
            def gradient(device, which=which):
                operands = [sparse(device).coalesce().requires_grad_(), torch.arange(8.0, device=device).reshape(4, 2).requires_grad_()]
                torch.sparse.mm(*operands).pow(2).sum().backward()
                return operands[which].grad
            self.both(gradient)

    def test_embedding_trains_with_each_optimizer(self):
        make = {"SGD": lambda p: torch.optim.SGD(p, 0.1), "SparseAdam": torch.optim.SparseAdam, "Adagrad": torch.optim.Adagrad}
        for name, optimizer in make.items():
            def trained(device, optimizer=optimizer):
                layer = torch.nn.Embedding(6, 3, sparse=True)
                layer.weight.data.copy_(torch.arange(18.0).reshape(6, 3))
                layer.to(device)
                chosen = optimizer(list(layer.parameters()))
                for _ in range(3):
                    chosen.zero_grad()
                    output = layer(torch.tensor([1, 2, 1, 5], device=device))
                    (output.pow(2).sum() + layer(torch.tensor([0, 1], device=device)).sum()).backward()
                    self.assertTrue(layer.weight.grad.is_sparse, name)
                    chosen.step()
                return layer.weight.detach()
            self.both(trained)

    def test_saved_and_loaded(self):
        for tensor in (sparse(DEVICE), sparse(DEVICE).coalesce()):
            file = io.BytesIO()
            torch.save(tensor, file)
            for place in (DEVICE, "cpu"):
                file.seek(0)
                loaded = torch.load(file, map_location=place)
                self.assertEqual((str(loaded.device), loaded.is_coalesced()), (place, tensor.is_coalesced()))
                self.assertEqual(loaded.to_dense().tolist(), tensor.to_dense().tolist())

    def test_index_outside_is_refused(self):
        for place in ("cpu", DEVICE):
            with self.assertRaises(RuntimeError):
                torch.sparse_coo_tensor(torch.tensor([[5]], device=place), torch.ones(1, device=place), (3,), check_invariants=True)


if __name__ == "__main__":
    unittest.main()
