# SPDX-License-Identifier: BSD-3-Clause
"""A machine without the device. The `env` section of the target's profile says how to hide all devices:

    env: {ASSAY_ABSENT: "FOO_VISIBLE_DEVICES="}     # NAME=VALUE
"""

import unittest

from assay.checks import Case

CODE = """
import torch

def tried(call):
    try:
        return [True, str(call())]
    except Exception as error:
        return [False, f"{type(error).__name__}: {error}"]

name = torch._C._get_privateuse1_backend_name()
module = getattr(torch, name, None)

def backward():
    x = torch.ones(3, requires_grad=True)
    (x * x).sum().backward()
    return x.grad.tolist()

answer = {
    "count": tried(torch.accelerator.device_count),
    "available": tried(torch.accelerator.is_available),
    "module": tried(module.is_available) if hasattr(module, "is_available") else None,
    "seed": tried(lambda: torch.manual_seed(3) and None),
    "cpu": tried(lambda: (torch.ones(4) + 1).tolist()),
    "backward": tried(backward),
    "factory": tried(lambda: torch.empty(4, device=name).device),
    "indexed": tried(lambda: torch.empty(4, device=f"{name}:0").device),
}
"""


class GuardAbsent(Case):
    def test_without_devices(self):
        """guard.backend_loads_and_factories_raise_without_devices"""
        answer = self.fresh(
            CODE, "a process without a device loads the backend and exits normally", **self.without_devices()
        )
        self.note("without devices", answer)
        self.expect_equal(answer["count"], [True, "0"], "device_count() is 0 without a device")
        for who in ("available", "module"):
            if answer[who] is not None:
                self.expect_equal(answer[who], [True, "False"], f"is_available() is False ({who})")
        self.expect_true(answer["seed"][0], "manual_seed works without a device", answer["seed"][1])
        self.expect_equal(answer["cpu"], [True, "[2.0, 2.0, 2.0, 2.0]"], "the CPU computes")
        self.expect_equal(answer["backward"], [True, "[2.0, 2.0, 2.0]"], "backward works on the CPU without a device")
        for which in ("factory", "indexed"):
            self.expect_true(not answer[which][0], "a device factory raises without a device", answer[which][1])


if __name__ == "__main__":
    unittest.main()
