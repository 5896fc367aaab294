# SPDX-License-Identifier: BSD-3-Clause
"""Copies of device tensors and of objects that contain them: which copies share memory, which do not, and their
device."""

import copy
import gc
import weakref

import torch
from assay.checks import Case
from assay.checks.asking import each
from assay.checks.memory_in_use import bytes_in_use
from assay.checks.value_cases import numbers

KEPT = """
import torch
kept = [torch.ones(3).to("{device}"), torch.nn.Parameter(torch.ones(3).to("{device}"))]
kept.append(kept)
for make in (lambda: torch.Stream("{device}"), lambda: torch.Event("{device}"), lambda: torch.Generator("{device}")):
    try:
        kept.append(make())
    except RuntimeError:
        pass
kept[0].itself = kept[0]
torch.kept_by_assay = kept
answer = kept[0].cpu().tolist()
"""
THREADS = """
import threading
import torch
torch.kept_by_assay = kept = []
told = []

def computed():
    x = torch.ones(3).to("{device}").requires_grad_()
    kept.append(x)
    (x * x * 4).sum().backward()
    return x.grad.cpu().tolist()

def work():
    try:
        told.append(computed())
    except RuntimeError as error:
        told.append(str(error))

threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
try:
    alone = computed()
except RuntimeError:
    alone = None
answer = [alone, told]
"""


class Marked(torch.Tensor):
    """A subclass without additions. Results of its operators have the same class."""


class ObjectCopies(Case):
    def setUp(self):
        super().setUp()
        self.need_any_kind()

    def tensors(self, device):
        """Maps names to tensors: layouts, an offset, a required gradient, few elements."""
        base = numbers(4, 6).to(device)
        wanted = numbers(3, 2).to(device).requires_grad_()
        return {
            "a matrix": numbers(4, 6).to(device),
            "a transposed tensor": base.t(),
            "a slice with an offset": base[1:3, 2:5],
            "integers": numbers(5, dtype=torch.int64).to(device),
            "bools": numbers(5, dtype=torch.bool).to(device),
            "one number": torch.tensor(2.5).to(device),
            "nothing": torch.empty(0, 3, device=device),
            "a tensor that requires a gradient": wanted,
            "a Parameter": torch.nn.Parameter(numbers(3).to(device)),
        }

    def test_deep(self):
        """python_objects.deep_copies_are_independent"""
        for device in self.devices[:2]:
            for name, one, asked in each(self, self.tensors(device)):
                with asked:
                    self.compare_deep(f"deepcopy of {name}", one)
        self.share_in_one_copy()
        one = self.on_device(numbers(3)).requires_grad_() * 2
        self.expect_raises(
            RuntimeError,
            "deepcopy of a non-leaf tensor that requires a gradient is refused",
            copy.deepcopy,
            one,
        )

    def compare_deep(self, what, one):
        made = copy.deepcopy(one)
        kept = self.on_cpu(one).clone()
        self.expect_device(made, one.device, f"{what} is on the same device")
        seen, expected = (type(made), made.requires_grad), (type(one), one.requires_grad)
        self.expect_equal(seen, expected, f"{what} has the same class and the same requires_grad")
        if torch._C._has_storage(one):  # without a storage, PyTorch clones
            seen, expected = (made.stride(), made.storage_offset()), (one.stride(), one.storage_offset())
            self.expect_equal(seen, expected, f"{what} has the same strides and offset")
        self.expect_tensor(made, kept, f"{what} has the same values")
        if one.numel():
            with torch.no_grad():
                made.zero_()
            self.expect_tensor(one, kept, f"{what} has its own memory")

    def share_in_one_copy(self):
        base = self.on_device(numbers(4, 6))
        whole, part = copy.deepcopy([base, base[1:3]])
        part.fill_(9)
        self.expect_tensor(
            whole[1:3],
            torch.full((2, 6), 9.0),
            "tensors that share memory still share it after one deepcopy",
        )
        again = copy.deepcopy([base, base])
        self.expect_true(
            again[0] is again[1],
            "a tensor that occurs twice is one tensor in a deepcopy",
            "they are two tensors",
        )
        leaf = self.on_device(numbers(3)).requires_grad_()
        (leaf * leaf).sum().backward()
        made = copy.deepcopy(leaf)
        self.expect_tensor(made.grad, leaf.grad, "deepcopy copies the gradient")
        made.grad.zero_()
        self.expect_tensor(leaf.grad, 2 * self.on_cpu(leaf), "the gradient of a deepcopy has its own memory")

    def test_modules(self):
        """python_objects.copied_modules_train_independently"""
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 2)).to(self.device)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        x = self.on_device(numbers(5, 3))

        def step(some_net, some_optimizer):
            some_optimizer.zero_grad()
            some_net(x).square().sum().backward()
            some_optimizer.step()

        step(net, optimizer)
        twin, twin_optimizer = copy.deepcopy((net, optimizer))
        before = {name: self.on_cpu(value).clone() for name, value in net.state_dict().items()}
        for (name, mine), theirs in zip(net.named_parameters(), twin.parameters(), strict=True):
            self.expect_equal(
                (type(theirs), theirs.device, theirs.requires_grad),
                (type(mine), mine.device, mine.requires_grad),
                f"the copied parameter {name} is a Parameter on the device",
            )
            self.expect_tensor(theirs, mine, f"the copied parameter {name} has its values")
        held = [one for group in twin_optimizer.param_groups for one in group["params"]]
        self.expect_true(
            all(one is other for one, other in zip(held, twin.parameters(), strict=True)),
            "an optimizer that is copied with its module refers to the parameters of the copy",
            "it refers to other parameters",
        )
        step(twin, twin_optimizer)
        for name, value in net.state_dict().items():
            self.expect_tensor(value, before[name], f"training of the copy does not change {name} of the original")
        step(net, optimizer)
        for name, value in net.state_dict().items():
            self.expect_tensor(
                twin.state_dict()[name],
                value,
                f"training of the copy gives the same result as that of the original: {name}",
                rtol=1e-5,
                atol=1e-6,
            )

    def test_shallow(self):
        """python_objects.shallow_copies_are_aliases"""
        for name, one, asked in each(self, self.tensors(self.device)):
            if not one.numel() or not one.is_contiguous() or one.storage_offset():
                continue  # other checks test how a slice is filled
            with asked, torch.no_grad():
                self.compare_shallow(name, one)
                self.expect_equal(one.detach().requires_grad, False, f"detach of {name} requires no gradient")

    def compare_shallow(self, name, one):
        kept = self.on_cpu(one).clone()
        copies = {"clone": one.clone(), "torch.clone": torch.clone(one)}
        aliases = {"detach": one.detach(), "alias": one[...]}
        if torch._C._has_storage(one) and type(one) in (torch.Tensor, torch.nn.Parameter):
            # for other tensors, PyTorch pickles the values
            aliases["copy.copy"] = copy.copy(one)
        for number, (how, made) in enumerate(aliases.items()):
            value = number % 2
            made.fill_(value)
            what = torch.full_like(kept, value)
            self.expect_tensor(one, what, f"{how} of {name} shares the memory")
            one.fill_(1 - value)
            self.expect_tensor(made, torch.full_like(kept, 1 - value), f"{how} of {name} shows later writes")
        for how, made in copies.items():
            self.expect_tensor(made, kept, f"{how} of {name} has the values and its own memory")

    def test_assigned(self):
        """python_objects.assigned_data_shares_memory"""
        for device in self.devices[:2]:
            x = torch.nn.Parameter(numbers(2, 3).to(device))
            y = numbers(5, 4).to(device).t()
            before = id(x), type(x), True
            x.data = y
            what = f"after x.data = y on {device}, x"
            self.expect_equal((x.shape, x.stride()), (y.shape, y.stride()), f"{what} has the sizes and strides of y")
            self.expect_equal((id(x), type(x), x.requires_grad), before, f"{what} is the same object")
            self.expect_tensor(x, y, f"{what} has the values of y")
            y.fill_(3)
            self.expect_tensor(x, torch.full((4, 5), 3.0), f"{what} shows writes to y")
            with torch.no_grad():
                x.zero_()
            self.expect_tensor(y, torch.zeros(4, 5), f"{what} writes to y")

    def test_dropped(self):
        """python_objects.dropped_tensors_are_freed"""
        self.clause("PYO-012")
        holder = torch.nn.ParameterList([torch.nn.Parameter(numbers(3).to(self.device))])
        one = holder[0]
        one.mark, seen = "ours", weakref.ref(one)
        result = (one * 2).sum()
        del one, holder
        leaf = result.grad_fn.next_functions[0][0].next_functions[0][0].variable
        self.expect_equal(
            getattr(leaf, "mark", None),
            "ours",
            "an attribute still exists while a graph refers to the tensor",
        )
        self.expect_true(seen() is leaf, "a graph returns its tensor as the same object", "it is another object")
        del leaf, result
        self.expect_true(seen() is None, "a weak reference is dead after its tensor was freed", "the tensor is still alive")
        self.clause("PYO-016")
        self.collect_cycles()

    def collect_cycles(self):
        gc.collect()
        before = bytes_in_use(self)
        for _ in range(4):
            one = torch.empty(1 << 16, device=self.device)
            one.itself, one.sum = [one], one.view(256, 256)[3:].sum()
            one.hooked = torch.empty(1 << 10, device=self.device, requires_grad=True)
            one.hooked.register_hook(lambda gradient, one=one: gradient)
        del one
        gc.collect()
        what = "reference cycles with tensors are collected, and their memory is freed"
        self.expect_equal(bytes_in_use(self), before, what)

    def test_ends(self):
        """python_objects.interpreter_exits_with_status_0"""
        self.on_device(self.sample())  # the copy is a means: its refusal blocks the check here
        device = str(self.device)
        self.clause("PYO-014")
        answer = self.fresh(KEPT.format(device=device), "an interpreter with live objects exits normally", ends=True)
        self.expect_equal(answer, [1.0] * 3, "a program can read the tensors that it keeps")
        self.clause("PYO-020")
        what = "an interpreter whose threads computed exits normally"
        for _ in range(2):
            alone, told = self.fresh(THREADS.format(device=device), what, ends=True)
            if alone is None:  # the backend refuses a product, a sum or a backward, which other checks test
                continue
            self.expect_equal(alone, [8.0] * 3, "the main thread computes forward and backward after four other threads")
            self.expect_equal(told, [alone] * 4, "four threads compute the same forward and backward as the main thread")

    def test_subclasses(self):
        """python_objects.subclasses_and_modes_intercept_every_call"""
        from torch.utils._python_dispatch import TorchDispatchMode

        x = self.on_device(numbers(3, 4))
        mine = x.as_subclass(Marked)
        for name, made in {
            "+": mine + 1,
            "[]": mine[1],
            "sum": mine.sum(0),
            "to": mine.to(torch.float64),
        }.items():
            self.expect_equal(type(made), Marked, f"{name} of a subclass has the class of the subclass")
            self.expect_device(made, x.device, f"{name} of a subclass stays on its device")
        self.expect_tensor(
            (mine + 1).as_subclass(torch.Tensor),
            self.on_cpu(x) + 1,
            "a subclass gives the same results as its base",
        )
        seen = []

        class Watch(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, arguments=(), options=None):
                seen.append(str(function))
                return function(*arguments, **(options or {}))

        with Watch():
            made = torch.mm(x, x.t()) + 1
        for wanted in ("aten.mm.default", "aten.add.Tensor"):
            self.expect_true(wanted in seen, f"a TorchDispatchMode is called for {wanted}", seen)
        self.expect_tensor(made, torch.mm(self.on_cpu(x), self.on_cpu(x).t()) + 1, "an operator that the mode passes on is computed",
                           rtol=1e-5, atol=1e-5)  # fmt: skip
