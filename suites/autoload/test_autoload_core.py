# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch's handling of entry points. The check adds its own entry points before all others."""

import unittest

import torch
from assay.checks import Case
from suites.autoload import entry_points

SWITCH = """
import os
import torch

answer = {}
for value in (None, "1", "0", "true", "", "2"):
    os.environ.pop("TORCH_DEVICE_BACKEND_AUTOLOAD", None)
    if value is not None:
        os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = value
    answer[str(value)] = torch._is_device_backend_autoload_enabled()
"""

NEIGHBOUR = """
import sys

seen = []

def first(*arguments, **options):
    seen.append(["first", len(arguments) + len(options)])

def second(*arguments, **options):
    seen.append(["second", len(arguments) + len(options)])

def leave():
    raise SystemExit(7)

def fail():
    raise ValueError("no such card")

def look():
    torch = sys.modules["torch"]
    seen.extend(name for name in ("library", "accelerator", "utils", "nn", "compile") if hasattr(torch, name))
    torch._logging._internal.register_log("assayed", "assayed_neighbour")
"""
CALLED = """
import sys
try:
    import torch
    answer = {"ended": None}
except SystemExit as error:
    answer = {"ended": error.code}
except Exception as error:
    answer = {"ended": f"{type(error).__name__}: {error}", "cause": repr(error.__cause__)}
answer["seen"] = getattr(sys.modules.get("assayed_neighbour"), "seen", None)
"""
FAILING = """
import sys
import torch
sys.path.insert(0, FOLDER)
try:
    torch._import_device_backends()
    answer = {"ended": None}
except Exception as error:
    answer = {"ended": f"{type(error).__name__}: {error}", "cause": repr(error.__cause__)}
"""
LOGS = CALLED + """
if answer["ended"] is None:
    answer["level"] = __import__("logging").getLogger("assayed_neighbour").getEffectiveLevel()
"""


class AutoloadCore(Case):
    def beside(self, points, code, what, autoload=True, **environment):
        with entry_points.neighbour(points, NEIGHBOUR) as folder:
            if autoload:
                return self.fresh_autoload(code, what, first=[folder], **environment)
            return self.fresh_torch(f"FOLDER = {folder!r}\n{code}", what)

    def test_switch(self):
        """autoload.only_the_value_1_enables_autoload"""
        answer = self.fresh_torch(SWITCH, "a process with PyTorch and no backend exits normally")
        for value, seen in answer.items():
            self.expect_equal(
                seen, value in ("None", "1"),
                f"with TORCH_DEVICE_BACKEND_AUTOLOAD={value} PyTorch calls entry points or not",
            )

    def test_called(self):
        """autoload.every_entry_point_is_called"""
        points = {name: f"assayed_neighbour:{name}" for name in ("first", "second", "leave")}
        answer = self.beside(points, CALLED, "import torch with three entry points works")
        self.clause("LOAD-004")
        self.expect_equal(
            answer["seen"], [["first", 0], ["second", 0]], "each entry point is called once, in order and without arguments"
        )
        self.clause("LOAD-003")
        self.expect_equal(answer["ended"], 7, "SystemExit of an entry point leaves import torch unchanged")

    def test_failure(self):
        """autoload.failing_package_is_named_in_the_error"""
        failures = {"fail": "ValueError('no such card')", "nowhere": "AttributeError"}
        for function, cause in failures.items():
            answer = self.beside({"unlucky": f"assayed_neighbour:{function}"}, FAILING, "PyTorch calls an entry point", False)
            said = str(answer["ended"])
            self.expect_true(
                said.startswith("RuntimeError: Failed to load the backend extension: unlucky"),
                "an exception of an entry point becomes a RuntimeError that names the entry point", said,
            )
            self.expect_true(
                str(answer.get("cause")).startswith(cause), "the RuntimeError keeps the exception as its cause", f"{answer}"
            )

    def test_failed_import(self):
        """autoload.failed_entry_point_makes_the_import_fail"""
        answer = self.beside({"unlucky": "assayed_neighbour:fail"}, CALLED, "import torch with an entry point that raises ends the import")
        self.expect_true(
            str(answer["ended"]).startswith("RuntimeError: Failed to load the backend extension: unlucky"),
            "import torch fails and names the entry point that raised", f"{answer['ended']}",
        )

    def test_moment(self):
        """autoload.entry_point_runs_before_torch_logs_is_parsed"""
        answer = self.beside({"assayed": "assayed_neighbour:look"}, LOGS, "import torch with TORCH_LOGS=+assayed works",
                             TORCH_LOGS="+assayed")
        ended = answer["ended"]
        if "backend extension" in str(ended) and "extension: assayed." not in str(ended):
            self.cannot_observe("torch.backends", f"the entry point of another package ends the import: {ended}")
        self.expect_equal(
            answer["seen"], ["library", "accelerator", "utils", "nn", "compile"],
            "the namespace of torch is complete when an entry point runs",
        )
        self.expect_equal(ended, None, "TORCH_LOGS accepts a log name that an entry point registers")
        self.expect_equal(answer.get("level"), 10, "the log that TORCH_LOGS=+assayed names is enabled")


if __name__ == "__main__":
    unittest.main()
