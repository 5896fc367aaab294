# SPDX-License-Identifier: BSD-3-Clause
"""One call of a watched program: its inputs before it, the same call on the CPU, and what differs.

Called by the watcher inside the program (assay_host/watch_mode.py), and by reproducers. The verdict is judge.py's.
"""

import torch
from judge import MOVES, Reference, compare, moved, terms_of, widened
from judge_tables import ALL, uncompared
from torch.utils._pytree import tree_leaves, tree_map


def on_cpu(tensor):
    """A copy with the same strides; what overlaps in memory does so no longer."""
    plain = tensor.detach().contiguous().cpu()
    if tensor.is_contiguous() or torch._debug_has_internal_overlap(tensor):
        return plain.clone()
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype).copy_(plain)


def to_cpu(leaf, kind):
    if isinstance(leaf, torch.Tensor):
        return on_cpu(leaf)
    if isinstance(leaf, torch.device) and leaf.type == kind:
        return torch.device("cpu")
    return leaf


def plain(tree, copies):
    """Of a result, what can be compared: values, without the strides that a backend may choose. What an operator writes
    to is its result as well: `copies` has each tensor once."""

    def copied(leaf):
        if not isinstance(leaf, torch.Tensor):
            return leaf
        if id(leaf) not in copies:
            copies[id(leaf)] = on_cpu(leaf).contiguous()
        return copies[id(leaf)]

    return tree_map(copied, tree)


def inputs(tree):
    """Each tensor once."""
    return list({id(leaf): leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)}.values())


def form(tensor):
    return f"an input of shape {tuple(tensor.shape)} with strides {tensor.stride()}"


def same_bits(one, other):
    """Equal, NaN where the other one is NaN: for tensors that nobody should have written to."""
    if one.shape != other.shape or one.dtype != other.dtype or one.layout is not torch.strided:
        return False
    if one.is_quantized or torch.equal(one, other):
        return not one.is_quantized
    return bool(((one == other) | ((one != one) & (other != other))).all())


def why_unjudged(function):
    """The reason why no result of it can be judged, or None."""
    found = uncompared(function)
    return found[1] if found and found[0] == ALL else None


def numbers_unjudged(function):
    found = uncompared(function)
    return found[0] if found and found[0] != ALL else ()


class Compared:
    """Made before the call, asked after it. `worst`: the largest error beside the largest number, as the device has it;
    `cpu_worst`: as the CPU has it in that dtype, where it was asked for."""

    def __init__(self, function, arguments, named, kind, is_thorough=True):
        """With `is_thorough` inputs that the call must not write to are looked at afterwards, too."""
        self.function, self.kind, self.worst, self.cpu_worst = function, kind, None, None
        self.is_thorough = is_thorough
        self.live = (arguments, named)
        self.writes = function._schema.is_mutable
        self.unjudged = numbers_unjudged(function)
        seen = {}

        def once(leaf):
            if not isinstance(leaf, torch.Tensor):
                return to_cpu(leaf, kind)
            return seen.setdefault(id(leaf), to_cpu(leaf, kind))

        self.before = tree_map(once, self.live)
        places = [place for place in map(memory_of, inputs(self.live)) if place is not None]
        self.are_apart = len(set(places)) == len(places)  # their copies are
        self.same_form = [form(one) == form(two) for one, two in zip(inputs(self.live), inputs(self.before), strict=True)]

    def bytes(self):
        return sum(leaf.numel() * leaf.element_size() for leaf in tree_leaves(self.before) if isinstance(leaf, torch.Tensor))

    def again(self, before):
        """The call on the CPU: its result, what it left of its inputs, and which of them it shares memory with."""
        seen = {}

        def once(leaf):
            return seen.setdefault(id(leaf), leaf.clone()) if isinstance(leaf, torch.Tensor) else leaf

        arguments, named = tree_map(once, before) if self.writes else before
        result = self.function(*arguments, **named)
        return self.told(result, inputs((arguments, named)))

    def told(self, result, left):
        """The values compared: the result, and the inputs afterwards, with their strides where these can be known."""
        forms = [form(one) for one, same in zip(left, self.same_form, strict=True) if same]
        copies = {}
        left_behind = plain(left, copies) if self.writes or self.is_thorough else []
        return plain(result, copies), left_behind, forms, sharing(result, left) if self.are_apart else []

    def difference(self, result):
        """Words, or None."""
        cpu = self.again(self.before)
        seen = self.told(result, inputs(self.live))
        if not self.writes and all(map(same_bits, seen[1], cpu[1])):
            seen, cpu = (seen[0], [], *seen[2:]), (cpu[0], [], *cpu[2:])
        reference = Reference(cpu, lambda: self.double(cpu), None, terms_of(tree_leaves(self.before)))
        said = compare(seen, reference, values=self.is_asked)
        if said:  # once more, with what a rounding of the inputs does: costly, and rarely asked
            again = Reference(cpu, reference.double, self.moved(cpu), reference.terms)
            said = compare(seen, again, values=self.is_asked)
        self.worst = worst_of(seen, cpu)
        if isinstance(reference.__dict__.get("double"), tuple):
            self.cpu_worst = worst_of(cpu, reference.double)
        return str(said[0]) if said else None

    def is_asked(self, number):
        """Of a result by its number: whether its values can be judged."""
        return number not in self.unjudged

    def double(self, cpu):
        """The same in double."""
        return self.told_as(cpu, widened)

    def told_as(self, cpu, change):
        """The same of changed inputs; left out what has been left out of `cpu`."""
        told = self.again(change([self.before])[0])
        return told[0], told[1] if cpu[1] else [], *cpu[2:]

    def moved(self, cpu):
        """Pairs for the judge, as many as the operator takes."""
        pairs = []
        for seed in range(MOVES):
            try:
                pairs.append((self.told_as(cpu, lambda tree, seed=seed: widened(moved(tree, seed))),
                              self.told_as(cpu, lambda tree, seed=seed: moved(tree, seed))))
            except Exception:  # inputs that may not be moved: probabilities, whole numbers
                continue
        return pairs


class ComparedView:
    """A call that gives views: they are what the CPU's are of an input of that form, and so of these values."""

    worst = cpu_worst = None

    def __init__(self, function, arguments, named, kind):
        self.function, self.live, self.kind = function, (arguments, named), kind

    def bytes(self):
        return 0

    @property
    def before(self):
        return tree_map(lambda leaf: to_cpu(leaf, self.kind), self.live)

    def difference(self, result):
        """Words, or None."""
        arguments, named = tree_map(self.blank, self.live)
        wanted = [view_of(one, inputs((arguments, named))) for one in inputs(self.function(*arguments, **named))]
        seen = [view_of(one, inputs(self.live)) for one in inputs(result)]
        return None if seen == wanted else f"{'; '.join(seen)}, expected {'; '.join(wanted)}"

    def blank(self, leaf):
        """A tensor of that form on the CPU, whose memory nobody touches."""
        if not isinstance(leaf, torch.Tensor):
            return to_cpu(leaf, self.kind)
        made = torch.empty_strided(leaf.shape, leaf.stride(), dtype=leaf.dtype)
        made = torch._conj(made) if leaf.is_conj() else made
        return torch._neg_view(made) if leaf.is_neg() else made


def gives_views(function):
    """Whether all that it returns are views of its inputs."""
    returns = function._schema.returns
    return bool(returns) and not function._schema.is_mutable and all(one.alias_info is not None for one in returns)


def view_of(tensor, inputs):
    """Where it lies, beside the inputs."""
    bits = f"{' conjugated' * tensor.is_conj()}{' negated' * tensor.is_neg()}"
    what = f"a{bits} {tensor.dtype} view of shape {tuple(tensor.shape)} with strides {tensor.stride()}"
    for number, one in enumerate(inputs):
        if one.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr() or not tensor.numel():
            return f"{what}, {tensor.storage_offset() - one.storage_offset()} elements behind input {number}"
    return what + " of memory of its own"


def sharing(result, left):
    """In words, which inputs a result shares its memory with."""
    places = [memory_of(one) for one in left]
    return [f"result {number} shares memory with inputs {[i for i, place in enumerate(places) if place == own]}"
            for number, own in enumerate(map(memory_of, inputs(result))) if own is not None]


def memory_of(tensor):
    """None for one that has none."""
    if tensor.layout is not torch.strided or not tensor.numel():
        return None
    return tensor.untyped_storage().data_ptr()


def worst_of(seen, wanted):
    """How far off the farthest number is, beside the largest one of its tensor; None where there are none."""
    worst = None
    for one, other in zip(tree_leaves(seen), tree_leaves(wanted), strict=False):
        if isinstance(one, torch.Tensor) and one.is_floating_point() and one.numel() and one.shape == other.shape:
            worst = max(worst or 0.0, 0.0 if torch.equal(one, other.to(one.dtype)) else _beside_largest(one, other))
    return worst


def _beside_largest(one, other):
    off = (one.double() - other.double()).abs().nan_to_num(0, 0, 0).max().item()
    size = other.double().abs().nan_to_num(0, 0, 0).max().item()
    return off / size if size else off
