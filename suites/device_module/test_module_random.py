# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers and forks: functions of the device module that torch.manual_seed, fork_rng and checkpoint look up."""

import unittest
import warnings

import torch
from assay.checks import Case, stand_in

FORKED = """
import torch
from assay.checks import processes
name = torch._C._get_privateuse1_backend_name()
module = getattr(torch, name)

def use():
    there = SAMPLE.to(torch.device(name, INDEX))
    found = [there.cpu().tolist()]
    for call in (lambda: there + there, lambda: there.clone(), lambda: torch.empty_like(there).fill_(3)):
        try:
            found.append(call().cpu().tolist())
        except Exception:
            found.append(None)
    return found

def in_child():
    answer = {"bad": module._is_in_bad_fork()}
    if not answer["bad"]:
        answer["used"] = use() == before
        return answer
    answer["initialized"] = module.is_initialized() if hasattr(module, "is_initialized") else False
    for called in ("init", "_lazy_init"):
        try:
            answer[called] = repr(getattr(module, called, refuse)())
        except Exception as error:
            answer[called] = None
    return answer

def refuse():
    raise RuntimeError("not offered")

before = use()
answer = {"parent": module._is_in_bad_fork()}
try:
    answer["child"] = processes.in_forked_child(in_child, SECONDS)
except processes.Dead as death:
    answer["child"] = {"error": "the child ended", "text": str(death)}
"""


class ModuleRandom(Case):
    def test_fork(self):
        """device_module.is_in_bad_fork_is_true_only_in_a_child"""
        self.is_about("module._is_in_bad_fork")
        if not hasattr(self.device_module, "_is_in_bad_fork"):
            self.lacks_rng()
            self.block("the device module has no _is_in_bad_fork", "module._is_in_bad_fork")
        code = FORKED.replace("INDEX", str(self.device.index)).replace("SECONDS", str(self.seconds_left / 4))
        answer = self.fresh(code, "a process that uses the device and forks exits normally", ends=True)
        self.clause("MOD-009")
        self.expect_equal(answer["parent"], False, "_is_in_bad_fork() is False in the process that started the device")
        child = answer["child"]
        self.note("in a forked child", child)
        noticed = child.get("value", {})
        self.expect_true(
            noticed.get("bad") is True or noticed.get("used"),
            "_is_in_bad_fork() is True in a child that was forked after the first use and cannot use the device",
            f"it is False in the child, and a use of the device gives {child.get('text') or noticed}",
        )
        if noticed.get("bad") is not True:
            return
        self.clause("MOD-026")
        self.expect_equal(noticed["initialized"], False, "is_initialized() is False in a child that cannot use the device")
        for name in ("init", "_lazy_init"):
            self.expect_true(noticed[name] is None, f"{name}() raises in a child that cannot use the device", f"it gave {noticed[name]}")

    def lacks_rng(self):
        self.supported("rng", torch.Generator, self.device)

    def test_seed(self):
        """device_module.torch_manual_seed_seeds_the_device"""
        seeds, bad = [], []
        functions = {"manual_seed_all": seeds.append, "_is_in_bad_fork": lambda: bool(bad)}
        with stand_in.stand_in(self.device_name, **functions):
            torch.manual_seed(self.seed)
            self.expect_equal(seeds, [self.seed], "torch.manual_seed passes the seed to manual_seed_all")
            bad.append(True)
            torch.manual_seed(self.seed + 1)
            self.expect_equal(seeds, [self.seed], "torch.manual_seed does not seed in a child that may not use the device")
        with stand_in.stand_in(self.device_name), warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            torch.manual_seed(self.seed)
        words = f"Set seed for `{self.device_name}` device does not take effect"
        self.expect_true(
            any(words in str(one.message) for one in seen), "torch.manual_seed warns about a module that cannot be seeded",
            f"{[str(one.message) for one in seen]}",
        )

    def state_functions(self):
        self.is_about("module.get_rng_state", "module.set_rng_state")
        names = ("get_rng_state", "set_rng_state")
        functions = [getattr(self.device_module, name, None) for name in names]
        if functions == [None, None]:
            self.lacks_rng()
        for name, function in zip(names, functions):
            if function is None:
                self.block(f"the device module has no {name}", f"module.{name}")
        return functions

    def test_forms(self):
        """device_module.rng_state_accepts_every_kind_of_device_argument"""
        get, put = self.state_functions()
        torch.accelerator.set_device_index(self.device.index)
        state = self.in_form("get_rng_state", get)
        for form in ((), (self.device.index,), (str(self.device),), (self.device,), (self.bare_device,)):
            self.expect_tensor(
                self.in_form("get_rng_state", get, *form), state, f"get_rng_state{form} is the device's state"
            )
            self.in_form("set_rng_state", put, state, *form)

    def in_form(self, name, function, *arguments):
        try:
            return function(*arguments)
        except Exception as error:
            self.block_if_refused(str(error))
            form = arguments[-1] if arguments else "nothing"
            form = "nothing" if isinstance(form, torch.Tensor) else repr(form)
            self.require(self.expect(False, f"{name} accepts {form} as a device", f"{type(error).__name__}: {error}"))

    def test_own_device(self):
        """device_module.rng_state_belongs_to_its_device"""
        get, put = self.state_functions()
        first, second = self.devices[:2]
        kept = get(first)
        put(self.other_state(get, put, second), second)
        self.expect_tensor(get(first), kept, "setting the state of one device does not change the state of the other")
        self.expect_different(get(second), kept, "get_rng_state(device) returns the state of that device")

    def other_state(self, get, put, device):
        """A state that differs from the current state of both devices: the state after another seed."""
        seed = getattr(self.device_module, "manual_seed", None)
        if seed is None:
            self.block("the device module has no manual_seed", "module.manual_seed")
        torch.accelerator.set_device_index(device.index)
        seed(self.seed + 1)
        state = get(device)
        torch.accelerator.set_device_index(self.device.index)
        return state

    def test_there(self):
        """device_module.random_functions_exist"""
        names = "manual_seed seed seed_all initial_seed get_rng_state_all set_rng_state_all".split()
        missing = [name for name in names if not hasattr(self.device_module, name)]
        self.note("functions of torch.cuda that the device module lacks", ", ".join(missing) or "none")


if __name__ == "__main__":
    unittest.main()
