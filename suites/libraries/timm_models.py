# SPDX-License-Identifier: BSD-3-Clause
"""The models that timm uses in its own tests, one for each family. These models are already small."""

import torch
from suites.libraries.tiny_model import checked

WARM = ("timm",)


def names():
    import timm

    return {name: name for name in timm.list_models("test_*")}


def tinies(name):
    import timm

    def make():
        return timm.create_model(name, pretrained=False, num_classes=4)

    config = timm.get_pretrained_cfg(name)
    draw = torch.Generator().manual_seed(20260104)
    sides = dict.fromkeys((64, config.input_size[-1]))
    inputs = ({"x": torch.randn(2, config.input_size[0], side, side, generator=draw)} for side in sides)
    return [checked(make, inputs)]
