# SPDX-License-Identifier: BSD-3-Clause
"""Device tensors as Python values: printed, read as numbers, moved, indexed, compared, used as keys."""

import operator

import torch
from assay.checks import Case
from assay.checks.asking import each
from assay.checks.value_cases import ask_values, numbers

NAN, INF = float("nan"), float("inf")
PRINTED = {
    "one number": torch.tensor(2.5),
    "integers": torch.tensor([[1, -20], [300, 4]]),
    "fractions": torch.tensor([0.5, -1.25, 3.0]),
    "numbers without a fraction": torch.tensor([1.0, -2.0, 3.0]),
    "numbers of very different size": torch.tensor([1e-6, 1.0, 1e7]),
    "very large": torch.tensor([1e20, -3e21]),
    "NaN and infinities": torch.tensor([NAN, INF, -INF, 1.5]),
    "NaN alone": torch.tensor([NAN]),
    "zeros": torch.zeros(2, 3),
    "bools": torch.tensor([True, False]),
    "bytes": torch.tensor([0, 255], dtype=torch.uint8),
    "complex numbers": torch.tensor([1.5 - 2j, 3j]),
    "float64": torch.tensor([0.1, 2.0], dtype=torch.float64),
    "float16": torch.tensor([0.1, 2.0], dtype=torch.float16),
    "bfloat16": torch.tensor([0.1, 2.0], dtype=torch.bfloat16),
    "nothing": torch.empty(0),
    "no rows": torch.empty(0, 3),
    "more than is printed": torch.arange(2001.0) / 4,
    "many rows": torch.arange(40.0 * 60).reshape(40, 60),
    "three dims": torch.arange(24.0).reshape(2, 3, 4),
}
NUMBERS = {
    torch.float32: (0.0, -0.0, 1 / 3, -2.5e38, 1e-45, INF, -INF),
    torch.float64: (0.1, -1e300, 5e-324, INF),
    torch.float16: (0.1, -65504.0, 6e-8),
    torch.bfloat16: (0.1, -3e38),
    torch.int64: (0, -(2**63), 2**63 - 1, 2**53 + 1),
    torch.int32: (-(2**31), 2**31 - 1),
    torch.int16: (-(2**15), 2**15 - 1),
    torch.int8: (-128, 127),
    torch.uint8: (0, 255),
    torch.bool: (True, False),
    torch.complex64: (1.5 - 2j, 0j),
    torch.complex128: (0.1 + 1e300j,),
}
READ = {
    "tolist": lambda x: x.tolist(),
    "len": len,
    "iteration": lambda x: [row.tolist() for row in x],
    "unpacking": lambda x: [one.tolist() for one in (*x, *x[0])],
    "in": lambda x: [x[0, 1].item() in x, 77 in x, x[1] in x],
    "reversed": lambda x: [row.tolist() for row in reversed(x)],
    "bool of one element": lambda x: [bool(x[0, 0]), bool(x[0, 0] * 0), bool(x[:1, :1])],
    "float": lambda x: [float(one) for one in x[0]],
    "int": lambda x: [int(one) for one in x[0]],
    "complex": lambda x: complex(x[1, 1]),
    "round": lambda x: round(float(x[0, 1]), 1),
    "format": lambda x: f"{x[0, 1]:.3f} {x[1, 0]:>8.1f}",
    "index into a list": lambda x: [10, 20, 30, 40][x.long().abs()[0, 0] % 4],
    "range": lambda x: list(range(x.long().abs().max())),
    "item of one element": lambda x: x[:1, 2:3].item(),
    "comparison": lambda x: [
        bool(x[0, 0] < 100),
        bool(x[0, 0] == x[0, 0]),
        bool((x == x.clone()).all()),
    ],
    "shape": lambda x: (
        tuple(x.shape),
        x.numel(),
        x.dim(),
        x.size(-1),
        x.element_size(),
        x.nbytes,
    ),
}
# Forms of an index into a tensor of shape (4, 3, 5), with a list and a mask on its device.
FORMS = {
    "a number": lambda x, i, m: x[1], "a negative number": lambda x, i, m: x[-1], "a slice": lambda x, i, m: x[1:4:2], "the last elements": lambda x, i, m: x[-2:],
    "an empty slice": lambda x, i, m: x[2:2], "a slice beyond the end": lambda x, i, m: x[1:99], "a mask": lambda x, i, m: x[m], "a tensor": lambda x, i, m: x[i],
    "a list": lambda x, i, m: x[[2, 0, 2]], "None": lambda x, i, m: x[None], "dots": lambda x, i, m: x[..., 1], "only an ellipsis": lambda x, i, m: x[...],
    "several": lambda x, i, m: x[1, :, 2:], "an ellipsis in the middle": lambda x, i, m: x[0, ..., -1], "None in the middle": lambda x, i, m: x[:, None, 1], "a bool": lambda x, i, m: x[True],
    "a zero-dimensional tensor": lambda x, i, m: x[i[1]], "tensors and slices": lambda x, i, m: x[i, 1:, :2], "only numbers": lambda x, i, m: x[1, 2, 3],
    "a list after an ellipsis": lambda x, i, m: x[..., [4, 0]], "a mask and a number": lambda x, i, m: x[m, 1],
}  # fmt: skip
KEYS = {
    "a number": 1, "a negative number": -1, "a slice": slice(1, 4, 2), "dots": (..., 1), "several": (1, slice(None), slice(2, None)), "None": (None, 2),
    "a list": ([2, 0],), "only an ellipsis": ..., "only numbers": (1, 2, 3), "an empty slice": slice(2, 2),
}  # fmt: skip


def words_of(text):
    return " ".join(text.split())


def _close(one, other, **how):
    """Calls torch.testing.assert_close, but raises a refusal of the backend unchanged."""
    try:
        torch.testing.assert_close(one, other, **how)
    except RuntimeError as error:
        raise error.__cause__ or error from None


class ObjectValues(Case):
    def setUp(self):
        super().setUp()
        self.need_any_kind()

    def test_repr(self):
        """python_objects.printed_tensors_show_values_and_device"""
        for device in self.devices[:2]:
            for name, there, one in each(self, PRINTED):
                with one:
                    self.compare_printed(name, there, device)
        where = f", device='{self.device}'"
        wanting = self.on_device(torch.ones(3)).requires_grad_()
        self.expect_true(
            where in repr(wanting) and "requires_grad=True" in repr(wanting),
            "repr shows requires_grad",
            repr(wanting),
        )
        self.expect_true("grad_fn=<MulBackward0>" in repr(wanting * 2), "repr names the grad_fn", repr(wanting * 2))
        module = torch.nn.Parameter(self.on_device(torch.ones(2)))
        self.expect_true(where in repr(module) and "Parameter containing" in repr(module), "repr of a Parameter has its device", repr(module))  # fmt: skip

    def compare_printed(self, name, there, device):
        here = there.to(device)
        ways = {"repr": repr, "str": str}
        if type(here) is torch.Tensor:  # PyTorch prints no numbers of a subclass
            ways["format"] = "{}".format
        for how, show in ways.items():
            seen = words_of(show(here))
            where = f"device='{device}'"
            self.expect_true(
                where in seen or how == "format" and there.dim() == 0,
                f"{how} of {name} shows {where}",
                seen[-200:],
            )
            plain = seen.replace(f", {where}", "")
            self.expect_equal(plain, words_of(show(there)), f"{how} of {name} shows the values")
        turned = there.t() if there.dim() == 2 else there[::2] if there.dim() == 1 else there
        part = here.t() if there.dim() == 2 else here[::2] if there.dim() == 1 else here
        seen = words_of(repr(part)).replace(f", device='{device}'", "")
        self.expect_equal(seen, words_of(repr(turned)), f"repr of a slice of {name} shows the values")

    def test_quiet(self):
        """python_objects.printing_changes_nothing"""
        x = self.on_device(PRINTED["numbers of very different size"])
        kept = self.on_cpu(x).clone()
        shown = [
            x,
            self.on_device(PRINTED["many rows"]),
            *(PRINTED["numbers of very different size"].to(device) for device in self.devices[1:2]),
        ]
        self.put_device_back()
        torch.accelerator.set_device_index(self.device.index)
        with torch.random.fork_rng(devices=[]):
            before = self.surroundings()
            for one in shown:
                repr(one), str(one)
                what = f"printing a tensor of {one.device} does not change the current device, the current stream and random numbers"
                self.expect_equal(self.surroundings(), before, what)
        self.expect_tensor(x, kept, "printing does not change the values")

    def surroundings(self):
        """The current device, stream and random state, as far as this backend offers them."""
        seen = [torch.get_rng_state().tolist(), torch.is_grad_enabled()]
        for ask in (torch.accelerator.current_device_index, torch.accelerator.current_stream,
                    lambda: self.device_module.get_rng_state(self.device.index).tolist()):  # fmt: skip
            try:
                seen.append(ask())
            except (RuntimeError, AttributeError):
                seen.append(None)
        return seen

    def test_numbers(self):
        """python_objects.values_are_read_exactly"""
        for dtype, values, one in each(self, NUMBERS):
            with one:
                there = torch.tensor(values, dtype=dtype)
                here = self.on_device(there)
                what = f"of {str(dtype).removeprefix('torch.')}"
                self.expect_equal(repr(here.tolist()), repr(there.tolist()), f"tolist {what} is exact")
                seen = [repr(x.item()) for x in here]
                self.expect_equal(seen, [repr(x.item()) for x in there], f"item {what} is exact")
        x = torch.tensor([[3.25, -2.5, 7.0], [1.0, 0.125, -4.0]])
        for device in self.devices[:2]:
            there = x.to(device)
            for name, read, one in each(self, READ):
                with one:
                    self.expect_equal(read(there), read(x), f"{name} on {device} equals the CPU's result")
        for name, call in {
            "item": torch.Tensor.item,
            "bool": bool,
            "float": float,
            "int": int,
            "index": operator.index,
        }.items():
            self.expect_raises(
                (RuntimeError, ValueError, TypeError),
                f"{name} of several elements is refused",
                call,
                self.on_device(x),
            )

    def test_moved(self):
        """python_objects.every_overload_of_to_moves_the_tensor"""
        device, name = self.device, str(self.device)
        there = numbers(3, 4)
        forms = {
            "a device": lambda x: x.to(device), "text": lambda x: x.to(name), "a device and a dtype": lambda x: x.to(device, torch.float64), "device= as a keyword": lambda x: x.to(device=device, dtype=torch.int32),
            "another tensor": lambda x: x.to(torch.ones(1, dtype=torch.float64, device=device)), "non_blocking": lambda x: x.to(device, non_blocking=True), "copy": lambda x: x.to(device, copy=True),
            "a memory format": lambda x: x.reshape(1, 3, 2, 2).to(device, memory_format=torch.channels_last).reshape(3, 4), "a dtype first": lambda x: x.to(torch.float64).to(device).to(torch.float32),
            "type_as": lambda x: x.type_as(torch.ones(1, dtype=torch.float64, device=device)),
        }  # fmt: skip
        for form, move, one in each(self, forms):
            with one:
                made = move(there)
                self.expect_device(made, device, f"to() with {form} moves the tensor to the device")
                self.expect_tensor(made.float(), there.to(made.dtype).float(), f"to() with {form} keeps the values")
                self.expect_tensor(
                    made.to("cpu").float(),
                    there.to(made.dtype).float(),
                    f"a tensor that was moved with {form} can be moved back",
                )
        x = self.on_device(there)
        self.expect_true(
            x.to(name) is x and x.to(device) is x and x.to(x.dtype) is x and x.to(x) is x,
            "to() without a change returns the tensor itself",
            "it is another tensor",
        )
        self.expect_true(x.to(name, copy=True) is not x, "to(copy=True) is a new tensor", "it is the same tensor")
        kept = self.on_cpu(x).clone()
        x.to(device, copy=True).zero_()
        self.expect_tensor(x, kept, "to(copy=True) has its own memory")
        if len(self.devices) > 1:
            self.move_between()

    def move_between(self):
        first, other = self.devices[:2]
        with self.asks_a_special_case():
            x = numbers(3, 4).to(other)
            self.expect_device(x.to(first), first, "to() with an index moves to that device")
            torch.accelerator.set_device_index(first.index)
            self.expect_device(x.to(self.bare_device), first, "to() without an index moves to the current device")
            self.expect_tensor(x.to(first), numbers(3, 4), "to() between devices keeps the values")

    def test_like(self):
        """python_objects.new_tensors_keep_device_and_dtype"""
        makers = {
            "new_empty": lambda x: x.new_empty(2, 3), "new_zeros": lambda x: x.new_zeros(2, 3), "new_ones": lambda x: x.new_ones((2, 3)), "new_full": lambda x: x.new_full((2, 3), 4),
            "new_tensor": lambda x: x.new_tensor([[1, 2, 3]]), "new_empty_strided": lambda x: x.new_empty_strided((2, 3), (1, 2)), "empty_like": torch.empty_like, "zeros_like": torch.zeros_like,
            "ones_like": torch.ones_like, "full_like": lambda x: torch.full_like(x, 4), "rand_like": torch.rand_like, "randn_like": torch.randn_like, "randint_like": lambda x: torch.randint_like(x, 4, 5),
        }  # fmt: skip
        self.put_device_back()
        for device in self.devices[:2]:
            for name, make, one in each(self, makers):
                with one:
                    self.compare_made(name, make, device)
            for options in (
                {"dtype": torch.int32},
                {"device": "cpu"},
                {"requires_grad": True},
            ):
                made = numbers(2, 3).to(device).new_zeros(3, **options)
                wanted = (
                    options.get("dtype", torch.float32),
                    torch.device(options.get("device", device)),
                    options.get("requires_grad", False),
                )
                self.expect_equal((made.dtype, made.device, made.requires_grad), wanted, f"new_zeros accepts {options}")

    def compare_made(self, name, make, device):
        draws = name in ("rand_like", "randn_like")
        for there in (
            numbers(2, 3),
            numbers(3, 2, dtype=torch.float64).t(),
            numbers(2, 3, dtype=torch.int64),
        ):
            if draws and not there.is_floating_point():
                continue
            made, wanted, what = (
                make(there.to(device)),
                make(there),
                f"{name} of {there.dtype}",
            )
            seen, expected = (made.device, made.dtype, made.shape), (device, wanted.dtype, wanted.shape)
            self.expect_equal(seen, expected, f"{what} has the device, the CPU's dtype and sizes")
            if not draws and "empty" not in name:
                self.expect_tensor(made, wanted, f"{what} has the right values")

    def test_indexed(self):
        """python_objects.every_form_of_indexing_matches_the_cpu"""
        given = [(numbers(4, 3, 5, dtype=dtype), torch.tensor([2, 0, 3]), torch.tensor([True, False, True, True])) for dtype in (torch.float32, torch.int64, torch.bool)]  # fmt: skip
        ask_values(self, {f"reading by {name}": (call, given) for name, call in FORMS.items()})
        writes = {}
        for name, key in KEYS.items():
            writes[f"writing a number by {name}"] = (lambda x, k=key: x.__setitem__(k, 2), [(numbers(4, 3, 5),)])
            writes[f"writing a row by {name}"] = (
                (lambda x, k=key: x.__setitem__(k, x[k].clone().flip(0) if x[k].dim() else x[0, 0, 0])),
                [(numbers(4, 3, 5),)],
            )
            writes[f"adding by {name}"] = (lambda x, k=key: x.__setitem__(k, x[k] + 1), [(numbers(4, 3, 5),)])
        writes["writing a tensor of the CPU"] = (
            (lambda x: x.__setitem__((0, 1, 2), torch.tensor(7.0))),
            [(numbers(4, 3, 5),)],
        )
        ask_values(self, writes)

    def test_devices(self):
        """python_objects.devices_compare_by_type_and_index"""
        self.clause("PYO-010")
        for device in self.devices:
            x = numbers(2).to(device)
            self.expect_equal(
                (x.device, x.get_device()),
                (torch.device(self.device_name, device.index), device.index),
                "a tensor has the right device",
            )
        self.expect_different(self.bare_device, self.device, "a device with an index differs from one without")
        self.clause("PYO-018")
        keys = {x: number for number, x in enumerate(numbers(2).to(device) for device in self.devices)}
        self.expect_equal(len(keys), len(self.devices), "each tensor is a separate dict key")
        self.expect_true(
            all(keys[x] == number for number, x in enumerate(keys)),
            "a tensor finds its value in a dict",
            keys.values(),
        )
        self.expect_equal(
            {device: 1 for device in (*self.devices, *self.devices)},
            dict.fromkeys(self.devices, 1),
            "equal devices are the same dict key",
        )
        self.clause("PYO-011")
        empty, x = torch.empty(0, device=self.device), self.on_device(numbers(3))
        self.expect_equal(
            (type(x.data_ptr()), empty.data_ptr()),
            (int, 0),
            "data_ptr() is an int, and 0 for an empty tensor",
        )

    def test_close(self):
        """python_objects.assert_close_compares_values_and_devices"""
        dtypes = (torch.float32, torch.float64, torch.float16, torch.int64, torch.bool, torch.complex64)
        for dtype, _, one in each(self, dict.fromkeys(dtypes)):
            with one:
                self.compare_close(dtype)
        x = self.on_device(torch.tensor([1.0, NAN]))
        self.expect_raises(AssertionError, "assert_close treats NaN as different", _close, x, x.clone())
        _close(x, x.clone(), equal_nan=True)
        near = self.on_device(torch.tensor([1.0, 1.0]))
        _close(near, near + 1e-6)
        self.expect_raises(AssertionError, "assert_close applies its tolerance", _close, near, near + 1e-3)
        self.expect_raises(AssertionError, "assert_close compares devices", _close, near, self.on_cpu(near))
        if len(self.devices) > 1:
            self.expect_raises(AssertionError, "assert_close compares indices", _close, near, near.to(self.devices[1]))
        message = str(self.expect_raises(AssertionError, "assert_close reports the number of different elements", _close, near, near * 2))
        self.expect_true("2 / 2" in message, "assert_close counts the different elements", message)

    def compare_close(self, dtype):
        there = numbers(3, 4, dtype=dtype)
        here, other = self.on_device(there), there.clone()
        _close(here, self.on_device(there))
        _close(here, there, check_device=False)
        other[1, 2] = not other[1, 2] if dtype is torch.bool else other[1, 2] + 1
        counted = torch.int64 if dtype is torch.bool else dtype
        self.op("aten::abs", torch.abs, self.on_device(other.to(counted)))  # the message shows the difference
        what = f"assert_close detects one different element of {dtype}"
        self.expect_raises(AssertionError, what, _close, here, self.on_device(other))
