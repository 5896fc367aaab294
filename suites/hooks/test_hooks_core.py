# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch's own path to the hooks, and its behaviour without hooks or with hooks that override nothing."""

import unittest

import torch
from assay.checks import Case

TRIED = """
import torch

def tried(call, *arguments):
    try:
        return str(call(*arguments))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
"""
ABSENT = TRIED + "answer = tried(torch._C._get_accelerator)"
UNNAMED = TRIED + """
from assay.checks.torch_build import accelerator_of_the_build

accelerator = torch.accelerator
answer = {
    "built": str(accelerator_of_the_build()),
    "generator": tried(torch.Generator, "privateuseone"),
    "pin_memory": tried(torch.ones(1).pin_memory, "privateuseone"),
    "before": tried(accelerator.current_accelerator),
    "index before": tried(accelerator.current_device_index),
}
torch.utils.rename_privateuse1_backend("assayed")
answer["after"] = tried(accelerator.current_accelerator)
answer["get_accelerator"] = tried(torch._C._get_accelerator)
"""
# Hooks that override only init(), which fails on the first call. Everything else is inherited.
PLAIN = TRIED + """
import ctypes
from assay.host import target_library

bridge = target_library.open_library().bridge
bridge.bridge_error_text.restype = ctypes.c_char_p
bridge.bridge_hooks_identity.restype = bridge.bridge_hooks_of_context.restype = ctypes.c_void_p
out = ctypes.byref(ctypes.c_int64(77))

def asked(name, *arguments):
    status = getattr(bridge, name)(*arguments)
    return [status, bridge.bridge_error_text().decode() if status else ""]

answer = {
    "before": bridge.bridge_hooks_registered(),
    "first": asked("bridge_hooks_register_plain"),
    "after": bridge.bridge_hooks_registered(),
    "identity": bridge.bridge_hooks_identity(),
    "second": asked("bridge_hooks_register_plain"),
    "second identity": bridge.bridge_hooks_identity(),
    "of context": bridge.bridge_hooks_of_context(),
}
"""
PYTHON_HOOKS = PLAIN + """
hook = torch.utils.backend_registration._DummyPrivateUse1Hook()
answer["python"] = torch._C._acc.register_python_privateuseone_hook(hook)
"""
MISSING = PLAIN + """
count, pinned = ctypes.c_int32(77), ctypes.c_int32(77)
answer["isPinnedPtr"] = [bridge.bridge_hooks_is_pinned(None, ctypes.byref(pinned)), pinned.value]
answer["deviceCount"] = [bridge.bridge_hooks_count(ctypes.byref(count)), count.value]
answer["missing"] = {
    "setCurrentDevice": asked("bridge_hooks_set", 0),
    "getCurrentDevice": asked("bridge_hooks_current", out),
    "exchangeDevice": asked("bridge_hooks_exchange", 0, out),
    "maybeExchangeDevice": asked("bridge_hooks_maybe_exchange", 0, out),
}
answer["named"] = {
    "isBuilt": asked("bridge_hooks_is_built", out),
    "isAvailable": asked("bridge_hooks_is_available", out),
    "hasPrimaryContext": asked("bridge_hooks_has_context", 0, out),
    "getNewGenerator": [-1, tried(torch.Generator, "privateuseone")],
}
"""
INIT = PLAIN + """
answer["tries"] = [tried(torch.ones(1).pin_memory, "privateuseone") for _ in range(3)]
answer["inits"] = bridge.bridge_hooks_plain_inits()
"""


class HooksCore(Case):
    def expect_words(self, text, words, what):
        self.expect_true(words in text, what, text)

    def test_found(self):
        """hooks.get_accelerator_returns_the_backend"""
        try:
            seen = torch._C._get_accelerator()
        except RuntimeError as error:
            self.block_if_refused(str(error))
            self.expect(False, "torch._C._get_accelerator() finds the accelerator", str(error))
            return
        self.expect_equal(seen, self.bare_device, "torch._C._get_accelerator() is the backend if its hooks are available")

    def test_absent(self):
        """hooks.is_available_is_false_without_devices"""
        seen = self.fresh(ABSENT, "a process without a device can load the backend", **self.without_devices())
        self.expect_equal(seen, "cpu", "torch._C._get_accelerator() is the CPU if isAvailable of the hooks is false")

    def test_unregistered(self):
        """hooks.missing_hooks_are_named_in_the_error"""
        answer = self.fresh_torch(UNNAMED, "a process with PyTorch and no backend exits normally")
        self.clause("HOOK-002")
        for feature in ("generator", "pin_memory", "get_accelerator"):
            self.expect_words(
                answer[feature], "Please register PrivateUse1HooksInterface", f"the error of {feature} without hooks names the missing hooks"
            )
        self.clause("HOOK-016")
        built = answer["built"]
        self.expect_equal(
            answer["before"], built, "current_accelerator() before a backend is named is the accelerator that PyTorch was built for"
        )
        if built == "None":
            self.expect_words(
                answer["index before"], "Cannot access accelerator", "current_device_index() without any accelerator raises"
            )
        self.expect_equal(answer["after"], "assayed", "the backend is the accelerator after it is named")

    def test_once(self):
        """hooks.second_registration_is_rejected"""
        answer = self.fresh_torch(PYTHON_HOOKS, "PyTorch registers hooks and refuses a second registration")
        self.clause("HOOK-001")
        self.expect_equal([answer["before"], answer["after"]], [0, 1], "hooks count as registered only after the registration")
        self.expect_equal(answer["first"][0], 0, "hooks can be registered")
        self.expect_words(answer["second"][1], "only could be registered once", "a second registration is refused")
        self.expect_equal(answer["second identity"], answer["identity"], "a refused registration does not replace the first hooks")
        self.clause("HOOK-017")
        self.expect_equal(answer["of context"], answer["identity"], "the context returns the registered hooks")
        self.clause("HOOK-018")
        self.expect_equal(answer["python"], False, "register_python_privateuseone_hook returns False if hooks already exist")

    def test_missing(self):
        """hooks.missing_methods_are_named_in_the_error"""
        answer = self.fresh_torch(MISSING, "PyTorch works with hooks that override nothing")
        self.clause("HOOK-011")
        for name, (_, text) in answer["missing"].items():
            self.expect_words(text, f"Backend doesn't support {name}()", f"the error of {name} without an override names it")
        self.clause("HOOK-015")
        for name, (_, text) in answer["named"].items():
            self.expect_words(text, f"implement `{name}`", f"the error of {name} without an override names it")
        self.clause("HOOK-011")
        self.expect_equal(answer["deviceCount"], [0, 0], "deviceCount without an override is 0")
        self.clause("HOOK-014")
        self.expect_equal(answer["isPinnedPtr"], [0, 0], "isPinnedPtr without an override is False")

    def test_init(self):
        """hooks.failed_init_is_retried"""
        answer = self.fresh_torch(INIT, "PyTorch works with hooks whose first init() fails")
        first, second, third = answer["tries"]
        self.expect_words(first, "the first init() fails", "an exception of init() reaches the caller")
        for text in (second, third):
            self.expect_words(text, "getPinnedMemoryAllocator", "the next call reaches the hooks")
        self.expect_equal(answer["inits"], 2, "init() is called until it succeeds, and not afterwards")


if __name__ == "__main__":
    unittest.main()
