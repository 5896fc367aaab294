/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts at::Tensor to struct fd_tensor; see the header.
 * Serves: DEV-030, OPS-012, OPS-014, OPS-048, OPS-066, OPS-076.
 */
#include "tensor_descriptor.h"

#include <ATen/core/op_registration/adaption.h>
#include <c10/util/SmallVector.h>

#include "device_index.h"
#include "status.h"
#include "streams.h"

namespace fakedev
{
namespace
{

struct DtypePair {
    at::ScalarType torch;
    fd_dtype driver;
};

constexpr DtypePair dtype_pairs[] = {
    {at::kByte, FD_UINT8},
    {at::kChar, FD_INT8},
    {at::kShort, FD_INT16},
    {at::kInt, FD_INT32},
    {at::kLong, FD_INT64},
    {at::kHalf, FD_FLOAT16},
    {at::kFloat, FD_FLOAT32},
    {at::kDouble, FD_FLOAT64},
    {at::kComplexFloat, FD_COMPLEX64},
    {at::kComplexDouble, FD_COMPLEX128},
    {at::kBool, FD_BOOL},
    {at::kBFloat16, FD_BFLOAT16},
    {at::kUInt16, FD_UINT16},
    {at::kUInt32, FD_UINT32},
    {at::kUInt64, FD_UINT64},
};

const DtypePair *find_dtype(at::ScalarType dtype)
{
    for (const DtypePair &pair : dtype_pairs)
        if (pair.torch == dtype)
            return &pair;
    return nullptr;
}

struct fd_tensor describe_at(const at::Tensor &tensor, const void *data)
{
    TORCH_CHECK(tensor.dim() <= FD_MAX_DIMS, "fakedev: this operator takes at most ", FD_MAX_DIMS,
                " dimensions, got ", tensor.dim());
    struct fd_tensor result = {};

    result.data = const_cast<void *>(data);
    result.dtype = driver_dtype(tensor.scalar_type());
    result.dims = static_cast<int32_t>(tensor.dim());
    for (int32_t dim = 0; dim < result.dims; dim++) {
        result.sizes[dim] = tensor.size(dim);
        result.strides[dim] = tensor.stride(dim);
    }
    return result;
}

fd_status launch_one(const char *name, const at::Tensor &out, at::ArrayRef<at::Tensor> inputs,
                     fd_stream *stream, Launch launch)
{
    const struct fd_tensor output = describe_output(out);
    c10::SmallVector<struct fd_tensor, 4> described;
    for (const at::Tensor &input : inputs)
        described.push_back(describe_input(input));
    const fd_status status = launch(stream, &output, described.data());
    if (status != FD_ERROR_NOT_SUPPORTED)
        check(status, name);
    return status;
}

fd_status launch_slices(const char *name, const at::Tensor &out, at::ArrayRef<at::Tensor> inputs,
                        fd_stream *stream, Launch launch)
{
    if (out.dim() <= FD_MAX_DIMS)
        return launch_one(name, out, inputs, stream, launch);
    fd_status status = FD_OK;
    for (int64_t index = 0; index < out.size(0) && status == FD_OK; index++) {
        c10::SmallVector<at::Tensor, 4> slices;
        for (const at::Tensor &input : inputs)
            slices.push_back(input.dim() < out.dim() ? input
                             : input.size(0) == 1    ? input.select(0, 0)
                                                     : input.select(0, index));
        status = launch_slices(name, out.select(0, index), slices, stream, launch);
    }
    return status;
}

} // namespace

bool device_computes(at::ScalarType dtype)
{
    return find_dtype(dtype) != nullptr;
}

fd_dtype driver_dtype(at::ScalarType dtype)
{
    const DtypePair *pair = find_dtype(dtype);
    TORCH_CHECK_NOT_IMPLEMENTED(pair, "fakedev: no arithmetic in dtype ", dtype);
    return pair->driver;
}

struct fd_scalar driver_scalar(const at::Scalar &value)
{
    struct fd_scalar result = {};
    if (value.isComplex()) {
        const auto number = value.toComplexDouble();
        result.real = number.real();
        result.imaginary = number.imag();
    } else if (value.isFloatingPoint()) {
        result.real = value.toDouble();
    } else {
        result.integer =
            value.type() == at::kUInt64 ? static_cast<int64_t>(value.toUInt64()) : value.toLong();
        result.real = static_cast<double>(result.integer);
        result.is_integer = 1;
    }
    return result;
}

at::Tensor without_repeats(const at::Tensor &tensor)
{
    std::vector<int64_t> sizes = tensor.sizes().vec();
    for (size_t dim = 0; dim < sizes.size(); dim++)
        if (tensor.strides()[dim] == 0 && sizes[dim] > 1)
            sizes[dim] = 1;
    return tensor.as_strided(sizes, tensor.strides());
}

void check_scalar_fits(const at::Scalar &value, at::ScalarType dtype)
{
    (void)at::scalar_tensor(value, at::TensorOptions(at::kCPU).dtype(dtype));
}

struct fd_tensor describe_input(const at::Tensor &tensor)
{
    return describe_at(tensor, tensor.const_data_ptr());
}

struct fd_tensor describe_output(const at::Tensor &tensor)
{
    return describe_at(tensor, tensor.mutable_data_ptr());
}

KernelScope::KernelScope(c10::Device device)
    : guard_(device), no_autocast_(c10::DispatchKey::AutocastPrivateUse1),
      stream_(current_stream(guard_.current_device().index()))
{
}

at::Tensor scalar_on_device(const at::Scalar &value, at::ScalarType dtype, c10::Device device)
{
    const KernelScope scope(device);
    at::Tensor result = at::empty({}, at::TensorOptions().dtype(dtype).device(device));
    const struct fd_tensor out = describe_output(result);
    check(fd_kernel_fill(scope.stream(), &out, driver_scalar(value)), "scalar");
    return result;
}

at::Tensor operand(const at::Tensor &tensor, at::ScalarType dtype, c10::Device device)
{
    if (tensor.device() == device)
        return tensor.scalar_type() == dtype ? tensor : tensor.to(dtype);
    TORCH_CHECK(tensor.dim() == 0 && tensor.is_cpu(),
                "Expected all tensors to be on the same device, but found at least two devices, ",
                device, " and ", tensor.device(), "!");
    return scalar_on_device(tensor.item(), dtype, device);
}

void check_same_device(c10::Device device, at::ArrayRef<at::Tensor> tensors, const char *what)
{
    std::optional<c10::Device> common = device;
    for (const at::Tensor &tensor : tensors)
        c10::impl::check_and_update_common_device(common, tensor, what, "tensor");
}

fd_status launch_elementwise(const char *name, const at::Tensor &out,
                             at::ArrayRef<at::Tensor> inputs, Launch launch)
{
    const KernelScope scope(out);
    if (out.numel() == 0)
        return FD_OK;
    return launch_slices(name, out, inputs, scope.stream(), launch);
}

} // namespace fakedev
