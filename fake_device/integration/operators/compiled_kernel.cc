/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches compiled kernels; see the header.
 * Serves: COMP-024.
 */
#include "compiled_kernel.h"

#include "device_index.h"
#include "status.h"
#include "tensor_descriptor.h"

#include <cstring>

namespace fakedev
{

namespace
{

/* Number of elements from the first to the last of `tensor`, including gaps. */
int64_t extent_of(const at::Tensor &tensor)
{
    int64_t extent = tensor.numel() > 0 ? 1 : 0;
    for (int64_t dim = 0; extent > 0 && dim < tensor.dim(); dim++)
        extent += (tensor.size(dim) - 1) * tensor.stride(dim);
    return extent;
}

/* A kernel may have more dims than the driver supports, so each tensor is described in one dim. The
 * driver does not support float8, so a kernel that converts float8 gets the bytes. */
struct fd_tensor describe_argument(const at::Tensor &tensor, bool is_written)
{
    struct fd_tensor result = {};
    TORCH_CHECK(tensor.is_privateuseone(), "fakedev: a compiled kernel cannot use a tensor on ",
                tensor.device());
    result.data =
        is_written ? tensor.mutable_data_ptr() : const_cast<void *>(tensor.const_data_ptr());
    result.dims = 1;
    result.strides[0] = 1;
    result.sizes[0] = extent_of(tensor);
    if (device_computes(tensor.scalar_type())) {
        result.dtype = driver_dtype(tensor.scalar_type());
    } else {
        result.dtype = FD_UINT8;
        result.sizes[0] *= static_cast<int64_t>(tensor.element_size());
    }
    return result;
}

/* The arguments of one launch, and the objects to which the driver's descriptors point. */
class Arguments
{
  public:
    Arguments(c10::Device device, size_t count) : device_(device)
    {
        arguments_.reserve(count);
        tensors_.reserve(count);
    }
    void add(const c10::IValue &value, bool is_written)
    {
        struct fd_argument argument = {};
        if (value.isTensor())
            argument.tensor = keep(value.toTensor(), is_written);
        else if (value.isDouble())
            set(argument, static_cast<float>(value.toDouble()));
        else
            set(argument, value.toInt());
        arguments_.push_back(argument);
    }
    void launch(fd_stream *stream, const std::string &path) const
    {
        check(fd_module_launch(stream, path.c_str(), arguments_.data(),
                               static_cast<int32_t>(arguments_.size())),
              "launching a compiled kernel");
    }

  private:
    template <class T>
    static void set(struct fd_argument &argument, T value)
    {
        static_assert(sizeof value <= sizeof argument.value);
        std::memcpy(argument.value, &value, sizeof value);
    }
    const struct fd_tensor *keep(const at::Tensor &tensor, bool is_written)
    {
        if (tensor.is_cpu() && !is_written) {
            copies_.push_back(tensor.as_strided({extent_of(tensor)}, {1}).to(device_));
            return keep(copies_.back(), false);
        }
        tensors_.push_back(describe_argument(tensor, is_written));
        return &tensors_.back();
    }

    c10::Device device_;
    std::vector<struct fd_argument> arguments_;
    std::vector<struct fd_tensor>
        tensors_; /* never reallocated, because arguments_ points into it */
    std::vector<at::Tensor> copies_;
};

} // namespace

void launch_compiled(const std::string &path, const std::vector<bool> &written,
                     const std::vector<c10::IValue> &values)
{
    TORCH_CHECK(values.size() == written.size(), "fakedev: the kernel in ", path, " takes ",
                written.size(), " arguments, not ", values.size());
    c10::Device device = make_device(current_device());
    for (size_t i = values.size(); i-- > 0;)
        if (written[i] && values[i].isTensor() && values[i].toTensor().is_privateuseone())
            device = values[i].toTensor().device();
    const KernelScope scope(device);
    Arguments arguments(device, values.size());
    for (size_t i = 0; i < values.size(); i++)
        arguments.add(values[i], written[i]);
    arguments.launch(scope.stream(), path);
}

} // namespace fakedev
