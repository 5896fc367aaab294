// SPDX-License-Identifier: BSD-3-Clause
//
// Exceptions to status and text, and the facts of the build. The only catch ladder of the bridge.
#include "bridge_internal.h"

#include <c10/core/DeviceType.h>

#include <cstring>

namespace
{

// A fixed buffer: storing the text of an out-of-memory error must not allocate.
thread_local char last_text[2048];

int32_t keep(int32_t status, const char *text) noexcept
{
    std::strncpy(last_text, text, sizeof last_text - 1);
    last_text[sizeof last_text - 1] = '\0';
    return status;
}

bool is_internal_assert(const char *text) noexcept
{
    return std::strstr(text, "INTERNAL ASSERT FAILED") != nullptr;
}

} // namespace

namespace bridge
{

int32_t refuse(int32_t status, const char *text) noexcept
{
    return keep(status, text);
}

int32_t remember_exception() noexcept
{
    try {
        throw;
    } catch (const c10::OutOfMemoryError &error) {
        return keep(ASSAY_ENOMEM, error.what_without_backtrace());
    } catch (const c10::NotImplementedError &error) {
        return keep(ASSAY_EUNSUPPORTED, error.what_without_backtrace());
    } catch (const c10::IndexError &error) {
        return keep(ASSAY_EINVALID, error.what_without_backtrace());
    } catch (const c10::ValueError &error) {
        return keep(ASSAY_EINVALID, error.what_without_backtrace());
    } catch (const c10::TypeError &error) {
        return keep(ASSAY_EINVALID, error.what_without_backtrace());
    } catch (const c10::Error &error) {
        const char *const text = error.what_without_backtrace();
        return keep(is_internal_assert(text) ? ASSAY_EINTERNAL : ASSAY_EFAILED, text);
    } catch (const std::bad_alloc &) {
        return keep(ASSAY_ENOMEM, "std::bad_alloc");
    } catch (const std::exception &error) {
        return keep(ASSAY_EFAILED, error.what());
    } catch (...) {
        return keep(ASSAY_EINTERNAL, "an exception of an unknown type was thrown");
    }
}

} // namespace bridge

const char *bridge_error_text(void)
{
    return last_text;
}

const struct assay_build *bridge_build(void)
{
    static const assay_build build = {sizeof build, sizeof(void *), _GLIBCXX_USE_CXX11_ABI, 0,
                                      TORCH_VERSION};
    return &build;
}

int32_t bridge_backend_name(char *name, size_t size)
{
    return bridge::guarded([&] {
        const std::string full = c10::get_privateuse1_backend();
        TORCH_CHECK_VALUE(full.size() < size, "the backend's name has ", full.size(),
                          " characters, the buffer ", size);
        std::memcpy(name, full.c_str(), full.size() + 1);
    });
}

int32_t bridge_backend_is_named(void)
{
    return c10::is_privateuse1_backend_registered() ? 1 : 0;
}

int32_t bridge_backend_set_name(const char *name)
{
    return bridge::guarded([&] { c10::register_privateuse1_backend(name); });
}
