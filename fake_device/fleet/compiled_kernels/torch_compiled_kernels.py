# SPDX-License-Identifier: BSD-3-Clause
"""A backend with one device, `jitdev` (the name torch.jit is taken). Kernels are compiled at their first use."""

import os
from pathlib import Path

import fleet_module
import torch

os.environ.setdefault("KERNEL_CACHE", str(Path(__file__).resolve().parent / "kernels"))

module = fleet_module.load("compiled_kernels", devices=1)
fleet_module.add_streams(module)
fleet_module.add_generators(module)
fleet_module.add_autocast(module, torch.float16, torch.bfloat16)
module.synchronize = lambda device: torch.accelerator.synchronize(module._index(device))  # synchronize-needs-device
torch.utils.generate_methods_for_privateuse1_backend()


def compile_graph(graph, inputs):
    """torch.compile(backend="compiled_kernels") finds this function by its entry point."""
    import compiled_kernels_graphs

    return compiled_kernels_graphs.compile_graph(graph, inputs)
