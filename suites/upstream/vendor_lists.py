# SPDX-License-Identifier: BSD-3-Clause
"""Reads the lists of tests that a vendor excludes, and removes them from PyTorch's test machinery. These tests then
run, so that an outdated entry is detected. `causes.py` lists the failures that an entry covers.

| form | location |
|---|---|
| `test_exclusions` | `PrivateUse1TestBase`: classes, tests of a class, dtypes of a test |
| `op_allowlist` | the same: only these operators are tested; every other operator is an entry |
| `op_overrides` | the same: skips and expected failures of an operator. Its tolerances stay in force |
| `DISABLED_TESTS_FILE` | a JSON file: "test_x (__main__.TestY)", issue, platforms |
"""

from collections import abc
from dataclasses import dataclass

import torch

PLATFORM = "linux"


@dataclass(frozen=True)
class Entry:
    form: str
    words: str  # the text of the entry
    reason: str = ""
    case: str = ""  # the generic class; "": any class
    test: str = ""  # the generic test, or its full name; "": any test
    operator: str = ""  # formatted_name of an OpInfo; "": any operator
    dtypes: tuple = ()  # such as "float32"; empty: any dtype

    def means(self, generic):
        """Returns whether the entry matches. `generic` is a GenericName."""
        return (
            self.case in ("", generic.case)
            and self.test in ("", generic.test, generic.whole)
            and self.operator in ("", generic.operator)
            and (not self.dtypes or generic.dtype in self.dtypes)
        )


@dataclass(frozen=True)
class GenericName:
    """The parts of a test's generic name: the parts in the file, and the parts that PyTorch inserted."""

    case: str
    test: str
    whole: str
    operator: str = ""
    dtype: str = ""


def generic_name(function, plain_case, plain_method):
    """Splits test_out_add_float32 of TestCommon into test_out, add and float32. A generated test contains the name of
    the original."""
    test = getattr(function, "__name__", "")
    if plain_method != test and not plain_method.startswith(test + "_"):
        test = plain_method
    put_in = plain_method[len(test) + 1 :]
    operator, _, dtype = put_in.rpartition("_")
    if not isinstance(getattr(torch, dtype, None), torch.dtype):
        operator, dtype = put_in, ""
    return GenericName(plain_case, test, plain_method, operator, dtype)


# ---- removing the entries -----------------------------------------------------------------------------


def take():
    """Returns all entries and removes them from PyTorch, so that PyTorch generates and runs all tests."""
    from torch.testing._internal import common_device_type, common_utils

    base = common_device_type.PrivateUse1TestBase
    if not hasattr(base, "set_test_configs"):  # before torch 2.13, the file is the only list
        return list(_of_disabled(common_utils.disabled_tests_dict))
    kept = {}
    entries = [
        *of_exclusions(base.test_exclusions or {}),
        *_of_allowlist(base.op_allowlist),
        *_of_overrides(base.op_overrides or {}, kept),
        *_of_disabled(common_utils.disabled_tests_dict),
    ]
    base.set_test_configs(op_overrides=kept or None)
    return entries


def of_exclusions(exclusions):
    """`exclusions` has for each class "*", names of tests, or since 2.15 {test: "*" or {"dtypes": [...]}}."""
    for case, tests in exclusions.items():
        if "*" in tests:
            yield Entry("test_exclusions", f"{case}.*", case=case)
        elif isinstance(tests, abc.Mapping):
            yield from _of_mapping(case, tests)
        else:
            yield from (Entry("test_exclusions", f"{case}.{test}", case=case, test=test) for test in tests)


def _of_mapping(case, tests):
    for test, what in tests.items():
        dtypes = () if what == "*" else tuple(str(dtype).removeprefix("torch.") for dtype in what.get("dtypes", ()))
        if what == "*" or dtypes:
            yield Entry("test_exclusions", " ".join([f"{case}.{test}", *dtypes]), case=case, test=test, dtypes=dtypes)


def _of_allowlist(allowed):
    if allowed is None:
        return
    from torch.testing._internal.common_methods_invocations import op_db

    for operator in op_db:
        if operator.full_name not in allowed:
            words = f"{operator.full_name} is not in it"
            yield Entry("op_allowlist", words, operator=operator.formatted_name)


def _of_overrides(overrides, kept):
    """Yields the skips and expected failures. Other decorators are added to `kept`."""
    for name, decorators in overrides.items():
        for one in decorators:
            leaves_out, why = _effect(one)
            if leaves_out:
                yield _override(name, one, why)
            else:
                kept.setdefault(name, []).append(one)


def _override(name, decorator, why):
    case, test = decorator.cls_name or "", decorator.test_name or ""
    dtypes = tuple(str(dtype).removeprefix("torch.") for dtype in decorator.dtypes or ())
    words = " ".join([name, ".".join(filter(None, (case, test))), *dtypes]).strip()
    formatted = name.replace(".", "_")
    return Entry("op_overrides", words, why, case=case, test=test, operator=formatted, dtypes=dtypes)


def _effect(decorator):
    """Returns (True if the decorator skips the test or expects it to fail, the reason)."""

    def test(self):
        pass

    for one in decorator.decorators:
        made = one(test)
        if getattr(made, "__unittest_skip__", False):
            return True, getattr(made, "__unittest_skip_why__", "")
        if getattr(made, "__unittest_expecting_failure__", False):
            return True, "expected failure"
    return False, ""


def _of_disabled(disabled):
    """Yields the entries for this platform and removes them."""
    for name, (issue, platforms) in list(disabled.items()):
        test, _, case = name.partition(" ")
        if case and (not platforms or PLATFORM in platforms):
            del disabled[name]
            yield Entry("DISABLED_TESTS_FILE", name, issue, case=case.strip("()").rpartition(".")[2], test=test)


# ---- matching entries and tests ------------------------------------------------------------------------


def meant(entries, tests):
    """Returns [{form, words, reason, tests}] for the entries that match a test. Each test is a pair of an id and a
    GenericName."""
    found = []
    for entry in entries:
        ids = [identity for identity, generic in tests if entry.means(generic)]
        if ids:
            told = {"form": entry.form, "words": entry.words, "reason": entry.reason, "tests": ids}
            found.append(told)
    return found
