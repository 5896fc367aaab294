/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Allocator and guard as a C++ program uses them, in functions that Python can call by ctypes. For
 * the demonstrations; part of load_from_c_helper. Answers are 1 for "as it should be".
 */
#include <c10/core/Allocator.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <cstdint>
#include <exception>
#include <optional>

#include <unistd.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace
{

constexpr c10::DeviceType type = c10::DeviceType::PrivateUse1;
constexpr int bad_end = 3;

/* Lives until the static objects of every library loaded after this one are gone. */
struct LastWords {
    bool ask_guard = false;
    std::optional<c10::DataPtr> memory;

    ~LastWords()
    {
        memory.reset();
        if (!ask_guard)
            return;
        try {
            (void)c10::impl::getDeviceGuardImpl(type)->getDevice();
        } catch (const std::exception &) {
            _exit(bad_end);
        }
    }
} last;

template <class Question>
int32_t holds(Question &&question)
{
    try {
        return question() ? 1 : 0;
    } catch (const std::exception &) {
        return 0;
    }
}

} // namespace

EXPORT void helper_ask_guard_at_end()
{
    last.ask_guard = true;
}

EXPORT void helper_free_at_end()
{
    last.memory = c10::GetAllocator(type)->allocate(64);
}

EXPORT int32_t helper_guard_type()
{
    return static_cast<int32_t>(c10::impl::getDeviceGuardImpl(type)->type());
}

EXPORT const void *helper_allocator()
{
    return c10::GetAllocator(type);
}

EXPORT int32_t helper_raw_round_trip()
{
    return holds([] {
        c10::Allocator *allocator = c10::GetAllocator(type);
        allocator->raw_deallocate(allocator->raw_allocate(1 << 20));
        return true;
    });
}

/* As the destructor of an empty tensor of some containers does. */
EXPORT int32_t helper_delete_nothing()
{
    return holds([] {
        c10::GetAllocator(type)->allocate(64).get_deleter()(nullptr);
        return true;
    });
}

EXPORT int32_t helper_foreign_memory_is_not_simple()
{
    return holds([] {
        int data = 0, owner = 0;
        const c10::DataPtr foreign(
            &data, &owner, [](void *) {}, c10::Device(type, 0));
        return !c10::GetAllocator(type)->is_simple_data_ptr(foreign);
    });
}
