// SPDX-License-Identifier: BSD-3-Clause
//
// Stands in for libc10.so: defines one of the two symbols that the test libraries need. With STRAY
// it defines the other symbol, as a library that is shipped with a backend may do.
namespace c10::impl
{
#if defined STRAY
#define DEFINED gone_since_last_year
#else
#define DEFINED still_here
#endif
__attribute__((visibility("default"))) int DEFINED(int value);
int DEFINED(int value)
{
    return value;
}
} // namespace c10::impl
