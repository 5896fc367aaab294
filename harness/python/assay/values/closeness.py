# SPDX-License-Identifier: BSD-3-Clause
"""Tolerances by dtype, and expectations on the text of an exception. Used by autograd and amp checks.

The tolerances allow a few roundings in a different order. A wrong formula causes far larger differences.
"""

import functools

import torch

# Maps a dtype to its (relative, absolute) tolerance: about 8 units in the last place of numbers near 1.
TOLERANCES = {
    torch.float16: (8e-3, 8e-3),
    torch.bfloat16: (6e-2, 6e-2),
    torch.float32: (1e-5, 1e-5),
    torch.float64: (1e-12, 1e-12),
}


def expect_near(case, seen, expected, what, times=1):
    """Expects that `seen` is a tensor close to `expected`. `times` multiplies the tolerance, for long computations."""
    if not isinstance(seen, torch.Tensor):  # shows a tensor only by its type, because printing is slow and runs operators
        return case.expect(False, what, f"got {seen!r}, expected a tensor")
    relative, absolute = TOLERANCES[expected.dtype]
    return case.expect_tensor(seen, expected, what, relative * times, absolute * times)


def expect_refusal(case, kinds, text, what, call, *arguments, **options):
    """Expects that the call raises one of `kinds` with `text` in its message. Such an exception is not a refusal of a
    means."""
    try:
        call(*arguments, **options)
        seen = "nothing was raised"
    except Exception as error:
        if isinstance(error, kinds) and text in str(error):
            return
        if isinstance(error, NotImplementedError):
            raise  # the operator is a means, so its refusal blocks the check
        seen = f"raised {type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
    case.expect(False, f"{what}, saying {text!r}", seen)


def ones_like(case, tensor):
    """The gradient with which backward starts: a contiguous tensor, unlike the expanded tensor of sum()."""
    return case.on_device(torch.ones(tensor.shape, dtype=tensor.dtype))


def each_offered(case, table, call, plain=None):
    """Yields name and call(operator) for each operator of a table. Refused operators are left out.

    If most operators are refused, the check is blocked. `plain` is an ordinary call of the operator. If that call works,
    an exception in call() is not a refusal of the operator.
    """
    refused = []
    for name, operator in table.items():
        case.begin_case(name)
        try:
            result = call(operator)
        except Exception as error:
            if not _is_refused(case, error, plain and functools.partial(plain, operator)):
                case.expect(False, f"{name} works", f"raised {type(error).__name__}: {error}")
                continue
            refused.append((name, error))
            continue
        yield name, result
    case.end_case()
    case.note("not offered", ", ".join(name for name, _ in refused))
    if len(refused) == len(table):
        name, error = refused[0]
        case.block(str(error), case.refused_means(error) or name)
    case.undecided_if_mostly_refused({name: (str(error), case.refused_means(error) or name) for name, error in refused}, table)


def _is_refused(case, error, plain):
    if isinstance(error, NotImplementedError) or case.refused_means(str(error)):
        return True
    return bool(case.refused_means(error)) and not (plain and works(plain))


def works(call):
    """True if the call raises no exception."""
    try:
        call()
    except Exception:
        return False
    return True


def run_backward(case, loss, what, *gradient):
    """Calls loss.backward(). A refused operator blocks the check, because it is a means. A missing derivative fails the check."""
    try:
        loss.backward(*gradient)
    except NotImplementedError as error:
        require_derivative(case, error, what)
        case.block(str(error), case.refused_means(error) or "an operator of the backward")


def require_derivative(case, error, what):
    """Fails and ends the check if `error` reports a missing derivative formula instead of a missing operator."""
    first = str(error).strip().split("\n")[0][:160]
    has_one = "derivative" not in str(error)
    case.require(case.expect_true(has_one, what, f"raised NotImplementedError: {first}"))
