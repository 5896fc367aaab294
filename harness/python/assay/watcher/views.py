# SPDX-License-Identifier: BSD-3-Clause
"""Compares one call that returns views, in a watched program. Such a call computes nothing, so nothing is copied.

Called by the watcher inside the program (assay/watcher/mode.py).
"""

import torch
from assay.watcher.comparison import SHARING, STRIDES, VALUE, cloned, flat, inputs, mapped, to_cpu
from assay.watcher.copies import Storages


class ComparedView:
    """A call that returns views. If the views match the CPU's views of an input of the same form, the values are right.

    `form` is shared by all calls of the same operator with inputs of the same form and the same numbers. The form
    caches the CPU's result as `form.views`."""

    worst = cpu_worst = None

    def __init__(self, function, arguments, named, kind, form):
        self.function, self.live, self.kind, self.form = function, (arguments, named), kind, form

    def bytes(self):
        return 0

    @property
    def before(self):
        storages = Storages()
        return mapped(self.live, lambda leaf: storages.copy(leaf) if isinstance(leaf, torch.Tensor) else to_cpu(leaf, self.kind))

    @property
    def differs(self):
        """The first property of a view that differs. A view at a different offset has different values."""
        for (*form, strides, behind), (*form_wanted, strides_wanted, behind_wanted) in zip(self.seen, self.wanted(), strict=False):
            if form != form_wanted:
                return VALUE
            if (behind and behind[0]) != (behind_wanted and behind_wanted[0]):
                return SHARING
            if strides != strides_wanted and behind == behind_wanted:
                return STRIDES
        return VALUE

    def called_on_cpu(self):
        (arguments, named), _ = cloned(self.before)
        return self.function(*arguments, **named)

    def results_seen(self):
        return ()

    def take(self, result):
        self.seen = views_of(result, self.live)

    def difference(self):
        """Returns a description of the difference, or None."""
        wanted, seen = self.wanted(), self.seen
        return None if seen == wanted else f"{in_words(seen)}, expected {in_words(wanted)}"

    def wanted(self):
        given = inputs(self.live)
        is_plain = len(given) == 1 and not given[0].is_conj() and not given[0].is_neg()
        if is_plain and self.form.views is not None:
            return self.form.views
        made = mapped(self.live, self.blank)
        views = views_of(self.function(*made[0], **made[1]), made)
        # The form records only the sign of a float.
        if is_plain and not any(type(one) is float for one in flat(self.live)):
            self.form.views = views
        return views

    def blank(self, leaf):
        """A tensor of that form on the CPU, whose memory is never used."""
        if not isinstance(leaf, torch.Tensor):
            return to_cpu(leaf, self.kind)
        made = torch.empty_strided(leaf.shape, leaf.stride(), dtype=leaf.dtype)
        made = torch._conj(made) if leaf.is_conj() else made
        return torch._neg_view(made) if leaf.is_neg() else made


def gives_views(function):
    """True if all results are views of the inputs."""
    returns = function._schema.returns
    return bool(returns) and not function._schema.is_mutable and all(one.alias_info is not None for one in returns)


def views_of(result, given):
    """Returns, for each tensor in the result, the properties of the tensor and its position relative to the inputs."""
    places = [(one.untyped_storage().data_ptr(), one.storage_offset()) for one in inputs(given)]
    return [view_of(one, places) for one in inputs(result)]


def view_of(tensor, places):
    memory, offset = tensor.untyped_storage().data_ptr(), tensor.storage_offset()
    behind = next(((number, offset - start) for number, (own, start) in enumerate(places)
                   if own == memory or not tensor.numel()), None)
    return tensor.is_conj(), tensor.is_neg(), tensor.dtype, tuple(tensor.shape), tensor.stride(), behind


def in_words(views):
    return "; ".join(map(_in_words, views))


def _in_words(view):
    is_conj, is_neg, dtype, shape, strides, behind = view
    what = f"a{' conjugated' * is_conj}{' negated' * is_neg} {dtype} view of shape {shape} with strides {strides}"
    return f"{what}, {behind[1]} elements behind input {behind[0]}" if behind else what + " of memory of its own"
