/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tensor.record_stream(s): the tensor's memory is also used by work on s.
 *
 * For: programs that make a tensor on one stream and use it on another; FSDP does, for every shard.
 * Without: NotImplementedError, also with a CPU fallback; a kernel that does nothing lets the
 * caching allocator hand out memory that a pending kernel still writes. Serves: STRM-026,
 * ALLOC-025.
 */
#include "device_allocator.h"

#include <torch/library.h>

namespace fakedev
{

namespace
{

void record_stream_of_tensor(at::Tensor &tensor, at::Stream stream)
{
    record_stream(tensor.storage().data_ptr(), stream);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    library.impl("record_stream", &record_stream_of_tensor);
}

} // namespace fakedev
