# SPDX-License-Identifier: BSD-3-Clause
"""Tests assay clients on a library that this test writes. The library's tests agree, differ, hang, crash or stay on the
CPU."""

import json
import os
import select
import signal
import subprocess
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
from assay.clients import pairs as client_pairs
from harness.command.fixtures.folder_case import FolderCase
from harness.command.fixtures.schemas import validate

SECONDS = 600  # long enough for a busy machine
LIBRARY = """
import os

import pytest
import torch
from devices import DEVICES

DEVICE = os.environ["MINI_DEVICE"]
IS_CPU = DEVICE == "cpu"
IS_HEALED = "MINI_HEALED" in os.environ


def sum_of(device):
    return torch.ones(2, device=device).sum().item()


def test_agrees():
    assert sum_of(DEVICE) == 2


@pytest.mark.parametrize("device", DEVICES)
def test_once_for_each_device(device):
    assert sum_of(device) == 2


@pytest.mark.parametrize("device", [torch.device(one) for one in DEVICES])
def test_once_for_each_object(device):
    assert sum_of(device) == 2


@pytest.mark.parametrize("number", [1, 2, 3])
def test_differs(number):
    sum_of(DEVICE)
    assert IS_CPU, f"here are {number} things"


def test_is_known():
    assert torch.ones(1, device=DEVICE).is_cpu, "only the CPU is known"


def test_is_refused():
    if not IS_CPU:
        raise NotImplementedError("Could not run 'aten::made_up' with arguments from the 'PrivateUse1' backend.")


def test_aborts():
    if not IS_CPU:
        os.abort()


def test_leaves():
    if not IS_CPU:
        os._exit(3)


def test_hangs():
    while not IS_CPU:
        pass


def test_skips_itself():
    if not IS_CPU:
        pytest.skip("no such device")


def test_of_accelerators_alone():
    if IS_CPU:
        pytest.skip("wants an accelerator")
    assert sum_of(DEVICE) == 3, "nobody knows"


def test_fails_on_both():
    raise AssertionError("always")


def test_hides_another():
    assert IS_CPU or IS_HEALED, "a cause that hides others"
    assert IS_CPU, "what was behind it"
"""
HANGS_THERE = """
import os
import signal

import torch

DEVICE = os.environ["MINI_DEVICE"]


def test_agrees():
    assert (torch.ones(1, device=DEVICE) + 1).item() == 2


def test_hangs():
    if DEVICE != "cpu":
        with open("hangs", "w") as fifo:
            fifo.write(str(os.getpid()))
        signal.pause()
"""
STAYS = "def test_stays():\n    pass\n"
CLIENT = """
name: mini
version: "2.0"
tests: [test_mini.py]
pythonpath: [.]
device:
  environment: {{MINI_DEVICE: "{{device}}"}}
  lists:
    devices:DEVICES: [cpu, "{{device}}"]
timeout: 3
heal:
  - plugin: heal_mini.py
    message: a cause that hides others
    why: the library asks for a name
known:
  - whose: cuda
    message: only the CPU is known
    why: is_cpu is false on every device
{more}
"""


class ClientsCase(FolderCase):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.number = 0
        self.write("devices.py", 'DEVICES = ["cpu"]\n')
        self.write("heal_mini.py", 'import os\nos.environ["MINI_HEALED"] = "1"\n')

    def clients(self, *words, client=None, library=LIBRARY, more=""):
        """Returns the exit status and the document or None."""
        self.write("test_mini.py", library)
        self.write("mini.yaml", client or CLIENT.format(more=more))
        self.number += 1
        self.found = self.folder / f"found-{self.number}"
        self.said = subprocess.run([BUILD / "bin/assay", "clients", "--target", "fakedev", "--tests", self.folder, "--out", self.found,
                                    *words, self.folder / "mini.yaml"], capture_output=True, text=True)
        path = self.found / "clients.json"
        if not path.exists():
            return self.said.returncode, None
        document = json.loads(path.read_text(encoding="utf-8"))
        validate(document, "clients")
        return self.said.returncode, document


class Comparison(ClientsCase):
    def test_a_library_of_all_kinds(self):
        status, document = self.clients()
        self.assertEqual(status, 1, self.said.stdout + self.said.stderr)
        groups = {(row["says"], row["message"]): row for row in document["groups"]}
        self.assertEqual(
            {key: row["tests"] for key, row in groups.items()},
            {("differs", "AssertionError: here are # things"): 3, ("known", "is_cpu is false on every device"): 1,
             ("refuses", "NotImplementedError: Could not run 'aten::made_up' with arguments from the 'PrivateUse1' backend."): 1,
             ("differs", "ended by SIGABRT"): 1, ("differs", "left by exit with status #"): 1,
             ("differs", "not done after # s"): 1, ("fails there, skipped on the CPU", "AssertionError: nobody knows"): 1, ("skipped there", "Skipped: no such device"): 1,
             ("differs", "AssertionError: a cause that hides others"): 1})
        self.assertEqual(groups["differs", "ended by SIGABRT"]["where"].rpartition(":")[0], str(self.folder / "test_mini.py"))
        self.assertEqual((document["agree"], document["no_reference"], document["unheld"], document["tests"]), (3, 1, 1, 15))
        self.assertEqual([(one["tests"], one["left"], one["groups"][0]["message"]) for one in document["healed"]],
                         [(1, 1, "AssertionError: what was behind it")])
        self.assertGreaterEqual(document["reached"], 7)
        self.assertIn("7 tests of 15 differ", document["verdict"])
        report = subprocess.run([BUILD / "bin/assay", "report", self.found], capture_output=True, text=True).stdout
        self.assertIn("clients.mini.test_mini.test_aborts", report)
        gate = subprocess.run([BUILD / "bin/assay", "gate", "--select", "clients", "--head", self.found, "--base", self.found],
                              capture_output=True, text=True)
        self.assertEqual((gate.returncode, json.loads(gate.stdout)["decision"]), (0, "pass"), gate.stderr)

    def test_a_suite_that_stays_on_the_cpu(self):
        status, document = self.clients(library=STAYS)
        self.assertEqual((status, document["reached"]), (2, 0))
        self.assertIn("no operator of 1 test reached the device", document["verdict"])

    def test_a_checkout_does_not_hide_what_is_installed(self):
        self.write("assay.py", 'raise ImportError("the checkout came first")\n')
        status, document = self.clients(client=CLIENT.format(more="").replace("pythonpath: [.]", "").replace("  lists:\n    devices:DEVICES: [cpu, \"{device}\"]\n", ""), library=HANGS_THERE.split("def test_hangs")[0])
        self.assertEqual((status, document["agree"], document["reached"]), (0, 1, 1), self.said.stdout)

    def test_a_new_process_for_each_test(self):
        status, document = self.clients("--process", "--seconds", "60", "--match", "agrees or aborts")
        self.assertEqual((status, document["agree"], document["differ"]), (1, 1, 1), self.said.stdout)

    def test_a_file_that_starts_the_device_as_it_is_read(self):
        library = "import torch\nfrom test_other import DEVICE\nx = torch.ones(1).to(DEVICE)\n\n\ndef test_x():\n    assert (x + 1).item() == 2\n"
        self.write("test_other.py", 'import os\nDEVICE = os.environ["MINI_DEVICE"]\n')
        status, document = self.clients("--seconds", "60", library=library)
        self.assertEqual((status, document["agree"], document["reached"]), (0, 1, 1), self.said.stdout)
        self.assertIn("test_mini.py, or a module that it imports, uses the device while the tests are collected", self.said.stderr)

    def test_what_is_on_one_side_only_or_passes_unexpectedly_there_fails_unless_it_is_known(self):
        library = textwrap.dedent("""
            import os
            import pytest
            import torch

            DEVICE = os.environ["MINI_DEVICE"]
            if DEVICE == "cpu":
                def test_only_here():
                    pass
            else:
                def test_only_there():
                    pass


            @pytest.mark.xfail(reason="a defect")
            def test_works_by_chance():
                assert torch.ones(1, device=DEVICE).is_cpu
        """)
        status, document = self.clients(library=library)
        self.assertEqual({row["first"].partition("::")[2]: row["says"] for row in document["groups"]},
                         {"test_only_here": "on one side only", "test_only_there": "on one side only", "test_works_by_chance": "differs"})
        self.assertEqual((status, document["alone"], document["differ"]), (1, 2, 1))
        row = "  - {{whose: tests, test: \"*::{}*\", why: each device has its own}}\n"
        status, document = self.clients(library=library, more=row.format("test_only") + row.format("test_works"))
        self.assertEqual((status, document["alone"], document["differ"], document["known"]), (0, 0, 0, 3), self.said.stdout)

    def test_parts_are_as_many_tests_as_the_whole(self):
        library = "import os, pytest, torch\n@pytest.mark.parametrize('n', range(9))\ndef test_x(n):\n    torch.ones(1, device=os.environ['MINI_DEVICE']) + n\n"
        parts = [self.clients("--shard", f"{part}/2", "--jobs", "2", library=library) for part in (1, 2)]
        self.assertEqual([status for status, _ in parts], [0, 0], self.said.stdout)
        self.assertEqual(sum(document["agree"] for _, document in parts), 9)
        self.assertTrue(all(document["agree"] for _, document in parts))

    def test_a_file_that_the_target_does_not_read(self):
        status, document = self.clients(library='import os\nassert os.environ["MINI_DEVICE"] == "cpu", "no"\n' + STAYS)
        self.assertEqual((status, [one["file"] for one in document["unread"]]), (2, ["test_mini.py"]))


class Stopping(ClientsCase):
    def test_what_was_compared_until_a_signal_stays(self):
        self.write("test_mini.py", HANGS_THERE)
        self.write("mini.yaml", CLIENT.format(more="").replace("timeout: 3", "timeout: 600"))
        os.mkfifo(self.folder / "hangs")
        found = self.folder / "found"
        words = [BUILD / "bin/assay", "clients", "--target", "fakedev", "--tests", self.folder, "--out", found, self.folder / "mini.yaml"]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        child = self.handle_of(self.said_through(self.folder / "hangs"))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 128 + signal.SIGTERM)
        document = json.loads((found / "clients.json").read_text(encoding="utf-8"))
        self.assertEqual((document["ended"], document["tests"], document["agree"]), ("stopped by SIGTERM", 1, 1))
        self.write("test_mini.py", HANGS_THERE.replace('if DEVICE != "cpu"', "if False"))
        said = subprocess.run([*words[:-3], "--resume", found, words[-1]], capture_output=True, text=True)
        document = json.loads((found / "clients.json").read_text(encoding="utf-8"))
        self.assertEqual((said.returncode, document["ended"], document["tests"], document["agree"]), (0, "", 2, 2), said.stderr)
        self.assertTrue(select.select([child], [], [], SECONDS)[0], "the test that hung is still there")

    def said_through(self, fifo):
        end = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, end)
        self.assertTrue(select.select([end], [], [], SECONDS)[0], "no test began to hang")
        return int(os.read(end, 20))

    def handle_of(self, number):
        handle = os.pidfd_open(number)
        self.addCleanup(os.close, handle)
        return handle


class Input(ClientsCase):
    def test_what_is_wrong_is_one_sentence(self):
        plain = CLIENT.format(more="")
        for client, words in (
            (plain.replace("timeout: 3", "timeout: soon"), '"soon" is not a whole number'),
            (plain.replace("version:", "verion:"), 'did you mean "version"'),
            (plain.replace("whose: cuda", "whose: nobody"), "nobody"),
            (plain.replace("only the CPU is known", "only (the"), "is no regular expression"),
            (plain.replace("heal_mini.py", "not_there.py"), "there is no plugin not_there.py"),
            (plain.replace("[test_mini.py]", "[test_not_there.py]"), "there is no test_not_there.py"),
        ):
            with self.subTest(words):
                status, document = self.clients(client=client)
                self.assertEqual((status, document), (65, None), self.said.stderr)
                self.assertIn(words, self.said.stderr)
                self.assertNotIn("Traceback", self.said.stderr)

    def test_an_unknown_client(self):
        said = subprocess.run([BUILD / "bin/assay", "clients", "nobody"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(said.returncode, 65)
        self.assertIn('there is no client "nobody"', said.stderr)
        self.assertFalse((self.folder / "runs").exists())

    def test_clients_of_the_tree_are_read(self):
        for file in sorted((ROOT / "ci/clients").glob("*.yaml")):
            said = subprocess.run([BUILD / "bin/assay", "clients", "--tests", self.folder, "--out", self.folder / file.stem, file],
                                  capture_output=True, text=True)
            self.assertEqual(said.returncode, 65, said.stderr)
            self.assertIn("give the checkout of the library's tests by --tests", said.stderr)


class Pairs(unittest.TestCase):
    def test_names_without_the_device(self):
        for one, other in (("t.py::a[cpu]", "t.py::a[fakedev]"), ("t.py::a[cpu-x]", "t.py::a[fakedev:0-x]"),
                           ("t.py::TestACPU::test_x_cpu", "t.py::TestAPRIVATEUSE1::test_x_fakedev"), ("t.py::a[cpu0]", "t.py::a[fakedev]")):
            self.assertEqual(client_pairs.common(one, "fakedev"), client_pairs.common(other, "fakedev"))

    def test_of_two_on_the_target_the_one_that_names_it(self):
        self.assertEqual(client_pairs.named(["t.py::a[cpu]", "t.py::a[fakedev]"], "mini", "fakedev"),
                         {"clients.mini.t.a_device_": "t.py::a[fakedev]"})

    def test_ids_are_those_of_the_other_side_and_differ_from_each_other(self):
        ids = [client_pairs.named([f"t.py::a[{device}-x-y]", f"t.py::a[{device}-x_y]"], "mini", "fakedev") for device in ("cpu", "fakedev:0")]
        self.assertEqual(len(ids[0]), 2)
        self.assertEqual(list(ids[0]), list(ids[1]))

    def test_a_refusal_is_known_by_the_device_s_keys(self):
        said = "BackendFailed: it raised:\nNotImplementedError: Could not run 'aten::made_up' with arguments from the 'Sparsefakedev' backend."
        message = client_pairs.message_of({"message": said}, "fakedev")
        self.assertEqual(client_pairs.refused_operator(message), "aten::made_up")
        self.assertTrue(client_pairs.key_of(message).startswith("NotImplementedError: Could not run"), client_pairs.key_of(message))

    def test_messages_with_other_numbers_are_one(self):
        self.assertEqual(client_pairs.key_of("at 0x7f12 off by 1.5e-3 of 4"), client_pairs.key_of("at 0x7 off by 2 of 40"))


if __name__ == "__main__":
    unittest.main()
