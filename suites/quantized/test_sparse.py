# SPDX-License-Identifier: BSD-3-Clause
"""Sparse tensors in coordinate and compressed layouts: created on the device or copied to the device, and their
contents."""

import torch
from assay.checks import Case
from assay.checks.offered import ask_offered
from suites.quantized import survival

# one position occurs twice
INDICES, VALUES, SIZE = torch.tensor([[1, 0, 1], [2, 1, 2]]), torch.tensor([4.0, 2.0, 1.0]), (2, 3)
ROWS, COLUMNS, COMPRESSED = torch.tensor([0, 1, 3]), torch.tensor([1, 0, 2]), torch.tensor([4.0, 2.0, 1.0])
DENSE = torch.tensor([[0.0, 2.0, 0.0, 0.0], [3.0, 0.0, 0.0, 5.0]])
MATRIX = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def after_clone_changed(tensor):
    whole = tensor.coalesce()
    whole.clone().values().zero_()
    return whole.to_dense()


BY_COORDINATES = {
    "sparse_coo_tensor of tensors there": lambda place: torch.sparse_coo_tensor(INDICES.to(place), VALUES.to(place), SIZE),
    "sparse_coo_tensor with device=": lambda place: torch.sparse_coo_tensor(INDICES, VALUES, SIZE, device=place),
    "sparse_coo_tensor without elements": lambda place: torch.sparse_coo_tensor(SIZE, device=place),
    "to_sparse": lambda place: DENSE[:, :3].to(place).to_sparse(),
}
BY_ROWS = {
    "sparse_csr_tensor of tensors there": lambda place: torch.sparse_csr_tensor(
        ROWS.to(place), COLUMNS.to(place), COMPRESSED.to(place), SIZE),
    "sparse_csr_tensor with device=": lambda place: torch.sparse_csr_tensor(ROWS, COLUMNS, COMPRESSED, SIZE, device=place),
    "to_sparse_csr": lambda place: DENSE[:, :3].to(place).to_sparse_csr(),
}
MOVED = {
    "a COO tensor that is copied to the device": lambda place: DENSE.to_sparse().to(place),
    "a CSR tensor that is copied to the device": lambda place: DENSE.to_sparse_csr().to(place),
    "a CSC tensor that is copied to the device": lambda place: DENSE.to_sparse_csc().to(place),
    "a BSR tensor that is copied to the device": lambda place: DENSE.to_sparse_bsr((2, 2)).to(place),
    "a BSC tensor that is copied to the device": lambda place: DENSE.to_sparse_bsc((2, 2)).to(place),
}
FORM = {
    "layout": lambda tensor: str(tensor.layout),
    "dtype and shape": lambda tensor: (str(tensor.dtype), list(tensor.shape)),
    "to_dense": lambda tensor: tensor.to_dense(),
}
BACK = {"the values after a copy back": lambda tensor: tensor.cpu().to_dense().tolist()}
COORDINATES = {
    "indices": lambda tensor: tensor.coalesce().indices(),
    "values": lambda tensor: tensor.coalesce().values(),
    "twice the values": lambda tensor: (tensor * 2).to_dense(),
    "the product with a matrix": lambda tensor: torch.sparse.mm(tensor, MATRIX.to(tensor.device)),
    "the numbers after a change of a clone": after_clone_changed,
}
COMPRESSED_ROWS = {
    "crow_indices": lambda tensor: tensor.crow_indices(),
    "col_indices": lambda tensor: tensor.col_indices(),
    "values": lambda tensor: tensor.values(),
    "the product with a matrix": lambda tensor: tensor @ MATRIX.to(tensor.device),
}


class Sparse(survival.Survives, Case):
    def test_coordinates(self):
        """quantized.sparse_coo_tensors_hold_the_given_values"""
        ask_offered(self, "sparse", BY_COORDINATES, FORM | BACK | COORDINATES)

    def test_rows(self):
        """quantized.sparse_csr_tensors_hold_the_given_values"""
        ask_offered(self, "sparse", BY_ROWS, FORM | BACK | COMPRESSED_ROWS)

    def test_moved(self):
        """quantized.copied_sparse_tensors_keep_their_layout"""
        ask_offered(self, "sparse", MOVED, FORM | BACK)

    def test_survival(self):
        """quantized.unsupported_sparse_tensors_do_not_crash"""
        self.ask_survival(BY_COORDINATES | BY_ROWS | MOVED)
