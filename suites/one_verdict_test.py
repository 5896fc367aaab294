# SPDX-License-Identifier: BSD-3-Clause
"""The same error of a float32 operator gets the same verdict from `assay watch`, `assay ops`, the programs and the
second look at a test of PyTorch: all of them use the same judge (assay/values/judge.py)."""

import json
import os
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"

import torch  # noqa: E402
import torch_fakedev_faulty  # noqa: E402, F401
from assay.host import report
from assay.operators.results import difference
from assay.programs import second_look as program_second_look
from assay.programs.run import Run
from assay.values.judge import Reference
from assay.watcher.block import Block
from suites.upstream import second_look

ERRORS = {"exp": 2e-5, "sin": 5e-7}  # relative error; the judge allows 16 roundings of a float32, which is 1.9e-6
WRONG = {"exp": True, "sin": False}
X = torch.linspace(0.1, 1, 9)


def setUpModule():
    global library
    library = torch.library.Library("aten", "IMPL")
    for name, error in ERRORS.items():
        right = getattr(torch, name)
        library.impl(name, lambda x, right=right, error=error: (right(x.cpu()) * (1 + error)).to(x.device), "PrivateUse1")


def asked_of_watch(name, folder):
    with Block(folder, everything=True, quiet=True) as found:
        getattr(torch, name)(X.to("fakedev"))
    return found.first and found.first["op"]


def asked_of_ops(name, _folder):
    call = getattr(torch, name)
    return difference(call(X.to("fakedev")), Reference.of(call, [X]), None) and f"aten.{name}.default"


def asked_of_programs(name, _folder):
    words = program_second_look.cause(lambda place: place.see("y", getattr(torch, name)(place.put(X))), Run("fakedev", torch.float32),
                                      lambda seen: "y: element 0", 100)
    return words.split()[0] if "first wrong operator" in words else None


def asked_of_upstream(name, folder):
    class Test(unittest.TestCase):
        def test(self):
            here, there = getattr(torch, name)(X), getattr(torch, name)(X.to("fakedev"))
            self.assertTrue(torch.equal(here, there.cpu()))

    check = types.SimpleNamespace(scratch=str(folder), devices=[0])
    with mock.patch.object(report, "check", lambda: check), mock.patch.object(report, "note"):
        second_look._find_culprit(types.SimpleNamespace(id="upstream.f.Test.test", case=Test, method="test"), False)
    told = Path(folder, "culprit.json")
    found = json.loads(told.read_text()) if told.exists() else {"kind": ""}
    return found["name"] if found["kind"] == "value" else None


class OneVerdict(unittest.TestCase):
    def test_same_error_has_the_same_verdict_everywhere(self):
        for name in ERRORS:
            for ask in (asked_of_watch, asked_of_ops, asked_of_programs, asked_of_upstream):
                with self.subTest(name, by=ask.__name__), tempfile.TemporaryDirectory() as folder:
                    self.assertEqual(ask(name, folder), f"aten.{name}.default" if WRONG[name] else None)


if __name__ == "__main__":
    unittest.main()
