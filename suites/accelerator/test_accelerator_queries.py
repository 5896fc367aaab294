# SPDX-License-Identifier: BSD-3-Clause
"""Queries: whether there is an accelerator, which accelerator it is, and how many devices it has."""

import unittest
import warnings

import torch
from assay.checks import Case, stand_in

accelerator = torch.accelerator

ABSENT = """
import torch

def tried(call):
    try:
        return str(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"

answer = tried(lambda: torch.accelerator.current_accelerator(check_available=True))
"""

NO_BACKEND = """
import torch
from assay.checks.torch_build import accelerator_of_the_build

built = accelerator_of_the_build()
accelerator = torch.accelerator

def tried(call, *arguments):
    try:
        return str(call(*arguments))
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def entered():
    with accelerator.device_index(0):
        pass

answer = {
    "built": built,
    "devices": torch.get_device_module(built).device_count() if built else 0,
    "current_accelerator()": tried(accelerator.current_accelerator),
    "current_accelerator(check_available=True)": tried(accelerator.current_accelerator, True),
    "device_count()": tried(accelerator.device_count),
    "is_available()": tried(accelerator.is_available),
    "set_device_index(-1)": tried(accelerator.set_device_index, -1),
}
if not built:
    answer["torch.Stream().device"] = tried(lambda: torch.Stream().device)
    answer["torch.Event().device"] = tried(lambda: torch.Event().device)
    answer["refused"] = {
        "current_device_index()": tried(accelerator.current_device_index),
        "set_device_index(0)": tried(accelerator.set_device_index, 0),
        "current_stream()": tried(accelerator.current_stream),
        "set_stream(torch.Stream())": tried(accelerator.set_stream, torch.Stream()),
        "synchronize()": tried(accelerator.synchronize),
        "device_index(0)": tried(entered),
        "memory_allocated()": tried(accelerator.memory_allocated),
        "empty_cache()": tried(accelerator.empty_cache),
    }
torch.utils.rename_privateuse1_backend("assayed")
answer["renamed"] = tried(accelerator.current_accelerator)
answer["without module"] = tried(accelerator.is_available)
"""


def answers_of_build(built, devices):
    """Maps each call to its result before a backend has set its name. PyTorch was built for `built` and finds `devices`
    devices."""
    answers = {
        "current_accelerator()": str(built),
        "current_accelerator(check_available=True)": str(built if devices else None),
        "device_count()": str(devices),
        "is_available()": str(devices > 0),
        "set_device_index(-1)": "None",
    }
    if not built:
        answers |= {"torch.Stream().device": "cpu", "torch.Event().device": "cpu"}
    return answers


def clause_of(call):
    """Returns the clause that states the result of this call before a backend has set its name."""
    if call.startswith("current_accelerator"):
        return "ACC-001"
    return "ACC-024" if call.startswith("torch.") else "ACC-013"


class AcceleratorQueries(Case):
    def test_backend(self):
        """accelerator.current_accelerator_is_the_backend"""
        seen = accelerator.current_accelerator()
        self.require(
            self.expect_true(
                isinstance(seen, torch.device) and seen.type == self.device_name,
                f"the accelerator is {self.device_name}", f"{seen!r}",
            )
        )
        self.expect_equal(seen.index, None, "current_accelerator() has no index")

    def test_absent(self):
        """accelerator.current_accelerator_is_none_without_devices"""
        seen = self.fresh(ABSENT, "a process without a device can load the backend", **self.without_devices())
        self.expect_equal(seen, "None", "current_accelerator(check_available=True) is None if there is no device")

    def test_asks(self):
        """accelerator.availability_comes_from_the_device_module"""
        here = [True]
        functions = {"is_available": lambda: here[0], "device_count": lambda: 7}
        with stand_in.stand_in(self.device_name, **functions):
            self.clause("ACC-003")
            self.expect_equal(accelerator.device_count(), 7, "device_count() is the number of the device module")
            for here[0] in (True, False):
                what = f"if torch.{self.device_name}.is_available() is {here[0]}"
                self.clause("ACC-004")
                self.expect_equal(accelerator.is_available(), here[0], f"is_available() returns the same {what}")
                expected = self.bare_device if here[0] else None
                self.clause("ACC-002")
                self.expect_equal(
                    accelerator.current_accelerator(check_available=True), expected,
                    f"current_accelerator(check_available=True) {what}",
                )

    def test_no_backend(self):
        """accelerator.current_accelerator_is_none_without_a_backend"""
        answer = self.fresh_torch(NO_BACKEND, "a process with PyTorch and no backend exits normally")
        built, devices = answer["built"], answer["devices"]
        where = f"before a backend is named, in a PyTorch built for {built or 'the CPU only'}"
        self.clause("ACC-024")  # if PyTorch was built for an accelerator, nothing tests this clause
        for call, expected in answers_of_build(built, devices).items():
            self.clause(clause_of(call))
            self.expect_equal(answer[call], expected, f"{call} {where}")
        self.clause("ACC-013")
        for call, seen in answer.get("refused", {}).items():
            self.expect_true(
                seen.startswith("RuntimeError: Cannot access accelerator device when none is available"),
                f"{call} {where} raises and names the reason", seen,
            )
        self.clause("ACC-001")
        self.expect_equal(answer["renamed"], "assayed", "a backend with a name is the accelerator")
        self.clause("ACC-004")
        self.expect_true(
            "does not have a corresponding module" in answer["without module"],
            "is_available() reports that the backend has no device module", answer["without module"],
        )

    def test_capability(self):
        """accelerator.device_capability_lists_dtypes"""
        seen = self.supported("device.capability", accelerator.get_device_capability, self.device)
        self.expect_true(
            isinstance(seen.get("supported_dtypes"), set), "get_device_capability() has a set supported_dtypes",
            f"{seen!r}"[:300],
        )

    def test_old_names(self):
        """accelerator.deprecated_functions_warn_and_switch_the_device"""
        index = self.devices[-1].index
        self.put_device_back()
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            accelerator.set_device_idx(index)
            self.expect_equal(accelerator.current_device_idx(), index, "set_device_idx makes the device current")
        kinds = [one.category for one in seen if "current_device_index" in str(one.message) or "set_device_index" in str(one.message)]
        self.expect_equal(kinds, [FutureWarning] * 2, "both deprecated names warn and name their replacements")


if __name__ == "__main__":
    unittest.main()
