# SPDX-License-Identifier: BSD-3-Clause
"""Tests that every row of uncompared.tsv is needed: without the row, the judge would call two correct results
different."""

import unittest

import torch  # noqa: E402
from assay.values.judge import compare
from assay.values.tables import ALL, RANDOM, is_norm_of_one, rows, uncompared

MATRIX = torch.randn(5, 5, generator=torch.Generator().manual_seed(1))
SIGNS = torch.tensor([1.0, -1.0, -1.0, 1.0, -1.0])
TIES = torch.tensor([2.0, 1.0, 2.0, 1.0, 2.0])


def same(left, right):
    return torch.allclose(left, right, atol=1e-5)


def with_memory(fill, make):
    """A result in uninitialised memory, which an option of core fills."""
    torch.use_deterministic_algorithms(fill)
    try:
        return make()
    finally:
        torch.use_deterministic_algorithms(False)


def unwritten(of=torch.empty):
    return with_memory(True, lambda: of(8)), torch.zeros(8), True


def grown():
    return with_memory(True, lambda: torch.zeros(1).resize_(9)), torch.zeros(9), True


def ctc():
    scores = torch.randn(6, 2, 4, generator=torch.Generator().manual_seed(1)).log_softmax(-1)
    words = torch.tensor([[1, 2, 3], [2, 0, 0]])
    made = [with_memory(fill, lambda: torch._ctc_loss(scores, words, [6, 3], [3, 1])) for fill in (True, False)]
    (loss, cells), (other, others) = made
    others = torch.where(cells.isnan(), 0.0, others)
    return (loss, cells), (other, others), same(loss, other)


def svd():
    left, values, right = torch.linalg.svd(MATRIX)
    other = left * SIGNS, values, SIGNS[:, None] * right
    return (left, values, right), other, same(other[0] * other[1] @ other[2], MATRIX)


def eigh():
    whole = MATRIX + MATRIX.T
    values, vectors = torch.linalg.eigh(whole)
    other = vectors * SIGNS
    return (values, vectors), (values, other), same(other * values @ other.T, whole)


def eig():
    values, vectors = torch.linalg.eig(MATRIX)
    other = vectors * SIGNS
    return (values, vectors), (values, other), same(MATRIX.cfloat() @ other, other * values)


def eigenvalues():
    values, vectors = torch.linalg.eig(MATRIX)
    other = values.flip(0), vectors.flip(1)
    return (values, vectors), other, same(MATRIX.cfloat() @ other[1], other[1] * other[0])


def qr():
    left, right = torch.linalg.qr(MATRIX)
    return (left, right), (left * SIGNS, SIGNS[:, None] * right), same(left * SIGNS @ (SIGNS[:, None] * right), MATRIX)


def sort():
    values, order = TIES.sort(stable=True)
    other = order.flip(0)[[3, 4, 0, 1, 2]]
    return (values, order), (values, other), same(TIES[other], values)


def topk():
    return (TIES[[0, 2]], torch.tensor([0, 2])), (TIES[[2, 4]], torch.tensor([2, 4])), same(TIES[[2, 4]], TIES.topk(2)[0])


def kthvalue():
    value = TIES.kthvalue(1)[0]
    return (value, torch.tensor(1)), (value, torch.tensor(3)), bool(TIES[1] == TIES[3] == value)


def median():
    value = TIES.median(0)[0]
    return (value, torch.tensor(0)), (value, torch.tensor(4)), bool(TIES[0] == TIES[4] == value)


def mode():
    value = TIES.mode()[0]
    return (value, torch.tensor(0)), (value, torch.tensor(4)), bool(TIES[0] == TIES[4] == value)


class Tables(unittest.TestCase):
    def test_every_row_is_needed(self):
        for row in rows("uncompared.tsv"):
            with self.subTest(row["operator"]):
                right, other, is_right = globals()[row["shown_by"]]()
                self.assertTrue(is_right)
                self.assertTrue(compare(other, right))

    def test_every_row_is_an_operator_of_the_installed_torch(self):
        for row in rows("uncompared.tsv"):
            with self.subTest(row["operator"]):
                packet = getattr(torch.ops.aten, row["operator"])
                found = uncompared(getattr(packet, packet.overloads()[0]))
                self.assertEqual(found[1], row["why"])

    def test_which_results(self):
        self.assertEqual(uncompared(torch.ops.aten.sort.default)[0], {1})
        self.assertEqual(uncompared(torch.ops.aten.empty_like.default)[0], ALL)
        self.assertEqual(uncompared(torch.ops.aten.bernoulli_.float), (ALL, RANDOM))
        self.assertIsNone(uncompared(torch.ops.aten.mul.Tensor))


class NormOfOne(unittest.TestCase):
    def test_what_core_composes_of_one_element_is_a_rounding_and_of_two_it_is_judged(self):
        x, weight = torch.tensor([-6.3]), torch.tensor([7.1])
        composed = torch.native_batch_norm(x.reshape(1, 1, 1), None, None, None, None, True, 0.0, 1e-5)[0].flatten() * weight
        kernel = torch.native_layer_norm(x, (1,), weight, None, 1e-5)[0]
        self.assertEqual(kernel.item(), 0)
        self.assertTrue(composed.item() == 0 or compare(composed, kernel))
        self.assertTrue(is_norm_of_one("aten::native_layer_norm", (x, (1,), weight)))
        self.assertFalse(is_norm_of_one("aten::native_layer_norm", (x, (2,), weight)))
        self.assertFalse(is_norm_of_one("aten::sum", (x, (1,))))


if __name__ == "__main__":
    unittest.main()
