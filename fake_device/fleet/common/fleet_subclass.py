# SPDX-License-Identifier: BSD-3-Clause
"""Shared by backends in Python whose tensors are a subclass. The build copies this file into each package."""

# Operators that change the size or the memory of a tensor. A tensor that wraps another tensor cannot change its size or
# memory.
CHANGES_THE_TENSOR = {f"aten::{name}" for name in (
    "resize_", "resize_as_", "set_", "as_strided_", "t_", "transpose_", "squeeze_", "unsqueeze_", "swapaxes_", "record_stream",
    "pin_memory", "_pin_memory")}


def written(schema, args, kwargs):
    """The arguments that the operator writes, by the alias names in its schema."""
    given = list(args) + [kwargs.get(argument.name) for argument in schema.arguments[len(args):]]
    return {frozenset(argument.alias_info.before_set): value
            for argument, value in zip(schema.arguments, given)
            if argument.alias_info is not None and argument.alias_info.is_write}
