# SPDX-License-Identifier: BSD-3-Clause
"""The c10d backend "fakedist" in torch.distributed: the default for tensors of this device.

The device has no interconnect. Tensors are copied to the host, and gloo transfers them between the ranks.
Serves: DIST-001 to DIST-008, DIST-027.
"""

import torch.distributed as dist

from . import _C

BACKEND = "fakedist"


def _create(store, rank, size, timeout):
    if not dist.is_gloo_available():
        raise RuntimeError(f"{BACKEND} needs gloo, which this torch was built without")
    return _C.collective_backend(dist.ProcessGroupGloo(store, rank, size, timeout))


def register(device):
    if dist.is_available():
        dist.Backend.register_backend(BACKEND, _create, devices=[device])
