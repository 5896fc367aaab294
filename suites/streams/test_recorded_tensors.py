# SPDX-License-Identifier: BSD-3-Clause
"""Tensor.record_stream: memory that a side stream still reads must not be reused."""

import unittest

import torch
from assay.checks import Case

accelerator = torch.accelerator
LENGTH, LATER = 1 << 12, 24
FORMS = {
    "a tensor": lambda x: x,
    "a view": lambda x: x[LENGTH // 2 :].view(2, -1),
    "a slice of rows": lambda x: x.view(64, -1)[:, ::2],
}


class RecordedTensors(Case):
    def setUp(self):
        super().setUp()
        accelerator.set_device_index(self.device.index)

    def recorded(self, tensor, stream):
        self.supported("memory.record_stream", tensor.record_stream, stream)

    def test_kept(self):
        """streams.memory_is_not_reused_while_a_stream_reads_it"""
        self.is_kept(self.device, FORMS)

    def test_kept_elsewhere(self):
        """streams.memory_of_another_device_is_not_reused_while_a_stream_reads_it"""
        self.put_device_back()
        self.is_kept(self.devices[1], {"a tensor": FORMS["a tensor"]})

    def is_kept(self, device, forms):
        """Works on `device` while the first device is current."""
        number, side = self.devices.index(device), torch.Stream(device)
        for name, part_of in forms.items():
            wanted = part_of(self.sample_of(5, LENGTH)) if self.sample_kind.is_common else None
            if wanted is None:
                self.does_not_apply("the device accepts only one kind of tensor")
            with self.held(side):
                x = self.on_device(self.sample_of(5, LENGTH), number)
                part = part_of(x)
                side.wait_stream(accelerator.current_stream(device))
                with side:
                    seen = torch.add(part, 0)
                self.recorded(part, side)
                del x, part
                others = [torch.full((LENGTH,), 7.0, device=device) for _ in range(LATER)]
            side.synchronize()
            what = f"memory of {name} that a side stream reads is not reused before it was read, although the tensor was freed"
            self.expect_tensor(seen, wanted, what)
            del others

    def test_other_types(self):
        """streams.record_stream_rejects_another_device_type"""
        x = self.on_device(self.sample(LENGTH))
        self.recorded(x, accelerator.current_stream(self.device))
        foreign = torch.Stream(stream_id=0, device_index=0, device_type=0)
        self.expect_raises(RuntimeError, "record_stream with a CPU stream is refused", x.record_stream, foreign)
        self.expect_tensor(x, self.sample(LENGTH), "a refused record_stream changes nothing")
        empty = self.empty_sample(0)
        empty.record_stream(accelerator.current_stream(self.device))


if __name__ == "__main__":
    unittest.main()
