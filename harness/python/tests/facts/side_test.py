# SPDX-License-Identifier: BSD-3-Clause
"""Tests the inputs that count as a side, and the message for other inputs."""

import subprocess
import unittest
import zipfile

from assay.command import Refused
from assay.facts.revisions import unpack_revisions
from assay.facts.side import find_side
from harness.command.fixtures.folder_case import FolderCase


class Sides(FolderCase):
    def install(self, packages):
        self.write(f"{packages}/torch/include/c10/core/Device.h")
        self.write(f"{packages}/torch/include/ATen/ops/add.h")
        self.write(f"{packages}/torch/include/ATen/core/TensorBody.h")
        self.write(f"{packages}/torch/include/c10/util/gone.h")
        self.write(f"{packages}/torch/include/pybind11/pybind11.h")
        self.write(f"{packages}/torch/version.py", "__version__ = '2.13.0+cpu'\ngit_version = 'abc'\n")

    def find(self, name, other=None):
        return find_side(str(self.folder / name), self.folder / "scratch", other)

    def test_an_environment_its_packages_and_the_package_are_one_side(self):
        self.install("env/lib/python3.11/site-packages")
        for word in ("env", "env/lib/python3.11/site-packages", "env/lib/python3.11/site-packages/torch"):
            side = self.find(word)
            self.assertEqual((side.kind, side.version, side.git), ("installed", "2.13.0+cpu", "abc"))
            self.assertTrue(side.header("c10/core/Device.h"))

    def test_an_include_folder_has_headers_alone(self):
        self.install("p")
        side = self.find("p/torch/include")
        self.assertEqual((side.kind, side.python, side.libraries), ("include", None, []))

    def test_a_wheel_is_unpacked_in_part(self):
        wheel = self.folder / "torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for name in ("torch/include/c10/core/Device.h", "torch/__init__.py", "torch/lib/libother.so", "torch/version.py"):
                archive.writestr(name, "")
        side = self.find(wheel.name)
        self.assertEqual(side.kind, "wheel")
        self.assertFalse((side.python / "torch/lib/libother.so").exists())

    def test_a_checkout_borrows_only_what_a_build_makes(self):
        self.install("p")
        for name in ("c10/core/Device.h", "aten/src/ATen/Tensor.h", "torch/csrc/api/include/torch/all.h"):
            self.write(f"co/{name}")
        side = self.find("co", self.find("p"))
        for name, found in (("ATen/ops/add.h", True), ("ATen/core/TensorBody.h", True), ("pybind11/pybind11.h", True), ("c10/util/gone.h", False)):
            self.assertEqual(side.header(name) is not None, found, name)

    def test_two_revisions_are_unpacked_without_touching_the_work_tree(self):
        git = ["git", "-C", str(self.folder / "co"), "-c", "user.name=a", "-c", "user.email=a@b"]
        for text in ("old", "new"):
            for name in ("c10/core/Device.h", "aten/src/ATen/T.h", "torch/csrc/x.h", "third_party/large"):
                self.write(f"co/{name}", text)
            subprocess.run([*git[:3], "init", "-q"], check=True)
            subprocess.run([*git, "add", "-A"], check=True)
            subprocess.run([*git, "commit", "-qm", text], check=True)
        self.write("co/c10/core/Device.h", "uncommitted")
        found = unpack_revisions(str(self.folder / "co"), "HEAD~1..HEAD", self.folder / "scratch")
        self.assertEqual([(path / "c10/core/Device.h").read_text() for path in found], ["old", "new"])
        self.assertFalse((found[0] / "third_party").exists())
        for span, sentence in (("HEAD", "takes two revisions"), ("HEAD..nowhere", "does not know the revision nowhere"), ("--x..HEAD", "takes two")):
            with self.subTest(span), self.assertRaisesRegex(Refused, sentence):
                unpack_revisions(str(self.folder / "co"), span, self.folder / f"scratch {span}")

    def test_what_is_no_side_is_refused(self):
        self.install("p")
        (self.folder / "empty").mkdir()
        self.write("half/aten/src/ATen/Tensor.h")
        self.write("torch-2.13.0-cp311-cp311-win_amd64.whl")
        self.write("torch-2.13.0-cp311-cp311-linux_x86_64.whl", "no archive")
        for name in ("c10/core/D.h", "aten/src/ATen/T.h", "torch/csrc/x.h"):
            self.write(f"co/{name}")
        rows = (
            ("nowhere", "no such folder, wheel, interpreter or dump"),
            ("empty", "no PyTorch there"),
            ("half", "half a checkout: c10/core is missing"),
            ("torch-2.13.0-cp311-cp311-win_amd64.whl", "another platform"),
            ("torch-2.13.0-cp311-cp311-linux_x86_64.whl", "cannot be unpacked"),
            ("torch-9.whl", "no such wheel"),
            ("co", "a checkout has no generated headers"),
        )
        for word, sentence in rows:
            with self.subTest(word), self.assertRaisesRegex(Refused, sentence):
                self.find(word)


if __name__ == "__main__":
    unittest.main()
