# SPDX-License-Identifier: BSD-3-Clause
"""Compares one call of a watched program: copies its inputs, repeats the call on the CPU, and compares the results.

Called inside the program by the watcher (assay/watcher/mode.py) and by reproducers. judge.py gives the verdict. Results
that are clearly close enough are not passed to judge.py, because the judge takes ten times as long.
"""

import functools

from assay.values.judge import MOVES, Reference, compare, is_within, moved, roundings_of, widened
from assay.values.own_torch import torch
from assay.values.tables import ALL, is_norm_of_one, uncompared
from assay.watcher.copies import Storages

WRITES_UNDECLARED = "batch_norm"  # the schema of batch_norm does not declare that it writes the running means
VALUE, SHARING, STRIDES = "value", "sharing", "strides"  # the kinds of difference that a reproducer can show


LEAVES = {torch.Tensor, torch.nn.Parameter, int, float, bool, str, complex, type(None), torch.dtype, torch.device}


def flat(tree):
    """The leaves of arguments or results in order."""
    if type(tree) in LEAVES:
        return [tree]
    found = []
    _add_leaves(found, (tree,))
    return found


def _add_leaves(found, trees):
    for one in trees:
        if type(one) in LEAVES:
            found.append(one)
        elif isinstance(one, (list, tuple)):
            _add_leaves(found, one)
        elif isinstance(one, dict):
            _add_leaves(found, one.values())
        else:
            found.append(one)


def mapped(tree, change):
    """The same lists and tuples with `change` applied to each leaf."""
    if type(tree) in LEAVES:
        return change(tree)
    if isinstance(tree, (list, tuple)):
        return type(tree)([change(one) if type(one) in LEAVES else mapped(one, change) for one in tree])
    if isinstance(tree, dict):
        return {key: mapped(one, change) for key, one in tree.items()}
    return change(tree)


def on_cpu(tensor):
    """A copy on the CPU with the same strides. Elements that overlap in memory get separate memory."""
    if tensor._is_zerotensor():
        return written_out(tensor)
    if tensor.is_contiguous():
        return tensor.detach().clone() if tensor.is_cpu else tensor.detach().cpu()
    plain = tensor.detach().contiguous().cpu()
    if torch._debug_has_internal_overlap(tensor):
        return plain
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype).copy_(plain)


def written_out(tensor):
    """Allocates memory for a zero tensor without memory, which forward-mode derivatives use, because an operator below
    autograd reads the memory."""
    return torch.zeros(tensor.shape, dtype=tensor.dtype)


def to_cpu(leaf, kind):
    if isinstance(leaf, torch.Tensor):
        return on_cpu(leaf)
    if isinstance(leaf, torch.device) and leaf.type == kind:
        return torch.device("cpu")
    return leaf


def plain(tree, copies, mirror=None, by_storage=False):
    """The comparable values of a result, without strides that a backend may choose. Tensors that the operator writes
    to are included, and `copies` lists each tensor once."""

    found = flat(tree)
    for number, leaf in enumerate(found):
        if isinstance(leaf, torch.Tensor):
            copy = copies.get(id(leaf))
            found[number] = copies[id(leaf)] = copy if copy is not None else _plain(leaf, mirror, by_storage)
    return found


def _plain(leaf, mirror, by_storage):
    is_here = leaf.is_cpu
    if by_storage and not is_here:
        leaf = Storages().copy(leaf)
        return leaf.contiguous()
    if leaf._is_zerotensor():
        return written_out(leaf)
    if leaf.layout is not torch.strided:
        return leaf.detach().contiguous().cpu()
    copy = leaf.detach() if leaf.requires_grad else leaf
    copy = copy if copy.is_contiguous() else copy.contiguous()
    if is_here:
        return copy
    copy = copy.cpu()
    if mirror is not None:
        mirror.keep(leaf, copy)
    return copy


def cloned(tree):
    """A copy of the arguments that the call may modify, and the tensors among them."""
    storages, seen = Storages(), {}

    def once(leaf):
        if isinstance(leaf, torch.Generator):
            return torch.Generator()
        if not isinstance(leaf, torch.Tensor):
            return leaf
        if id(leaf) not in seen:
            seen[id(leaf)] = storages.copy(leaf)
        return seen[id(leaf)]

    return mapped(tree, once), seen


def inputs(tree):
    """Each tensor once."""
    return list({id(leaf): leaf for leaf in flat(tree) if isinstance(leaf, torch.Tensor)}.values())


def share_memory(tensors):
    """True if two of the tensors share memory. PyTorch refuses to write to memory that the call reads, so the copies
    must share memory too. Returns False for tensors that use only small parts of a common
    buffer."""
    sizes = {}
    for one in tensors:
        if one.layout is torch.strided:
            sizes.setdefault(one.untyped_storage()._cdata, []).append(one)
    return any(len(found) > 1 and found[0].untyped_storage().nbytes() <= 4 * sum(one.nbytes for one in found) for found in sizes.values())


def form(tensor):
    return f"an input of shape {tuple(tensor.shape)} with strides {tensor.stride()}"


def same_form(one, other):
    return one.dtype == other.dtype and one.shape == other.shape and one.layout is other.layout is torch.strided


def same_bits(one, other):
    """True if the tensors are equal, with NaN equal to NaN. Used for tensors that the call must not write to."""
    if not same_form(one, other) or one.is_quantized:
        return False
    return torch.equal(one, other) or bool(((one == other) | ((one != one) & (other != other))).all())


def surely_near(one, other, terms, share=1):
    """True only if the judge would find no difference: the error is within `share` of the rounding error that the
    judge allows in every case."""
    if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
        return type(one) is type(other) and one == other
    if not same_form(one, other) or one.is_quantized or one.is_conj() or one.is_neg() or one.is_complex():
        return False
    if not one.is_floating_point():
        return torch.equal(one, other)
    info = torch.finfo(one.dtype)
    if info.bits < 32:
        return False if info.bits < 16 else torch.equal(one, other)
    if torch.equal(one, other):
        return True
    roundings = share * roundings_of(one.dtype, terms / max(1, other.numel()))
    return is_within(one.double(), [other.double()], roundings, info.smallest_normal) or _is_near_where_finite(one, other, roundings)


def _is_near_where_finite(one, other, roundings):
    """Like surely_near, for tensors with NaN or infinite elements. These elements must be identical."""
    finite = other.isfinite()
    return not finite.all() and same_bits(one[~finite], other[~finite]) and is_within(
        one[finite].double(), [other[finite].double()], roundings, torch.finfo(one.dtype).smallest_normal)


def _composed_attention(query, key, value, bias=None, dropout=0.0, causal=False, _debug=False, *, scale=None):
    if dropout:
        raise NotImplementedError("it draws random numbers")
    return torch.ops.aten._scaled_dot_product_attention_math(query, key, value, bias, 0.0, causal, scale=scale)[:1]


# Operators that exist only on devices, each with CPU code that computes its first results.
STANDS_FOR = {"aten::_scaled_dot_product_fused_attention_overrideable": (_composed_attention, 1)}


def why_unjudged(function):
    """The reason why no result of the operator can be judged, or None."""
    if function._schema.name in STANDS_FOR:
        return None
    found = uncompared(function)
    return found[1] if found and found[0] == ALL else None


def numbers_unjudged(function):
    found = uncompared(function)
    return found[0] if found and found[0] != ALL else ()


def writes(function):
    return function._schema.is_mutable or function._schema.name.endswith(WRITES_UNDECLARED)


class _Facts:
    """Facts about an operator, computed once for all its calls."""

    def __init__(self, function):
        self.name = function._schema.name
        self.on_cpu, self.results = STANDS_FOR.get(self.name, (function, None))
        self.writes, self.unjudged = writes(function), numbers_unjudged(function)
        self.is_norm = self.name.endswith("layer_norm")


_facts_of = functools.cache(_Facts)


class Compared:
    """Created before the call. After the call, the watch calls take(result) and then difference(). `worst` is the
    largest error of the device relative to the largest number; `cpu_worst` is the same for the CPU in that dtype. Both
    are measured if a result was not clearly close enough, and for each thorough comparison."""

    differs, seen = VALUE, None

    def __init__(self, function, arguments, named, kind, is_thorough=True, mirror=None, by_storage=False):
        """If `is_thorough` is set, inputs that the call must not modify and shared memory are checked as well.
        Otherwise `mirror` may already have copies of the inputs (assay/watcher/mirror.py). If `by_storage` is set,
        whole storages are copied, so inputs that share memory share it in the copies."""
        facts = _facts_of(function)
        self.function, self.results, self.writes = facts.on_cpu, facts.results, facts.writes
        self.kind, self.worst, self.cpu_worst = kind, None, None
        self.is_thorough, self.mirror, self.mirrored = is_thorough, mirror, False
        self.unjudged = {0} if facts.is_norm and is_norm_of_one(facts.name, arguments) else facts.unjudged
        self.live, self.by_storage = (arguments, named), by_storage
        self.take_inputs(None if is_thorough else mirror)
        self.terms = max((one.numel() for one in self.inputs), default=1)
        if is_thorough:
            places = [place for place in map(memory_of, self.inputs) if place is not None]
            self.are_apart = len(set(places)) == len(places)  # each input gets a separate copy
            self.same_form = [one.stride() == two.stride() for one, two in zip(self.inputs, self.copies, strict=True)]

    def take_inputs(self, mirror):
        """Copies the inputs, each tensor once. Tensors that the call writes to are copied here, because the call
        overwrites their old values."""
        if self.writes:
            mirror = None
        is_by_storage = self.by_storage or self.writes and share_memory(inputs(self.live))
        self.inputs, self.copies, copies, storages = [], [], {}, Storages() if is_by_storage else None

        def copied(leaf):
            if not isinstance(leaf, torch.Tensor):
                return to_cpu(leaf, self.kind)
            copy = copies.get(id(leaf))
            if copy is None:
                copy = copies[id(leaf)] = storages.copy(leaf) if storages else self.taken(leaf, mirror)
                self.inputs.append(leaf)
                self.copies.append(copy)
            return copy

        arguments, named = self.live
        self.before = mapped(arguments, copied), mapped(named, copied) if named else {}

    def taken(self, leaf, mirror):
        if mirror is None or leaf.is_cpu or leaf.layout is not torch.strided:
            return on_cpu(leaf)
        found = mirror.copy_of(leaf)
        if found is not None:
            self.mirrored = True
            return found
        found = on_cpu(leaf)
        mirror.keep(leaf, found)
        return found

    def bytes(self):
        """Size of the storages that are saved with the inputs."""
        return sum({one._cdata: one.nbytes() for one in (leaf.untyped_storage() for leaf in self.copies)}.values())

    def again(self, before):
        """Repeats the call on the CPU. Returns the result, the inputs after the call, and the inputs with which the
        result shares memory."""
        if not self.writes:
            return self.told(self.function(*before[0], **before[1]), self.copies if before is self.before else inputs(before))
        (arguments, named), seen = cloned(before)
        return self.told(self.function(*arguments, **named), list(seen.values()))

    def told(self, result, left, mirror=None):
        """The values to compare: the results and the inputs after the call, with strides where strides are defined."""
        copies, more = {}, []
        if self.is_thorough:
            more = [form(one) for one, same in zip(left, self.same_form, strict=True) if same]
            more += sharing(result, left) if self.are_apart else []
        left_behind = plain(left, copies, mirror, self.by_storage) if self.writes or self.is_thorough else []
        return plain(result, copies, mirror, self.by_storage), left_behind, more

    def called_on_cpu(self):
        """Calls the operator on the CPU and returns the unchanged result. Raises the exception of the CPU."""
        (arguments, named), _ = cloned(self.before)
        return self.function(*arguments, **named)

    def results_seen(self):
        """The results of the device as copies on the CPU, or an empty tuple if the call raised an exception."""
        return self.seen[0] if self.seen else ()

    def take(self, result):
        """Copies the results of the device when the work is complete."""
        if self.mirror is not None and self.writes:
            for leaf in self.inputs:
                self.mirror.forget(leaf)
        self.seen = self.told(result if self.results is None else result[:self.results], self.inputs, self.mirror)

    def difference(self):
        """Returns a description of the difference, or None."""
        cpu, seen, said = self.beside_cpu(self.seen)
        if said and self.mirrored:  # the mirrored copies may be stale
            self.mirrored = False
            self.take_inputs(None)
            cpu, seen, said = self.beside_cpu(seen)
        if self.is_thorough or said:
            self.worst = worst_of(seen, cpu)
        if said and "shares memory" in said[0]:
            self.differs = SHARING
        return self.in_words(said[0], len(seen[0])) if said else None

    def in_words(self, said, results):
        """Describes a difference, with the number of the wrong result or of the input that is wrong after the call."""
        number, colon, words = said.partition(": ")
        if not colon or not number.startswith("number "):
            return str(said)
        number = int(number.removeprefix("number "))
        if number < results:
            return words if results == 1 else f"result {number}: {words}"
        if number - results >= len(self.inputs):
            return words
        number -= results
        must = "has a wrong value after the call" if self.writes else "was changed, which this operator must not do"
        return f"{self.name_of_input(number)} {must}: {words}{self.undeclared()}"

    def name_of_input(self, number):
        """The number of the input. If the input is a single tensor, its name in the schema is added."""
        given, schema = self.live[0], self.function._schema.arguments if hasattr(self.function, "_schema") else ()
        names = {id(one): argument.name for one, argument in zip(given, schema, strict=False)}
        name = names.get(id(self.inputs[number])) or next(
            (name for name, one in self.live[1].items() if one is self.inputs[number]), None)
        return f"input {number} ({name})" if name else f"input {number}"

    def undeclared(self):
        """A note on the CPU fallback if an operator writes to an argument that its schema does not declare, because the
        fallback relies on the schema."""
        if not self.writes or self.function._schema.is_mutable:
            return ""
        return "; its schema does not declare this write, so a fallback to the CPU does not copy it back"

    def beside_cpu(self, seen):
        cpu = self.again(self.before)
        if not self.writes and all(map(same_bits, seen[1], cpu[1])):
            seen, cpu = (seen[0], [], seen[2]), (cpu[0], [], cpu[2])
        return cpu, seen, [] if self.is_surely_near(seen, cpu) else self.judged(seen, cpu)

    def is_surely_near(self, seen, cpu):
        share = 0.5 if self.is_thorough else 1  # the judge needs the error of the CPU
        ours, theirs = ([leaf for part in told for leaf in part] for told in (seen, cpu))
        return len(ours) == len(theirs) and all(
            surely_near(one, other, self.terms, share) for number, (one, other) in enumerate(zip(ours, theirs, strict=True))
            if self.is_asked(number) or not isinstance(one, torch.Tensor))

    def judged(self, seen, cpu):
        """Returns the differences that the judge finds."""
        def again():
            return self.told_as(cpu, widened)

        reference = Reference(cpu, again, None, self.terms, again=again)
        said = compare(seen, reference, values=self.is_asked)
        if said:  # judges again with the effect of rounded inputs, which is costly but rare
            said = compare(seen, Reference(cpu, reference.double, self.moved(cpu), self.terms, again=again), values=self.is_asked)
        if isinstance(reference.__dict__.get("double"), tuple):
            self.cpu_worst = worst_of(cpu, reference.double)
        return said

    def is_asked(self, number):
        """True if the judge can compare the values of result number `number`."""
        return number not in self.unjudged

    def told_as(self, cpu, change):
        """The values for changed inputs, only for entries that `cpu` has as well."""
        told = self.again(change([self.before])[0])
        return told[0], told[1] if cpu[1] else [], cpu[2]

    def moved(self, cpu):
        """Pairs of results for changed inputs, for the judge. The number of pairs depends on the operator."""
        pairs = []
        for seed in range(MOVES):
            try:
                pairs.append((self.told_as(cpu, lambda tree, seed=seed: widened(moved(tree, seed))),
                              self.told_as(cpu, lambda tree, seed=seed: moved(tree, seed))))
            except Exception:  # some inputs must not be changed, such as probabilities and integers
                continue
        return pairs


def sharing(result, left):
    """Describes the inputs with which a result shares its memory."""
    places = [memory_of(one) for one in left]
    return [f"result {number} shares memory with inputs {[i for i, place in enumerate(places) if place == own]}"
            for number, own in enumerate(map(memory_of, inputs(result))) if own is not None]


def memory_of(tensor):
    """An identifier of the tensor's memory, or None for a tensor without memory."""
    if tensor.layout is not torch.strided or not tensor.numel():
        return None
    return tensor.untyped_storage().data_ptr()


def worst_of(seen, wanted):
    """The largest error relative to the largest number of its tensor, or None if there are no numbers."""
    worst = None
    for one, other in zip(flat(seen), flat(wanted), strict=False):
        if isinstance(one, torch.Tensor) and one.is_floating_point() and one.numel() and one.shape == other.shape:
            worst = max(worst or 0.0, 0.0 if torch.equal(one, other.to(one.dtype)) else _beside_largest(one, other))
    return worst


def _beside_largest(one, other):
    off = (one.double() - other.double()).abs().nan_to_num(0, 0, 0).max().item()
    size = other.double().abs().nan_to_num(0, 0, 0).max().item()
    return off / size if size else off
