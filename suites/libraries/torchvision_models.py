# SPDX-License-Identifier: BSD-3-Clause
"""The classifiers of torchvision that are already small. torchvision has no parameters to make other classifiers
smaller."""

import torch
from suites.libraries.tiny_model import Unfit, checked

WARM = ("torchvision",)
MOST = 6_000_000


def names():
    import torchvision

    return {name: name for name in torchvision.models.list_models(module=torchvision.models)}


def tinies(name):
    import torchvision

    def make():
        return torchvision.models.get_model(name, weights=None, num_classes=4)

    with torch.device("meta"):
        count = sum(one.numel() for one in make().parameters())
    if count > MOST:
        raise Unfit(f"the model cannot be made small: {count:,} parameters")
    draw = torch.Generator().manual_seed(20260105)
    sides = (64, 224, 299)
    return [checked(make, ({"x": torch.randn(2, 3, side, side, generator=draw)} for side in sides), most=MOST)]
