/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Overwrites the first instructions of functions of PyTorch's C interface with `return 0`, so that
 * these functions act like the stubs of a trimmed build.
 */
#include "faulty_parts.h"

#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fakedev
{

namespace
{

#if defined(__x86_64__)
const unsigned char return_zero[] = {0x31, 0xc0, 0xc3};
#elif defined(__aarch64__)
const unsigned char return_zero[] = {0x00, 0x00, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6};
#endif

void make_do_nothing(const char *name)
{
    auto *const code = static_cast<char *>(dlsym(RTLD_DEFAULT, name));
    if (code == nullptr)
        return;
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    char *const start = code - reinterpret_cast<size_t>(code) % page;
    const size_t size = 2 * page;

    if (mprotect(start, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return;
    std::memcpy(code, return_zero, sizeof return_zero);
    __builtin___clear_cache(code, code + sizeof return_zero);
    mprotect(start, size, PROT_READ | PROT_EXEC);
}

} // namespace

void change_core_code()
{
    make_do_nothing("torch_set_requires_grad");
    make_do_nothing("aoti_torch_grad_mode_set_enabled");
}

void change_core_parsing()
{
    make_do_nothing("torch_parse_device_string");
}

void change_core_dispatcher()
{
    make_do_nothing("aoti_torch_call_dispatcher");
    make_do_nothing("torch_call_dispatcher");
}

} // namespace fakedev
