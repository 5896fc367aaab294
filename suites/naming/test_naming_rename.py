# SPDX-License-Identifier: BSD-3-Clause
"""Naming the backend: once, twice, late, and with invalid names. A process can name the backend only once, so each
check uses a new process."""

import unittest

import torch
from assay.checks import Case

IN_TREE = ("cpu", "cuda", "hip", "mps", "xpu", "mtia")
NO_NAMES = ("foo2", "foo_1", "two words", "foo:bar", "foo-bar", "")

TRIED = """
import json, os
import torch

rename = torch.utils.rename_privateuse1_backend
registration = torch.utils.backend_registration

def tried(call, *arguments):
    try:
        return str(call(*arguments))
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def names():
    return [torch._C._get_privateuse1_backend_name(), registration._privateuse1_backend_name]

def in_a_child(work):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, json.dumps(work()).encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    return json.loads(os.read(read, 65536))
"""
BEGINNING = TRIED + """
answer = {"before": names(), "parsed before": tried(torch.device, "privateuseone:1"), "renamed": tried(rename, "Assayed")}
answer.update({"after": names(), "parsed": tried(torch.device, "assayed:1"), "old": tried(torch.device, "privateuseone:1")})
"""
REFUSED = TRIED + f"""
answer = {{"refused": {{name: tried(rename, name) for name in {IN_TREE!r}}}}}
answer.update({{"names": names(), "later": tried(rename, "assayed")}})
"""
UNPARSED = TRIED + f"""
def given(name):
    return [tried(rename, name), tried(torch.device, name), tried(torch.device, name + ":0")]

answer = {{name: in_a_child(lambda: given(name)) for name in {(*NO_NAMES, "two_words")!r}}}
"""


class NamingRename(Case):
    def test_begins(self):
        """naming.default_name_is_privateuseone"""
        answer = self.fresh_torch(BEGINNING, "a process with PyTorch and no backend exits normally")
        self.clause("NAME-004")
        self.expect_equal(answer["before"], ["privateuseone"] * 2, "before a rename the name is privateuseone")
        self.expect_equal(answer["parsed before"], "privateuseone:1", "before a rename privateuseone:1 is a device")
        self.clause("NAME-005")
        self.expect_equal(answer["renamed"], "None", "rename_privateuse1_backend accepts a name")
        self.expect_equal(answer["after"][0], "assayed", "the given name is stored in lower case")
        self.expect_equal(answer["parsed"], "assayed:1", "torch.device accepts the given name")
        self.expect_equal(answer["old"], "assayed:1", "privateuseone:1 is a device after the rename and prints as the new name")

    def test_in_tree(self):
        """naming.names_of_other_devices_are_rejected"""
        answer = self.fresh_torch(REFUSED, "a process with PyTorch and no backend exits normally")
        for name, said in answer["refused"].items():
            self.expect_true(
                said.startswith("RuntimeError") and name in said,
                f"rename_privateuse1_backend({name!r}) raises a RuntimeError that contains the name", said,
            )
        self.expect_equal(answer["names"], ["privateuseone"] * 2, "a refused rename does not change the name")
        self.expect_equal(answer["later"], "None", "after a refused rename another name can be given")

    def test_unparsed(self):
        """naming.names_with_other_characters_cannot_be_parsed"""
        answer = self.fresh_torch(UNPARSED, "a process with PyTorch and no backend exits normally")
        self.expect_equal(
            answer.pop("two_words"), ["None", "two_words", "two_words:0"], "a name of letters and underscores can be used"
        )
        for name, (renamed, *parsed) in answer.items():
            self.expect_true(
                "Error" in renamed or all("Error" in one for one in parsed),
                f"the name {name!r} is refused, by the rename or by torch.device", f"{renamed}, {parsed}",
            )
            self.note(f"the rename to {name!r}", renamed)

    def test_second(self):
        """naming.second_rename_is_rejected"""
        name = self.device_name
        rename, registration = torch.utils.rename_privateuse1_backend, torch.utils.backend_registration
        spelled = registration._privateuse1_backend_name
        spelled = spelled if spelled.lower() == name else name
        self.clause("NAME-001")
        try:
            rename(spelled)
        except RuntimeError as error:
            self.expect(False, f"rename_privateuse1_backend({spelled!r}) is accepted again", str(error))
        what = "rename_privateuse1_backend of another name is refused once the backend has its own"
        error = self.expect_raises(RuntimeError, what, rename, "assayed")
        self.expect_true(
            "already" in str(error) and name in str(error).lower(), "the error for a second name contains the current name", f"{error}"
        )
        self.expect_equal(torch._C._get_privateuse1_backend_name(), name, "a refused rename does not change the name in C++")
        self.expect_equal(
            registration._privateuse1_backend_name, spelled, "a refused rename does not change the name in Python"
        )
        self.clause("NAME-027")
        self.expect_raises(RuntimeError, "torch.device refuses a refused name", torch.device, "assayed")
        self.expect_equal(torch.device(name, 0).type, name, "the backend works after a refused rename")


if __name__ == "__main__":
    unittest.main()
