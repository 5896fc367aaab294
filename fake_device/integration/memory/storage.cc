/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Storage: the factory that core calls for UntypedStorage, clone, deepcopy and torch.load, and the
 * implementation of storage.resize_().
 *
 * Purpose: a backend may give core its own StorageImpl. This factory adds nothing to core's class
 * and shows the rules.
 * If the factory is removed, core uses its own StorageImpl, which is sufficient for most backends.
 * If the resize hook is removed, storage.resize_() raises NotImplementedError.
 * Traps: the factory usually receives a null DataPtr (with device cpu) and a non-zero size, and
 * must allocate the memory. Core does not check resizable() before it calls the resize hook, and
 * memory from from_blob or DLPack has no allocator. storage.resize_(-1) is passed as 2^64-1. The
 * current device may differ from the storage's device.
 * Serves: STOR-001 to STOR-011, STOR-025, STOR-028, ALLOC-035.
 */
#include "storage.h"

#include "device_allocator.h"
#include "device_index.h"
#include "status.h"
#include "streams.h"

#include <algorithm>
#include <limits>

namespace fakedev
{

c10::intrusive_ptr<c10::StorageImpl> make_storage(c10::StorageImpl::use_byte_size_t,
                                                  c10::SymInt size, c10::DataPtr data,
                                                  c10::Allocator *allocator, bool resizable)
{
    const int64_t bytes = size.expect_int();
    if (!data && data.device().type() == c10::DeviceType::CPU)
        data = (allocator ? allocator : device_allocator())->allocate(static_cast<size_t>(bytes));
    return c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes,
                                                 std::move(data), allocator, resizable);
}

namespace
{

void copy_front(void *destination, const c10::StorageImpl *storage, size_t size)
{
    const size_t kept = std::min(storage->nbytes(), size);
    if (kept > 0)
        check(fd_memory_copy_async(destination, storage->data(), kept,
                                   current_stream(storage->device().index())),
              "resize storage");
}

} // namespace

void resize_storage(c10::StorageImpl *storage, size_t size)
{
    TORCH_CHECK(storage->resizable(), "Trying to resize storage that is not resizable");
    TORCH_CHECK(size <= static_cast<size_t>(std::numeric_limits<int64_t>::max()),
                "fakedev: resize storage: ", size, " bytes are not addressable");
    const DeviceScope scope(storage->device().index());
    c10::DataPtr data = storage->allocator()->allocate(size);

    copy_front(data.get(), storage, size);
    storage->set_data_ptr_noswap(std::move(data));
    storage->set_nbytes(size);
}

} // namespace fakedev
