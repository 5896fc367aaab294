# SPDX-License-Identifier: BSD-3-Clause
"""Loading the backend changes nothing in the process except for what the backend registers."""

import unittest

import torch
from assay.checks import Case

TRIED = """
import os
import torch

def tried(call, *arguments):
    try:
        return call(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def use(name):
    values = SAMPLE
    return torch.equal(values.to(name).cpu(), values)
"""
STARTS = TRIED + """
import json

def threads():
    return len(os.listdir("/proc/self/task"))

def in_a_child(work):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, json.dumps(tried(work)).encode())
        os._exit(0)
    os.close(write)
    data = os.read(read, 65536)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return json.loads(data) if data else f"the child ended with status {status}"

before = threads()
run_steps()
name = torch._C._get_privateuse1_backend_name()
module = getattr(torch, name, None)
answer = {"threads": threads() - before, "is_lazy": hasattr(module, "_lazy_init")}
answer["started"] = tried(lambda: bool(module.is_initialized())) if hasattr(module, "is_initialized") else None
answer["child"] = in_a_child(lambda: use(name))
answer["parent"] = tried(use, name)
"""
CHANGES = """
import contextlib, importlib, sys
import torch
import torch.distributed, torch.utils.data, torch.utils.checkpoint
from suites.autoload import torch_state

def import_each(names):
    for name in names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)

before, loaded = torch_state.take(), set(sys.modules)
WORK
answer = {"changes": torch_state.differences(before, torch_state.take()),
          "imported": sorted(name for name in set(sys.modules) - loaded if name.startswith("torch."))}
"""
PRINTS = TRIED + """
import ctypes, sys, tempfile

said = tempfile.TemporaryFile()
kept = os.dup(1)
sys.stdout.flush()
os.dup2(said.fileno(), 1)

def heard():
    sys.stdout.flush()
    ctypes.CDLL(None).fflush(None)
    said.seek(0)
    return said.read().decode(errors="replace")

run_steps()
answer = {"loading": heard()}
answer["used"] = tried(use, torch._C._get_privateuse1_backend_name())
answer["using"] = heard()[len(answer["loading"]):]
os.dup2(kept, 1)
"""


class AutoloadEffects(Case):
    def after_loading(self, code, what):
        """Returns the answer of a process that calls run_steps() to load the backend."""
        return self.fresh_torch(self.steps_as_code() + code, what)

    def test_starts(self):
        """autoload.import_does_not_start_the_device"""
        answer = self.after_loading(STARTS, "a process loads the backend and forks")
        self.note("is_initialized()", answer["started"])
        self.expect_equal(answer["threads"], 0, "loading the backend starts no thread")
        if answer["is_lazy"]:
            self.expect_equal(answer["started"], False, "loading the backend starts no device: is_initialized() is False")
        if isinstance(answer["parent"], str):
            self.block_if_refused(answer["parent"])
        self.expect_equal(answer["parent"], True, "the parent can use the device after a fork that followed loading")
        self.expect_equal(answer["child"], True, "a child that was forked after loading can use the device")

    def test_changes(self):
        """autoload.loading_changes_no_global_state"""
        seen = self.after_loading(CHANGES.replace("WORK", "run_steps()"), "a process loads the backend")
        changes = seen["changes"]
        if changes:  # importing torch._dynamo, for example, wraps torch.manual_seed
            code = CHANGES.replace("WORK", f"import_each({seen['imported']})")
            of_torch = self.fresh_torch(code, "a process imports the modules of torch that the backend imports")["changes"]
            changes = [change for change in changes if change not in of_torch]
        words = ", ".join(changes[:5]) + (f" and {len(changes) - 5} more" if len(changes) > 5 else "")
        self.expect_true(not changes, "loading the backend replaces no function of torch and changes no setting", words)

    def test_prints(self):
        """autoload.nothing_is_printed_to_standard_output"""
        answer = self.after_loading(PRINTS, "a process loads the backend and uses it")
        self.expect_equal(answer["loading"], "", "loading the backend writes nothing to standard output")
        self.note("using the device", answer["used"])
        self.expect_equal(answer["using"], "", "the first use of the device writes nothing to standard output")


if __name__ == "__main__":
    unittest.main()
