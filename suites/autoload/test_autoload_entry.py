# SPDX-License-Identifier: BSD-3-Clause
"""Loads the backend through its own entry point: by `import torch` alone, twice, and before or after its package."""

import unittest

import torch
from assay.checks import Case
from suites.autoload import entry_points

TRIED = """
def tried(call, *arguments):
    try:
        return call(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}" + (f" (from {error.__cause__!r})" if error.__cause__ else "")

def use(name):
    values = SAMPLE
    return torch.equal(values.to(name).cpu(), values)
"""
IMPORT = TRIED + """
def import_torch():
    global torch
    import torch
    return torch._C._get_privateuse1_backend_name()

answer = {"name": tried(import_torch)}
"""
USE = IMPORT + """
name = answer["name"]
answer["used"] = tried(use, name) if "Error" not in name else None
"""
ABSENT = IMPORT + """
answer["available"] = tried(lambda: torch.accelerator.is_available())
"""


class AutoloadEntry(Case):
    def need_entry_point(self):
        """Returns the entry points of the target's packages. A target without entry points has no autoload."""
        found = entry_points.of_target()
        if not found:
            self.lacks("autoload", "no package that the target has loaded has an entry point in the group torch.backends")
        return found

    def expect_loaded(self, answer, what):
        if entry_points.is_of_another(answer["name"], self.device_name):
            self.cannot_observe("torch.backends", f"another backend is installed, too: {answer['name']}")
        self.require(self.expect_equal(answer["name"], self.device_name, what))

    def expect_usable(self, answer, what):
        self.expect_loaded(answer, what)
        used = answer["used"]
        if isinstance(used, str):
            self.block_if_refused(used)
        self.expect_equal(used, True, f"{what}, and a tensor can be copied to the device and back")

    def test_enough(self):
        """autoload.import_torch_loads_the_backend"""
        self.need_entry_point()
        answer = self.fresh_autoload(USE, "import torch with an entry point of the backend works", new=True)
        self.expect_usable(answer, "import torch alone loads the backend")

    def test_absent(self):
        """autoload.import_torch_loads_no_backend_without_entry_point"""
        if entry_points.of_target():
            self.has_all_the_same("autoload", "the target's package has an entry point in the group torch.backends")
        code = IMPORT + f"answer['device'] = tried(lambda: str(torch.device({self.device_name!r})))"
        answer = self.fresh_torch(code, "import torch without the backend works")
        self.expect_equal(answer["name"], "privateuseone", "import torch does not load a backend that is not installed")
        self.expect_true(
            "Expected one of cpu" in answer["device"], "torch.device of a backend that is not loaded raises", answer["device"]
        )

    def test_off(self):
        """autoload.can_be_disabled"""
        self.need_entry_point()
        # other values: see only_the_value_1_enables_autoload
        what = "import torch with TORCH_DEVICE_BACKEND_AUTOLOAD=0"
        answer = self.fresh_autoload(IMPORT, what, new=True, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
        self.expect_equal(answer["name"], "privateuseone", f"{what} loads no backend")

    def test_twice(self):
        """autoload.entry_point_can_be_called_twice"""
        found = self.need_entry_point()
        values = {f"assayed_{number}": point.value for number, point in enumerate(found)}
        with entry_points.neighbour(values) as folder:
            answer = self.fresh_autoload(USE, "import torch with an entry point that is installed twice works", first=[folder])
        self.expect_usable(answer, "import torch calls an entry point that is installed twice")

    def test_explicit(self):
        """autoload.import_after_autoload_changes_nothing"""
        found = self.need_entry_point()
        modules = sorted({point.module for point in found})
        code = IMPORT + self.steps_as_code() + f"""
import importlib

def registered():
    return len(torch._C._dispatch_get_registrations_for_dispatch_key("PrivateUse1"))

def again():
    for module in {modules!r}:
        importlib.import_module(module)
    run_steps()

if "Error" not in answer["name"]:
    before, module = registered(), getattr(torch, answer["name"], None)
    answer["again"] = tried(again)
    answer["kernels"] = registered() - before
    answer["module"] = getattr(torch, answer["name"], None) is module
"""
        answer = self.fresh_autoload(code, "importing the package after import torch has loaded it works")
        self.expect_loaded(answer, "import torch alone loads the backend")
        self.expect_equal(answer["again"], None, "importing the package that import torch has loaded raises nothing")
        self.expect_equal(answer["kernels"], 0, "importing the package again registers no kernel a second time")
        self.expect_equal(answer["module"], True, "importing the package again leaves the device module unchanged")

    def test_first(self):
        """autoload.package_can_be_imported_before_torch"""
        for point in self.need_entry_point():
            code = TRIED + f"""
import importlib

answer = {{"first": tried(lambda: str(importlib.import_module({point.module!r}).__name__))}}
if "Error" not in answer["first"]:
    import torch
    answer["name"] = torch._C._get_privateuse1_backend_name()
    answer["used"] = tried(use, answer["name"])
"""
            answer = self.fresh_autoload(code, f"a program whose first import is {point.module} exits normally", new=True)
            what = f"import {point.module} works as the first import of a program"
            self.require(self.expect(answer["first"] == point.module, what, f"raised {answer['first']}"))
            self.expect_usable(answer, f"import {point.module} loads the backend")

    def test_no_device(self):
        """autoload.import_torch_does_not_raise_without_devices"""
        self.need_entry_point()
        answer = self.fresh_autoload(ABSENT, "import torch on a machine without a device works", **self.without_devices())
        self.expect_loaded(answer, "import torch loads the backend if there is no device")
        self.expect_equal(answer["available"], False, "is_available() is False if there is no device")

    def test_children(self):
        """autoload.child_processes_load_the_backend"""
        self.need_entry_point()
        code = IMPORT + f"""
import concurrent.futures, multiprocessing

def in_a_child():
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as pool:
        return str(pool.submit(torch.device, "{self.device_name}:0").result())

answer["child"] = tried(in_a_child) if "Error" not in answer["name"] else None
"""
        answer = self.fresh_autoload(code, "a process can start another one")
        self.expect_loaded(answer, "import torch alone loads the backend")
        self.expect_equal(answer["child"], f"{self.device_name}:0", "torch.device of the backend works in a spawned process")

    def test_time(self):
        """autoload.import_time_is_recorded"""
        code = self.steps_as_code() + """
import time, torch
begin = time.monotonic()
run_steps()
answer = time.monotonic() - begin
"""
        seconds = self.fresh_torch(code, "loading the backend works")
        self.note("seconds to load the backend", round(seconds, 2))


if __name__ == "__main__":
    unittest.main()
