# SPDX-License-Identifier: BSD-3-Clause
"""The board: a process that stores all numbers. The board executes orders one after the other and does not reply to
them.

If an order fails, the board stores the error and continues. The board returns the error as the reply to the next
question.
"""

import ctypes
import pickle

import torch
from torch.utils._pytree import tree_map_only

LACKS = ("aten::linalg_", "aten::_linalg_", "aten::_fft_", "aten::cholesky", "aten::lu_", "aten::geqrf",
         "aten::_nested_")


ORDER, QUESTION = b"!", b"?"  # first byte of a message; the board replies only to a question


class Number:
    """A reference to a tensor of the board in an order."""

    __slots__ = ("key",)

    def __init__(self, key):
        self.key = key


def packed(tensor):
    """Converts the elements of a tensor of any dtype to bytes for the connection."""
    tensor = tensor.detach().resolve_conj().resolve_neg().contiguous()
    return tensor.dtype, tuple(tensor.shape), ctypes.string_at(tensor.data_ptr(), tensor.nbytes) if tensor.nbytes else b""


def unpacked(dtype, shape, data):
    tensor = torch.empty(shape, dtype=dtype)
    ctypes.memmove(tensor.data_ptr(), data, len(data))
    return tensor


class Board:
    def __init__(self):
        self.numbers, self.error = {}, None

    def take(self, key, *numbers):
        self.numbers[key] = unpacked(*numbers)

    def run(self, name, args, kwargs, keys):
        results = self.computed(name, args, kwargs)
        self.numbers.update(zip(keys, results))

    def computed(self, name, args, kwargs):
        """Executes an operator and returns its results as a list."""
        if name.startswith(LACKS):
            raise NotImplementedError(f"the board has no {name}")
        space, _, rest = name.partition("::")
        packet, _, overload = rest.partition(".")
        operator = getattr(getattr(getattr(torch.ops, space), packet), overload or "default")
        args, kwargs = tree_map_only(Number, lambda one: self.numbers[one.key], (args, kwargs))
        result = operator(*args, **kwargs)
        return [one for one in (result if isinstance(result, (tuple, list)) else [result])]

    def ask(self, name, args, kwargs, keys):
        """Executes an operator. Returns dtype, shape and strides of each resulting tensor, and the other results."""
        results = self.computed(name, args, kwargs)
        self.numbers.update((key, one) for key, one in zip(keys, results) if isinstance(one, torch.Tensor))
        return [(one.dtype, one.shape, one.stride()) if isinstance(one, torch.Tensor) else one for one in results]

    def bring(self, key):
        return packed(self.numbers[key])

    def wait(self):
        return None

    def seed(self, number):
        torch.manual_seed(number)

    def state(self):
        return torch.get_rng_state()

    def restore(self, state):
        torch.set_rng_state(state)

    def drop(self, keys):
        for key in keys:
            self.numbers.pop(key, None)


def serve(connection):
    """Serves until the connection is closed."""
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    board = Board()
    while True:
        try:
            message = connection.recv_bytes()
        except (EOFError, ConnectionError):
            return
        value, answers = None, message[:1] == QUESTION
        try:
            what, words = pickle.loads(message[1:])
            value = getattr(board, what)(*words)
        except Exception as error:
            said = type(error).__name__, str(error)
            if isinstance(error, KeyError):  # an order that depends on results of a failed order reports no new error
                said = ("RuntimeError", "these numbers were never computed") if answers else None
            board.error = board.error or said
        if answers:
            connection.send_bytes(pickle.dumps((board.error, value)))
            board.error = None
