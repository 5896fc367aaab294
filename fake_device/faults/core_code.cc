/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Overwrites the first instructions of functions of PyTorch's C interface with `return 0`, so that
 * these functions act like the stubs of a trimmed build. Also removes the name of a function, as if
 * the build lacked the function.
 */
#include "faulty_parts.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
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

/* Copies bytes into memory that is otherwise read-only. `protection` is restored afterwards. */
void overwrite(char *place, const void *bytes, size_t count, int protection)
{
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    char *const start = place - reinterpret_cast<size_t>(place) % page;
    const size_t size = 2 * page;
    if (mprotect(start, size, protection | PROT_WRITE) != 0)
        return;
    std::memcpy(place, bytes, count);
    mprotect(start, size, protection);
}

void make_do_nothing(const char *name)
{
    auto *const code = static_cast<char *>(dlsym(RTLD_DEFAULT, name));
    if (code == nullptr)
        return;
    overwrite(code, return_zero, sizeof return_zero, PROT_READ | PROT_EXEC);
    __builtin___clear_cache(code, code + sizeof return_zero);
}

/* Returns the names of all dynamic symbols of the library that contains this function. */
struct Names {
    char *text = nullptr;
    size_t size = 0;
};

Names names_of_library(const char *function)
{
    Names names;
    Dl_info info;
    struct link_map *map = nullptr;
    void *const code = dlsym(RTLD_DEFAULT, function);
    if (code == nullptr ||
        dladdr1(code, &info, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) == 0)
        return names;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_STRTAB)
            names.text = reinterpret_cast<char *>(entry->d_un.d_ptr);
        if (entry->d_tag == DT_STRSZ)
            names.size = entry->d_un.d_val;
    }
    return names;
}

/* Changes the first letter of a function's name, so that dlsym no longer finds the function. */
void remove_name(const char *name)
{
    const Names names = names_of_library(name);
    const size_t length = std::strlen(name) + 1;
    if (names.text == nullptr)
        return;
    for (char *place = names.text + 1; place + length <= names.text + names.size; place++)
        if (place[-1] == '\0' && std::memcmp(place, name, length) == 0)
            overwrite(place, "-", 1, PROT_READ);
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

void change_core_facts()
{
    make_do_nothing("aoti_torch_abi_version");
    make_do_nothing("aoti_torch_device_type_privateuse1");
}

void change_core_results()
{
    make_do_nothing("torch_parallel_for");
    make_do_nothing("aoti_torch_get_sizes");
    make_do_nothing("torch_get_const_data_ptr");
}

void change_core_messages()
{
    make_do_nothing("torch_exception_get_what");
    make_do_nothing("torch_exception_get_what_without_backtrace");
}

void remove_core_function()
{
    remove_name("torch_get_thread_idx");
}

} // namespace fakedev
