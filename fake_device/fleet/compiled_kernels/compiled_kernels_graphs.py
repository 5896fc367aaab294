# SPDX-License-Identifier: BSD-3-Clause
"""The compile backend of compiled_kernels. Importing this file imports the compiler of PyTorch."""

import torch
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd


def _planned(graph, inputs):
    """The device plans the memory of a graph when it is compiled, so each size must be a number."""
    sizes = {place: one.node.hint for place, one in enumerate(inputs) if isinstance(one, torch.SymInt)}

    def run(*arguments):
        # symbolic-size-is-a-number
        return graph.forward(*(sizes.get(place, one) for place, one in enumerate(arguments)))

    return make_boxed_func(run)


compile_graph = aot_autograd(fw_compiler=_planned)
