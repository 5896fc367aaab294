# SPDX-License-Identifier: BSD-3-Clause
"""One check for each operator of the installed torch and each dtype that it takes on the CPU."""

import torch
import torch_testing
from assay_host import listing

COVERS = ["OPI-009", "OPI-011", "OPI-012", "OPI-013", "OPI-014", "OPI-015", "OPI-016", "OPI-018", "OPI-019"]


def read_dtypes(words):
    for word in words.split(","):
        dtype = getattr(torch, word, None)
        if not isinstance(dtype, torch.dtype):
            raise listing.Refusal(
                f'"{word}" is no dtype of torch: give names like float32, with commas between them'
            )
        yield word, dtype


def list_checks(arguments, steps):
    dtypes = list(read_dtypes(arguments[0]))
    for name, operator in torch_testing.operators().items():
        for word, dtype in dtypes:
            if dtype in operator.supported_dtypes("cpu"):
                yield {
                    "id": f"opinfo.{name}.{word}",
                    "covers": COVERS,
                    "summary": f"{operator.full_name} {word}",
                    "timeout": 120,
                }


if __name__ == "__main__":
    listing.serve("opinfo", "test_sweep.py", list_checks)
