/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tensor.record_stream(s): declares that work on s also uses the tensor's memory.
 *
 * Purpose: programs that create a tensor on one stream and use the tensor on another stream. FSDP
 * does this for every shard.
 * If this file is removed, the call raises NotImplementedError even with a CPU fallback. If the
 * kernel were a no-op, the caching allocator would reuse memory that a pending kernel still writes.
 * Serves: STRM-026, ALLOC-025.
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
