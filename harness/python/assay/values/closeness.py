# SPDX-License-Identifier: BSD-3-Clause
"""How near is near enough, by dtype, and how a refusal must read. For autograd and amp checks.

Tolerances allow for a few roundings in another order; a wrong formula is off by far more.
"""

import functools

import torch

# dtype: (relative, absolute), about 8 units in the last place of numbers near 1.
TOLERANCES = {
    torch.float16: (8e-3, 8e-3),
    torch.bfloat16: (6e-2, 6e-2),
    torch.float32: (1e-5, 1e-5),
    torch.float64: (1e-12, 1e-12),
}


def expect_near(case, seen, expected, what, times=1):
    """`seen` is a tensor like `expected`; `times` widens the tolerance for long computations."""
    if not isinstance(seen, torch.Tensor):  # a tensor is never printed: that costs, and runs operators
        return case.expect(False, what, f"got {seen!r}, expected a tensor")
    relative, absolute = TOLERANCES[expected.dtype]
    return case.expect_tensor(seen, expected, what, relative * times, absolute * times)


def expect_refusal(case, kinds, text, what, call, *arguments, **options):
    """The call raises one of `kinds`, and the message says `text`: these words are asked for, so they
    refuse nothing that the check leans on."""
    try:
        call(*arguments, **options)
        seen = "nothing was raised"
    except Exception as error:
        if isinstance(error, kinds) and text in str(error):
            return
        if isinstance(error, NotImplementedError):
            raise  # an operator that the check leans on: that blocks it
        seen = f"raised {type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
    case.expect(False, f"{what}, saying {text!r}", seen)


def ones_like(case, tensor):
    """The gradient that backward begins with, contiguous: sum() would hand on an expanded tensor."""
    return case.on_device(torch.ones(tensor.shape, dtype=tensor.dtype))


def each_offered(case, table, call, plain=None):
    """Name and call(operator) of a table whose operators all show the same: a refused one is left out.

    Where all are refused the check is blocked. `plain`: the operator as everybody asks for it; who serves that, and
    raises in call(), has not refused the operator.
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


def _is_refused(case, error, plain):
    if isinstance(error, NotImplementedError) or case.refused_means(str(error)):
        return True
    return bool(case.refused_means(error)) and not (plain and works(plain))


def works(call):
    """Whether the call is served at all."""
    try:
        call()
    except Exception:
        return False
    return True


def run_backward(case, loss, what, *gradient):
    """loss.backward(): an operator that is refused there is a means, a missing derivative is not."""
    try:
        loss.backward(*gradient)
    except NotImplementedError as error:
        require_derivative(case, error, what)
        case.block(str(error), case.refused_means(error) or "an operator of the backward")


def require_derivative(case, error, what):
    """Ends the check if `error` says that a formula is missing, and not an operator."""
    first = str(error).strip().split("\n")[0][:160]
    has_one = "derivative" not in str(error)
    case.require(case.expect_true(has_one, what, f"raised NotImplementedError: {first}"))
