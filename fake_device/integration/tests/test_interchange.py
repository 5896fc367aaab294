# SPDX-License-Identifier: BSD-3-Clause
"""Tensors that leave: DLPack, NumPy, DataLoader, sharing; and layouts that must be refused."""

import gc
import pickle
import unittest
import warnings

import numpy
import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset
from torch.utils.dlpack import to_dlpack

from in_child import output

from_capsule = torch._C._from_dlpack


class DLPack(unittest.TestCase):
    def test_capsule_shares_memory_device_and_strides(self):
        x = torch.arange(12.0, device="fakedev:1").reshape(3, 4)[1:, ::2]
        capsule = to_dlpack(x)
        y = from_capsule(capsule)
        self.assertEqual((x.device, x.data_ptr(), x.stride()), (y.device, y.data_ptr(), y.stride()))
        y[0, 0] = 99
        self.assertEqual(99, x[0, 0].item())
        with self.assertRaisesRegex(RuntimeError, "consumed only once"):
            from_capsule(capsule)

    def test_unconsumed_capsule_frees(self):
        gc.collect()
        before = torch.accelerator.memory_allocated()
        capsule = to_dlpack(torch.ones(1000, device="fakedev"))
        self.assertGreater(torch.accelerator.memory_allocated(), before)
        del capsule
        gc.collect()
        self.assertEqual(before, torch.accelerator.memory_allocated())

    def test_dtypes(self):
        for dtype in (torch.float8_e4m3fn, torch.complex32, torch.bool, torch.bfloat16,
                      torch.float4_e2m1fn_x2, torch.int8, torch.uint16):
            x = torch.empty(4, device="fakedev", dtype=dtype)
            self.assertEqual(dtype, from_capsule(to_dlpack(x)).dtype)

    def test_gradient_and_conjugate_are_refused(self):
        for x in (torch.ones(1, device="fakedev", requires_grad=True),
                  torch.ones(1, device="fakedev", dtype=torch.cfloat).conj()):
            self.assertRaises(BufferError, x.__dlpack__)

    def test_forms_of_the_capsule(self):
        for device in ("fakedev:0", "fakedev:1"):
            x = torch.arange(4.0, device=device)
            for keywords in ({}, {"stream": None}, {"stream": 1}, {"stream": -1},
                             {"max_version": (1, 0)}):
                with self.subTest(device=device, **keywords):
                    y = from_capsule(x.__dlpack__(**keywords))
                    self.assertEqual((x.data_ptr(), x.device), (y.data_ptr(), y.device))
            with self.assertRaisesRegex(ValueError, "without copying"):
                x.__dlpack__(dl_device=(1, 0), copy=False)
            host = from_capsule(x.__dlpack__(dl_device=(1, 0)))
            self.assertEqual(("cpu", [0, 1, 2, 3]), (host.device.type, host.tolist()))

    def test_other_protocols_are_refused(self):
        x = torch.arange(3.0, device="fakedev:1")
        self.assertFalse(hasattr(x, "__cuda_array_interface__"))
        for call in (numpy.from_dlpack, numpy.asarray):
            self.assertRaises(Exception, call, x)

    def test_numpy(self):
        x = torch.arange(3.0, device="fakedev:1")
        with self.assertRaisesRegex(TypeError, "can't convert fakedev:1"):
            x.numpy()
        self.assertEqual([0, 1, 2], x.numpy(force=True).tolist())
        self.assertEqual([0, 1], torch.tensor(numpy.arange(2), device="fakedev").tolist())
        self.assertEqual([0, 1], torch.from_dlpack(torch.arange(2), device="fakedev").tolist())


class Loading(unittest.TestCase):
    data = TensorDataset(torch.arange(8.0))

    def test_pinned_batches_keep_the_current_device(self):
        with torch.accelerator.device_index(1):
            for workers in (0, 2):
                batches = [b for b, in DataLoader(self.data, 2, pin_memory=True,
                                                  num_workers=workers)]
                self.assertTrue(all(b.is_pinned() for b in batches))
                self.assertEqual(list(range(8)), torch.cat(batches).tolist())
            self.assertEqual(1, torch.accelerator.current_device_index())

    def test_device_generator_is_refused_for_host_tensors(self):
        generator = torch.Generator("fakedev")
        for draw in (lambda: list(RandomSampler(self.data, generator=generator)),
                     lambda: torch.rand(2, generator=generator),
                     lambda: torch.ones(2).normal_(generator=generator)):
            with self.assertRaisesRegex(
                    RuntimeError, "Expected a 'cpu' device type for generator but found 'fakedev'"):
                draw()


class Sharing(unittest.TestCase):
    def test_sharing_is_a_no_operation(self):
        x, model = torch.ones(2, device="fakedev"), torch.nn.Linear(2, 2, device="fakedev")
        self.assertIs(x, x.share_memory_())
        self.assertTrue(x.is_shared())
        self.assertIs(model, model.share_memory())
        storage = torch.UntypedStorage._new_shared(8, device="fakedev")
        self.assertEqual("fakedev", storage.device.type)

    def test_pickle_keeps_the_index(self):
        x = pickle.loads(pickle.dumps(torch.ones(2, device="fakedev:1")))
        self.assertEqual("fakedev:1", str(x.device))


class Layouts(unittest.TestCase):
    def test_what_has_no_kernels_is_refused_by_name(self):
        cases = {
            "Sparsefakedev": lambda: torch.eye(2).to_sparse().to("fakedev"),
            "NestedTensorfakedev": lambda: torch.nested.nested_tensor(
                [torch.ones(2), torch.ones(3)], device="fakedev") + 1,
        }
        warnings.simplefilter("ignore")
        for name, case in cases.items():
            with self.assertRaisesRegex(NotImplementedError, name):
                case()

    def test_quantized_tensors_by_channel_keep_their_numbers(self):
        scales = torch.tensor([0.5, 0.25], dtype=torch.float64)
        x = torch.quantize_per_channel(torch.ones(2, 2), scales, torch.tensor([0, 3]), 0, torch.quint8)
        there = x.to("fakedev")
        self.assertEqual([[2, 2], [7, 7]], there.int_repr().tolist())
        self.assertEqual([[1, 1], [1, 1]], there.dequantize().tolist())
        self.assertEqual([0.5, 0.25], there.q_per_channel_scales().tolist())
        self.assertEqual([[2, 2], [7, 7]], there.cpu().int_repr().tolist())

    def test_quantized_tensors_of_one_scale_keep_their_numbers(self):
        x = torch.tensor([0.0, 0.5, 9.0])
        wanted = torch.quantize_per_tensor(x, 0.5, 3, torch.qint8)
        for seen in (wanted.to("fakedev"), torch.quantize_per_tensor(x.to("fakedev"), 0.5, 3, torch.qint8)):
            self.assertEqual((0.5, 3, [3, 4, 21]), (seen.q_scale(), seen.q_zero_point(), seen.int_repr().tolist()))
            self.assertEqual(x.tolist(), seen.dequantize().tolist())
            self.assertTrue(torch.equal(wanted, seen.cpu()))

    def test_engines_of_quantization_are_those_of_torch_alone(self):
        code = "import torch; print(torch.backends.quantized.supported_engines)"
        self.assertEqual(output(code, TORCH_DEVICE_BACKEND_AUTOLOAD="0"), output(code))

    def test_narrow_dtypes_agree_with_the_capability(self):
        """Every reported dtype works; of float8, which no kernel computes with, all bits travel."""
        for index in (0, 1):
            supported = torch.accelerator.get_device_capability(index)["supported_dtypes"]
            integers = {torch.uint16, torch.uint32, torch.uint64}
            self.assertLessEqual(integers, supported)
            for dtype in (*integers, torch.float8_e4m3fn, torch.float8_e5m2):
                with self.subTest(dtype=dtype):
                    host = torch.arange(16, dtype=torch.uint8).view(dtype)
                    copy = host.to(f"fakedev:{index}").cpu()
                    self.assertTrue(torch.equal(host.view(torch.uint8), copy.view(torch.uint8)))

    def test_jagged(self):
        jagged = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(3, 3)],
                                            device="fakedev", layout=torch.jagged)
        self.assertEqual([3.0] * 3, (jagged * 2 + 1).unbind()[1][0].tolist())


if __name__ == "__main__":
    unittest.main()
