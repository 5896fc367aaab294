// SPDX-License-Identifier: BSD-3-Clause
//
// A backend library that needs a symbol of torch or, with STRAY, a symbol that torch no longer has.
namespace c10::impl
{
int still_here(int value);
int gone_since_last_year(int value);
} // namespace c10::impl

extern "C" __attribute__((visibility("default"))) int backend_entry(int value);
extern "C" int backend_entry(int value)
{
#if defined STRAY
    return c10::impl::gone_since_last_year(value);
#else
    return c10::impl::still_here(value);
#endif
}
