# SPDX-License-Identifier: BSD-3-Clause
"""`tensor.data = other` between the host and the device must either move the tensor or be refused.

For checks of autograd and storage. A backend that registers _has_compatible_shallow_copy_type accepts the assignment,
as CUDA does. A backend with another kind of tensors refuses the assignment. A copy of the values is a violation.
"""


def expect_moved_or_refused(case, tensor, data):
    """Assigns, and returns whether `tensor` has moved. A refused assignment must not change the tensor."""
    place, values = tensor.device, case.on_cpu(tensor).clone()
    try:
        tensor.data = data
    except RuntimeError as error:
        said = str(error)
        case.expect_true(
            "incompatible tensor type" in said, "the error of a refused x.data = y names the reason", said[:160]
        )
        case.expect_device(tensor, place, "a refused x.data = y does not move x")
        case.expect_tensor(tensor, values, "a refused x.data = y does not change the values of x")
        return False
    where = "x.data = y moves x to the device of y"
    return case.expect_device(tensor, data.device, where) and case.expect_tensor(
        tensor, data, "x.data = y gives x the values of y"
    )
