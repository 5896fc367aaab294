# SPDX-License-Identifier: BSD-3-Clause
"""Lists one check for each operator of the installed torch and each dtype that the operator supports on the CPU."""

import torch
from assay.host import listing
from assay.operators import torch_testing
from assay.operators.values import DEEP

COVERS = [f"OPI-{number:03}" for number in (9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 23)] + ["OPS-066", "OPS-067"]
CLAUSES = {  # clauses of the operators module that some operators cover
    "OPS-008": "view view_as reshape reshape_as",
    "OPS-035": "nn_functional_linear einsum",
    "OPS-050": "nn_functional_conv1d nn_functional_conv2d nn_functional_conv3d",
    "OPS-057": "norm norm_fro norm_nuc norm_inf linalg_norm linalg_vector_norm linalg_matrix_norm",
    "OPS-073": "matmul __rmatmul__",
    "OPS-074": "sum mean amax var logsumexp prod cumsum cumprod",
    "OPS-078": "nn_functional_batch_norm native_batch_norm",
    "OPS-079": "conj_physical",
}


def covered_by(name):
    return COVERS + [clause for clause, names in CLAUSES.items() if name in names.split()]


def read_dtypes(words):
    for word in words.split(","):
        dtype = getattr(torch, word.removesuffix(DEEP), None)
        if not isinstance(dtype, torch.dtype):
            raise listing.Refusal(f'"{word}" is not a dtype of torch: give names like float32, comma-separated')
        yield word, dtype


def list_checks(arguments, steps):
    dtypes = list(read_dtypes(arguments[0]))
    for name, operator in torch_testing.operators().items():
        for word, dtype in dtypes:
            if dtype in operator.supported_dtypes("cpu"):
                yield {
                    "id": f"opinfo.{name}.{word}",
                    "covers": covered_by(name),
                    # only some clauses need a second device or a fallback
                    "capability": ["opinfo"],
                    "summary": f"{operator.full_name} {word}",
                    "timeout": 480 if word.endswith(DEEP) else 120,
                }


if __name__ == "__main__":
    listing.serve("opinfo", "test_sweep.py", list_checks)
