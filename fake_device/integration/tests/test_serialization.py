# SPDX-License-Identifier: BSD-3-Clause
"""torch.save and torch.load, pickle, deepcopy: values, strides, sharing, device and metadata."""

import copy
import io
import os
import pickle
import tempfile
import unittest

import torch

from in_child import output, run


def saved(thing, **options):
    buffer = io.BytesIO()
    torch.save(thing, buffer, **options)
    buffer.seek(0)
    return buffer


def reloaded(thing, **options):
    return torch.load(saved(thing), **options)


class Tensors(unittest.TestCase):
    def setUp(self):
        torch.fakedev.set_device(0)

    def assert_same(self, one, other):
        self.assertEqual((one.device, one.dtype, one.shape, one.stride(), one.requires_grad),
                         (other.device, other.dtype, other.shape, other.stride(),
                          other.requires_grad))
        self.assertTrue(torch.equal(one.cpu(), other.cpu()))

    def test_round_trips_keep_everything(self):
        for dtype in (torch.float32, torch.int64, torch.bool, torch.bfloat16, torch.complex64):
            for device in ("fakedev:0", "fakedev:1"):
                tensor = torch.arange(12).reshape(3, 4).to(dtype).to(device).t()
                for way in (reloaded, lambda t: pickle.loads(pickle.dumps(t)), copy.deepcopy):
                    self.assert_same(tensor, way(tensor))
        leaf = torch.ones(3, device="fakedev:1", requires_grad=True)
        self.assert_same(leaf, reloaded(leaf))
        self.assertIsInstance(reloaded(torch.nn.Parameter(leaf.detach())), torch.nn.Parameter)

    def test_shared_storage_stays_shared(self):
        base = torch.arange(10.0, device="fakedev:1")
        for one, view in (reloaded([base, base[4:]]), copy.deepcopy([base, base[4:]])):
            one.fill_(5)
            self.assertEqual([5.0] * 6, view.tolist())
            self.assertEqual(4, view.storage_offset())

    def test_location_tag_has_the_index(self):
        tag = torch.serialization.location_tag
        self.assertEqual("fakedev:1", tag(torch.UntypedStorage(4, device="fakedev:1")))

    def test_map_location_in_every_form(self):
        tensor = torch.arange(4.0, device="fakedev:1")
        for location, device in (
            ("cpu", "cpu"), ("fakedev:0", "fakedev:0"), (torch.device("fakedev", 0), "fakedev:0"),
            ({"fakedev:1": "fakedev:0"}, "fakedev:0"), ({"fakedev:1": "cpu"}, "cpu"),
            (lambda storage, where: storage, "cpu"), (lambda storage, where: None, "fakedev:1"),
            (None, "fakedev:1"), ("fakedev", "fakedev:0"),
        ):
            with self.subTest(str(location)):
                loaded = reloaded(tensor, map_location=location)
                self.assertEqual(device, str(loaded.device))
                self.assertEqual([0.0, 1.0, 2.0, 3.0], loaded.tolist())
        with self.assertRaises(TypeError):
            reloaded(tensor, map_location=1)

    def test_index_that_does_not_exist_is_named(self):
        with self.assertRaisesRegex(RuntimeError, "2"):
            reloaded(torch.ones(1), map_location=f"fakedev:{torch.fakedev.device_count()}")

    def test_mmap_and_legacy_files(self):
        tensor = torch.arange(1000.0, device="fakedev:1")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tensor.pt")
            torch.save(tensor, path)
            mapped = torch.load(path, mmap=True, map_location="fakedev:1")
            os.remove(path)
            self.assert_same(tensor, mapped)
        self.assert_same(tensor, torch.load(
            saved(tensor, _use_new_zipfile_serialization=False)))

    def test_state_dict_between_cpu_and_device(self):
        source = torch.nn.Linear(3, 2)
        for assign in (True, False):
            target = torch.nn.Linear(3, 2).to("fakedev:1")
            target.load_state_dict(source.state_dict(), assign=assign)
            self.assertTrue(torch.equal(source.weight, target.weight.cpu()))
            back = torch.nn.Linear(3, 2)
            back.load_state_dict(reloaded(target.state_dict()), assign=assign)
            self.assertTrue(torch.equal(source.weight, back.weight.cpu()))

    def test_storage_to_device_and_back(self):
        block = torch.arange(5, dtype=torch.uint8).untyped_storage()
        moved = block.to(device="fakedev:1")
        self.assertEqual("fakedev:1", str(moved.device))
        host = moved.to(device="cpu", non_blocking=True)
        torch.accelerator.synchronize(1)
        self.assertEqual([0, 1, 2, 3, 4], host.tolist())


class Metadata(unittest.TestCase):
    def marked(self):
        tensor = torch.ones(3, device="fakedev:1")
        torch._utils.set_tensor_metadata(tensor, {"blocked_layout": True})
        return tensor

    def test_metadata_is_kept(self):
        plain = torch.ones(3, device="fakedev:1")
        self.assertEqual({}, torch._utils.get_tensor_metadata(plain))
        for loaded in (reloaded(self.marked()), pickle.loads(pickle.dumps(self.marked()))):
            self.assertEqual({"blocked_layout": True}, torch._utils.get_tensor_metadata(loaded))

    def test_metadata_is_not_applied_on_the_cpu(self):
        loaded = reloaded(self.marked(), map_location="cpu")
        self.assertEqual({}, torch._utils.get_tensor_metadata(loaded))


class OtherProcesses(unittest.TestCase):
    def test_file_of_the_device_loads_without_the_package(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tensor.pt")
            torch.save(torch.arange(3.0, device="fakedev:1"), path)
            plain = f"import torch; print(torch.load({path!r}, map_location='cpu').tolist())"
            self.assertEqual("[0.0, 1.0, 2.0]", output(plain, TORCH_DEVICE_BACKEND_AUTOLOAD="0"))
            absent = f"import torch; torch.load({path!r})"
            done = run(absent, FAKEDEV_DEVICES="0")
            self.assertEqual(1, done.returncode)
            self.assertIn("Attempting to deserialize object on a FAKEDEV device", done.stderr)


if __name__ == "__main__":
    unittest.main()
