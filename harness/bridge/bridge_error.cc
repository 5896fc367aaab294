// SPDX-License-Identifier: BSD-3-Clause
//
// Converts exceptions to status and text, and returns the facts of the build. No other file of the
// bridge may have a sequence of catch blocks.
#include "bridge_internal.h"
#include "bridge_raised.h"

#include <c10/core/DeviceType.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <typeinfo>

namespace
{

thread_local int32_t last_raised = BRIDGE_RAISED_NOTHING;
// A fixed buffer: storing the text of an out-of-memory error must not allocate.
thread_local char last_text[2048];

int32_t keep(int32_t status, int32_t raised, const char *text) noexcept
{
    last_raised = raised;
    std::strncpy(last_text, text, sizeof last_text - 1);
    last_text[sizeof last_text - 1] = '\0';
    if (char *const frames = std::strstr(last_text, " (most recent call first)"))
        *frames = '\0';
    return status;
}

// If the exception has no text, stores "Exception raised from ...", which core appends to the text.
int32_t keep_any(int32_t status, int32_t raised, const c10::Error &error) noexcept
{
    const char *const text = error.what_without_backtrace();
    char words[sizeof last_text];
    if (*text)
        return keep(status, raised, text);
    std::snprintf(words, sizeof words, "a c10::Error without a text. %s",
                  error.what() + std::strspn(error.what(), "\n "));
    return keep(status, raised, words);
}

bool is_internal_assert(const char *text) noexcept
{
    return std::strstr(text, "INTERNAL ASSERT FAILED") != nullptr;
}

bool begins_with(const char *text, const char *word) noexcept
{
    return std::strncmp(text, word, std::strlen(word)) == 0;
}

// The bridge does not use Python. If a guard or hooks in Python raise, pybind11 puts the class of
// the exception at the beginning of the text.
int32_t of_python(const char *text) noexcept
{
    for (const char *said : {"RuntimeError: ", "NotImplementedError: ", "ValueError: "})
        if (begins_with(text, said))
            return BRIDGE_RAISED_SAID;
    return BRIDGE_RAISED_ACCIDENT;
}

int32_t of_standard(const std::exception &error) noexcept
{
    const char *const name = typeid(error).name();
    if (std::strstr(name, "error_already_set"))
        return of_python(error.what());
    if (std::strstr(name, "python_error"))
        return BRIDGE_RAISED_ACCIDENT;
    if (dynamic_cast<const std::out_of_range *>(&error) ||
        dynamic_cast<const std::length_error *>(&error))
        return BRIDGE_RAISED_ACCIDENT; // a container was accessed at a missing key or index
    return dynamic_cast<const std::runtime_error *>(&error) ||
                   dynamic_cast<const std::logic_error *>(&error)
               ? BRIDGE_RAISED_SAID
               : BRIDGE_RAISED_ACCIDENT;
}

} // namespace

namespace bridge
{

int32_t refuse(int32_t status, const char *text) noexcept
{
    return keep(status, BRIDGE_RAISED_NOTHING, text);
}

int32_t remember_exception() noexcept
{
    try {
        throw;
    } catch (const c10::OutOfMemoryError &error) {
        return keep(ASSAY_ENOMEM, BRIDGE_RAISED_ACCIDENT, error.what_without_backtrace());
    } catch (const c10::NotImplementedError &error) {
        return keep(ASSAY_EUNSUPPORTED, BRIDGE_RAISED_SAID, error.what_without_backtrace());
    } catch (const c10::IndexError &error) {
        return keep(ASSAY_EINVALID, BRIDGE_RAISED_ACCIDENT, error.what_without_backtrace());
    } catch (const c10::ValueError &error) {
        return keep(ASSAY_EINVALID, BRIDGE_RAISED_SAID, error.what_without_backtrace());
    } catch (const c10::TypeError &error) { // TORCH_CHECK_TYPE; not an error of the argument parser
        return keep(ASSAY_EINVALID, BRIDGE_RAISED_SAID, error.what_without_backtrace());
    } catch (const c10::Error &error) {
        if (is_internal_assert(error.what_without_backtrace()))
            return keep_any(ASSAY_EINTERNAL, BRIDGE_RAISED_ACCIDENT, error);
        return keep_any(ASSAY_EFAILED, BRIDGE_RAISED_SAID, error);
    } catch (const std::bad_alloc &) {
        return keep(ASSAY_ENOMEM, BRIDGE_RAISED_ACCIDENT, "std::bad_alloc");
    } catch (const std::exception &error) {
        return keep(ASSAY_EFAILED, of_standard(error), error.what());
    } catch (...) {
        return keep(ASSAY_EINTERNAL, BRIDGE_RAISED_ACCIDENT,
                    "an exception of an unknown type was thrown");
    }
}

} // namespace bridge

const char *bridge_error_text(void)
{
    return last_text;
}

int32_t bridge_raised(void)
{
    return last_raised;
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
