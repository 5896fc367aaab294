# SPDX-License-Identifier: BSD-3-Clause
"""Copies between all pairs of dtypes, layouts, conj and neg bits and directions, blocking and non-blocking.

A wrong copy makes correct operators look wrong. Each pair is compared with the same copy on the CPU. The comparison
covers all memory around the destination, which is copied as one block.
"""

import functools
import itertools
import warnings

import torch
from assay.checks import Case, asking
from assay.values.closeness import works

# All dtypes that convert to and from numbers.
DTYPES = [
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
    torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128,
]  # fmt: skip
STORED = [
    torch.uint16, torch.uint32, torch.uint64, torch.complex32,
    torch.float8_e4m3fn, torch.float8_e5m2,
]  # fmt: skip
SHAPE = (2, 3, 4, 5)
ROOM = 240  # elements of the memory around a layout: twice what the layout needs
# name: strides and offset of a tensor of SHAPE in that memory.
LAYOUTS = {
    "contiguous": ((60, 20, 5, 1), 0),
    "with an offset": ((60, 20, 5, 1), 7),
    "channels_last": ((60, 1, 15, 3), 0),
    "transposed": ((60, 20, 1, 4), 0),
    "stepped": ((120, 40, 10, 2), 0),
    "reversed dims": ((1, 2, 6, 24), 3),
}
SOURCES = LAYOUTS | {"expanded": ((0, 20, 5, 1), 1), "one element expanded": ((0, 0, 0, 0), 5)}
BITS = {
    "plain": lambda x: x,
    "conj": lambda x: x.conj(),
    "neg": lambda x: torch._neg_view(x),
    "conj and neg": lambda x: torch._neg_view(x.conj()),
}


def numbers(dtype):
    """Returns numbers, with fractions and negative numbers if the dtype can represent them."""
    values = torch.tensor([0, 1, 2.75, 7.5, 100, 3], dtype=torch.float64)
    if dtype.is_complex:
        return torch.complex(values, values.flip(0) / 2).to(dtype)
    return (values if dtype in (torch.bool, torch.uint8) else values - 3.25).to(dtype)


FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
WARNED = ((torch.complex64, torch.float32), (torch.complex128, torch.int64), (torch.float32, torch.complex64))
ENDS = {torch.uint64: "integers beyond 2**63"}
OF_BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def not_a_number(dtype):
    """NaNs of both signs with only the lowest or only the highest bit of the fraction set, then infinities and a
    number."""
    infinity = torch.tensor(float("inf"), dtype=dtype).view(OF_BITS[dtype.itemsize])
    bits = [infinity + 1, torch.tensor(float("nan"), dtype=dtype).view(infinity.dtype), infinity]
    found = torch.stack(bits).view(dtype)
    return torch.cat([found, -found, torch.ones(2, dtype=dtype)])


def large_numbers(dtype):
    """Integers that fit into a uint64 and not into an int64, up to the range of the dtype."""
    largest = min(torch.finfo(dtype).max, 1.5e19)
    return torch.tensor([1, largest / 2, largest], dtype=torch.float64).to(dtype)


def half_way(source, target):
    """Numbers half way between two neighbours in the target dtype, which round to the neighbour with an
    even last bit."""
    steps = torch.tensor([0.5, 1.5, 2.5, 3.5], dtype=torch.float64) * torch.finfo(target).eps
    near_one = torch.cat([1 + steps, 2 + 2 * steps])
    return torch.cat([near_one, -near_one, near_one / 64]).to(source)


def may_convert(source, target):
    """False if a negative number would be converted to an unsigned dtype, because that conversion is not defined."""
    return target != torch.uint8 or source in (torch.bool, torch.uint8)


def in_memory(memory, layout):
    strides, offset = SOURCES[layout]
    return memory.as_strided(SHAPE, strides, offset)


class CopyPairs(Case):
    def setUp(self):
        super().setUp()
        self.pairs = asking.Many(self)

    def places(self):
        """The devices of source and destination: every direction that involves the device."""
        return [("cpu", self.device), (self.device, "cpu"), (self.device, self.device)]

    def attempt(self, what, pair, plain=None):
        """Tests one pair. The backend may refuse the copy with a clear error. `plain`: a similar copy; if the backend
        supports it, an exception in the pair is no refusal."""
        with self.pairs.one(what), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about lost imaginary parts, which the CPU gives as well
            try:
                pair(what)
            except NotImplementedError:
                raise
            except Exception as error:
                error.assay_special = bool(plain) and works(functools.partial(plain, "at least one pair is copied"))
                raise

    def conclude(self):
        self.note("pairs", f"{len(self.pairs.asked)} tried, {len(self.pairs.refused)} refused")
        self.pairs.conclude()

    def wait(self):
        torch.accelerator.synchronize(self.device)

    def test_bytes(self):
        """operators.copies_keep_every_byte"""
        for dtype, count in itertools.product(DTYPES + STORED, (0, 1, 7, 1025)):
            self.attempt(
                f"{count} numbers of {dtype} are unchanged after a copy to the device and back",
                functools.partial(self.copy_bytes, dtype, count),
                functools.partial(self.copy_bytes, dtype, 4),
            )
        self.conclude()

    def copy_bytes(self, dtype, count, what):
        given = torch.arange(count * torch.empty(0, dtype=dtype).element_size(), dtype=torch.uint8)
        given = given.remainder_(2) if dtype == torch.bool else given
        back = given.view(dtype).to(self.device).cpu()
        self.expect_tensor(back.view(torch.uint8), given, what)

    def test_nothing(self):
        """operators.copies_of_zero_elements_do_nothing"""
        for source, target, layout, (here, there) in itertools.product(
            DTYPES, (torch.float32, torch.int64), ((0, 3), (3, 0), (2, 0, 4)), self.places()
        ):
            self.attempt(
                f"a {layout} tensor of {source} on {here} is copied to {target} on {there}",
                functools.partial(self.copy_nothing, source, target, layout, here, there),
                functools.partial(self.copy_dtype, source, target, here, there) if may_convert(source, target) else None,
            )
        self.conclude()

    def copy_nothing(self, source, target, shape, here, there, what):
        out = torch.ones(4, dtype=target).to(there)
        given = torch.empty(shape, dtype=source).to(here)
        out[:0].reshape(shape).copy_(given)
        out[:0].copy_(given.reshape(0))
        self.expect_tensor(out, torch.ones(4, dtype=target), what)

    def test_dtypes(self):
        """operators.copies_convert_every_pair_of_dtypes"""
        for source, target, (here, there) in itertools.product(DTYPES, DTYPES, self.places()):
            if may_convert(source, target):
                self.attempt(
                    f"{source} on {here} is copied to {target} on {there}",
                    functools.partial(self.copy_dtype, source, target, here, there),
                )
        for source, target, (here, there) in itertools.product(FLOATS, (*FLOATS, torch.uint64), self.places()):
            if source != target:
                self.attempt(
                    f"{ENDS.get(target, 'NaN of each kind and infinities')} of {source} on {here} are copied to {target} on {there}",
                    functools.partial(self.copy_ends, source, target, here, there),
                )
        for source, target, (here, there) in itertools.product(FLOATS, FLOATS, self.places()):
            if torch.finfo(source).eps < torch.finfo(target).eps / 4:
                self.attempt(
                    f"numbers of {source} on {here} half way between two of {target} are rounded as on the CPU on {there}",
                    functools.partial(self.copy_half_way, source, target, here, there),
                )
        for (source, target), (here, there) in itertools.product(WARNED, self.places()):
            self.attempt(
                f"{source} on {here} is copied to {target} on {there}, with a warning if a part is lost",
                functools.partial(self.copy_and_warn, source, target, here, there),
            )
        self.conclude()

    def copy_dtype(self, source, target, here, there, what):
        given = numbers(source)
        out = torch.zeros(len(given), dtype=target).to(there)
        out.copy_(given.to(here))
        self.expect_tensor(out, given.to(target), what)

    def copy_ends(self, source, target, here, there, what):
        given = large_numbers(source) if target == torch.uint64 else not_a_number(source)
        out = torch.zeros(len(given), dtype=target).to(there)
        out.copy_(given.to(here))
        same = dict(rtol=1e-9, atol=1e-9) if target.is_floating_point else {}  # the bits of a NaN are not specified
        self.expect_tensor(out, given.to(target), what, **same)

    def copy_half_way(self, source, target, here, there, what):
        given = half_way(source, target)
        out = torch.zeros(len(given), dtype=target).to(there)
        out.copy_(given.to(here))
        self.expect_tensor(out, given.to(target), what, rtol=0, atol=0)

    def copy_and_warn(self, source, target, here, there, what):
        given, out = numbers(source).to(here), torch.zeros(len(numbers(source)), dtype=target).to(there)
        before = torch.is_warn_always_enabled()
        torch.set_warn_always(True)
        try:
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                out.copy_(given)
        finally:
            torch.set_warn_always(before)
        seen = [str(one.message).split("\n")[0] for one in warned]
        is_lost = source.is_complex and not target.is_complex
        holds = any("imaginary" in one for one in seen) == is_lost
        self.expect_true(holds, f"{what}, which warns of {'its' if is_lost else 'no'} lost imaginary part", f"the warnings are: {seen}")

    def test_layouts(self):
        """operators.copies_are_exact_for_every_pair_of_layouts"""
        for source, target, (here, there), waits in itertools.product(SOURCES, LAYOUTS, self.places(), (True, False)):
            how = "" if waits else ", non_blocking"
            self.attempt(
                f"{source} on {here} is copied to {target} on {there}{how}",
                functools.partial(self.copy_layout, source, target, here, there, waits),
            )
        for dtype, layout, (here, there) in itertools.product(STORED, SOURCES, self.places()):
            self.attempt(
                f"{layout} of {dtype} on {here} is copied to a contiguous tensor on {there}",
                functools.partial(self.copy_stored, dtype, layout, "contiguous", here, there),
                functools.partial(self.copy_stored, dtype, "contiguous", "contiguous", here, there),
            )
            if layout in LAYOUTS:
                self.attempt(
                    f"a contiguous tensor of {dtype} on {here} is copied to {layout} on {there}",
                    functools.partial(self.copy_stored, dtype, "contiguous", layout, here, there),
                    functools.partial(self.copy_stored, dtype, "contiguous", "contiguous", here, there),
                )
        self.conclude()

    def copy_stored(self, dtype, source, target, here, there, what):
        """Dtypes that few kernels support: their bytes are copied unchanged."""
        whole = torch.arange(ROOM * dtype.itemsize, dtype=torch.uint8)
        given, nothing = whole.view(dtype), torch.zeros(ROOM * dtype.itemsize, dtype=torch.uint8).view(dtype)
        wanted, memory = nothing.clone(), nothing.to(there)
        in_memory(wanted, target).copy_(in_memory(given, source))
        in_memory(memory, target).copy_(in_memory(given.to(here), source))
        self.expect_tensor(memory.cpu().view(torch.uint8), wanted.view(torch.uint8), what)

    def copy_layout(self, source, target, here, there, waits, what):
        given = torch.arange(float(ROOM))
        wanted, memory = torch.full((ROOM,), -1.0), torch.full((ROOM,), -1.0).to(there)
        in_memory(wanted, target).copy_(in_memory(given, source))
        in_memory(memory, target).copy_(in_memory(given.to(here), source), non_blocking=not waits)
        if not waits:
            self.wait()
        self.expect_tensor(memory, wanted, what)

    def test_broadcast(self):
        """operators.copies_broadcast_every_shape"""
        shapes = ((), (1,), (5,), (4, 1), (1, 4, 5), (3, 1, 1), (2, 1, 4, 1))
        for shape, (here, there) in itertools.product(shapes, self.places()):
            self.attempt(
                f"a source of shape {shape} on {here} fills {SHAPE} on {there}",
                functools.partial(self.copy_broadcast, shape, here, there),
            )
        self.conclude()

    def copy_broadcast(self, shape, here, there, what):
        given = torch.arange(float(torch.Size(shape).numel())).reshape(shape)
        out = torch.zeros(SHAPE).to(there)
        self.clause("OPS-015")
        returned = out.copy_(given.to(here))
        self.clause("OPS-018")
        self.expect_true(returned is out, f"{what}, and copy_ returns it", "another tensor")
        self.clause("OPS-015")
        self.expect_tensor(out, given.expand(SHAPE).contiguous(), what)

    def test_shapes(self):
        """operators.copies_reject_incompatible_shapes"""
        shapes = ((2,), (6,), (3, 2), (1, 6), (2, 2, 3), (0,))
        for shape, (here, there) in itertools.product(shapes, self.places()):
            self.attempt(
                f"a source of shape {shape} on {here} is refused for (2, 3) on {there}",
                functools.partial(self.copy_misfit, shape, here, there),
            )
        self.conclude()

    def copy_misfit(self, shape, here, there, what):
        given, out = torch.ones(shape).to(here), torch.zeros(2, 3).to(there)
        if self.expect_raises(RuntimeError, what, out.copy_, given) is not None:
            self.expect_tensor(out, torch.zeros(2, 3), f"{what}, and nothing is changed")

    def test_self(self):
        """operators.copies_within_the_device_are_exact"""
        given = numbers(torch.float32) if self.sample_kind.is_common else self.sample()
        source, out = self.on_device(given), self.on_device(torch.zeros_like(given))
        self.expect_tensor(out.copy_(source), given, "a copy has the values of its source")
        self.expect_tensor(source, given, "the source of a copy keeps its values")
        for name, same in {"itself": source, "a view of itself": source.view(-1)}.items():
            self.expect_true(source.copy_(same) is source, f"a copy of {name} returns it", "another")
            self.expect_tensor(source, given, f"a tensor onto which {name} is copied is unchanged")
        self.asks("a copy of an uninitialized tensor, torch.empty(n).clone(), returns")
        self.empty_sample().clone()

    def test_bits(self):
        """operators.copies_resolve_conj_and_neg_bits"""
        for source, target, (here, there) in itertools.product(BITS, BITS, self.places()):
            self.attempt(
                f"a {source} view on {here} is copied to a {target} view on {there}",
                functools.partial(self.copy_bits, source, target, here, there, torch.complex64),
            )
        for source, target, (here, there) in itertools.product(("plain", "neg"), ("plain", "neg"), self.places()):
            self.attempt(
                f"a {source} view of real numbers on {here} is copied to a {target} view on {there}",
                functools.partial(self.copy_bits, source, target, here, there, torch.float32),
            )
        self.conclude()

    def clause_of_bits(self, source, target, there, dtype):
        if not dtype.is_complex:
            return "OPS-062"
        copies_out = there == "cpu" and target == "plain" and source != "plain"
        return "OPS-017" if copies_out else "OPS-060"

    def copy_bits(self, source, target, here, there, dtype, what):
        self.clause(self.clause_of_bits(source, target, there, dtype))
        given = numbers(dtype)
        wanted, memory = torch.zeros_like(given), torch.zeros_like(given).to(there)
        BITS[target](wanted).copy_(BITS[source](given))
        BITS[target](memory).copy_(BITS[source](given.to(here)))
        self.expect_tensor(memory, wanted, what)

    def test_devices(self):
        """operators.copies_between_devices_are_exact_in_every_layout"""
        first, second = self.devices[:2]
        for layout, current in itertools.product(SOURCES, (first, second)):
            self.attempt(
                f"a {layout} tensor is copied from {first} to {second} while {current} is current",
                functools.partial(self.copy_across, layout, "contiguous", first, second, current),
            )
        for target in LAYOUTS:
            self.attempt(
                f"a contiguous tensor on {first} is copied to a {target} tensor on {second}",
                functools.partial(self.copy_across, "contiguous", target, first, second, first),
            )
        self.conclude()

    def copy_across(self, layout, target, first, second, current, what):
        given = torch.arange(float(ROOM))
        source, memory = in_memory(given.to(first), layout), torch.zeros(ROOM).to(second)
        out = in_memory(memory, target)
        with torch.accelerator.device_index(current.index):
            out.copy_(source)
            left = torch.accelerator.current_device_index()
        self.expect_equal(left, current.index, f"{what}, and {current} is still current")
        wanted = torch.zeros(ROOM)
        in_memory(wanted, target).copy_(in_memory(given, layout))
        self.expect_tensor(memory, wanted, what)
