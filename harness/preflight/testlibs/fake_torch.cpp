// SPDX-License-Identifier: BSD-3-Clause
//
// Stands in for libc10.so: it defines one of the two symbols that the test libraries need.
namespace c10::impl
{
__attribute__((visibility("default"))) int still_here(int value);
int still_here(int value)
{
    return value;
}
} // namespace c10::impl
