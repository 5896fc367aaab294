# SPDX-License-Identifier: BSD-3-Clause
"""Pinned memory for checks that lean on it. A backend may have none, or an allocator for it that pins nothing:
core asks for one in copies that have nothing to do with it."""


def pinned(case, tensor, **options):
    """A pinned copy of a CPU tensor; ends the check where the backend has no pinned memory."""
    return needed(case, lambda: tensor.pin_memory(**options))


def needed(case, make):
    """What `make()` gives, which is in pinned memory; ends the check likewise."""
    try:
        tensor = make()
    except RuntimeError as error:
        if not case.refused_means(error):
            raise
        case.lacks("memory.pinned", str(error).splitlines()[0])
    if not tensor.is_pinned():
        case.lacks("memory.pinned", "what is asked for in pinned memory is not pinned")
    return tensor
