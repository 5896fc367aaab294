# SPDX-License-Identifier: BSD-3-Clause
"""`tensor.data = other` between the host and the device: it moves the tensor, or is refused.

For checks of autograd and storage. A backend that registers _has_compatible_shallow_copy_type takes it,
as CUDA does; one whose tensors are of another kind refuses. A copy of the values is neither.
"""


def expect_moved_or_refused(case, tensor, data):
    """Assigns; whether `tensor` has moved. One that is refused must be as it was."""
    place, values = tensor.device, case.on_cpu(tensor).clone()
    try:
        tensor.data = data
    except RuntimeError as error:
        said = str(error)
        case.expect_true(
            "incompatible tensor type" in said, "x.data = y that is refused says why", said[:160]
        )
        case.expect_device(tensor, place, "x.data = y that is refused leaves x where it was")
        case.expect_tensor(tensor, values, "x.data = y that is refused leaves the values of x")
        return False
    where = "x.data = y brings x to the device of y"
    return case.expect_device(tensor, data.device, where) and case.expect_tensor(
        tensor, data, "x.data = y gives x the values of y"
    )
