/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory: a file of registers of one size.
 */
#include "lanes.h"

#include <cstdlib>

namespace lanes
{

namespace
{

void free_register(void *address)
{
    std::free(address);
}

struct RegisterFile final : c10::Allocator {
    c10::DataPtr allocate(size_t size) override
    {
        const c10::Device where = unit(c10::DeviceType::PrivateUse1);
        if (size == 0)
            return {nullptr, nullptr, &free_register, where};
        TORCH_CHECK(size == kRegisterBytes, "lanes: a register has ", kRegisterBytes,
                    " bytes; asked for ", size);
        void *const room = std::aligned_alloc(kRegisterBytes, kRegisterBytes);
        TORCH_CHECK_WITH(OutOfMemoryError, room != nullptr, "lanes: no register is free");
        return {room, room, &free_register, where};
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        return &free_register;
    }

    void copy_data(void *to, const void *from, size_t count) const override
    {
        default_copy_data(to, from, count);
    }
};

RegisterFile file;

const bool registered = [] {
    c10::SetAllocator(c10::DeviceType::PrivateUse1, &file);
    return true;
}();

} // namespace

c10::Allocator *registers()
{
    return &file;
}

} // namespace lanes
