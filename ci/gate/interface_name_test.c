/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the reader of error messages with lines of gcc 12, clang 16, ld, ld.so and CPython.
 */
#include <stdlib.h>
#include <string.h>

#include "interface_name.h"
#include "unit_test.h"

/* clang-format off */
static const struct { const char *log, *name, *says; } rows[] = {
    {"a.cpp:4:11: error: 'void* A::allocate(size_t) const' marked 'override', but does not override\n", "A::allocate(size_t) const", "has another signature"},
    {"x\na.cpp:4:1: error: invalid new-expression of abstract class type 'A'\na.h:8:19: note:   \t'virtual void* c10::Allocator::allocate(size_t)'\n", "c10::Allocator::allocate(size_t)", "is pure virtual"},
    {"a.cpp:9: error: \xe2\x80\x98parseEnvVarInt\xe2\x80\x99 is not a member of \xe2\x80\x98" "c10d\xe2\x80\x99\n", "c10d::parseEnvVarInt", "is no longer there"},
    {"a.cpp:9: error: 'struct c10::Storage' has no member named 'data'; did you mean 'x'?\n", "c10::Storage::data", "is no longer there"},
    {"a.cpp:9: error: no member named 'parse' in namespace 'c10d'\n", "c10d::parse", "is no longer there"},
    {"a.cpp:9: error: allocating an object of abstract class type 'A'\na.h:1: note: unimplemented pure virtual method 'copy_data' in 'A'\n", "A::copy_data", "is pure virtual"},
    {"a.h:3: note: hidden overloaded virtual function 'c10::Allocator::allocate' declared here\n", "c10::Allocator::allocate", "has another signature"},
    {"a.h:3: error: conflicting return type specified for 'virtual int B::device()'\n", "B::device()", "returns another type"},
    {"a.h:3: error: virtual function 'device' has a different return type\n", "device", "has another signature"},
    {"a.cpp:1:10: fatal error: ATen/NamedTensorUtils.h: No such file or directory\n", "ATen/NamedTensorUtils.h", "is a header"},
    {"a.cpp:1:10: fatal error: 'ATen/Gone.h' file not found\n", "ATen/Gone.h", "is a header"},
    {"a.cpp:1: error: 'getCvar' was not declared in this scope\n", "getCvar", "is no longer there"},
    {"a.cpp:1: error: use of undeclared identifier 'getCvar'\n", "getCvar", "is no longer there"},
    {"a.cpp:1: error: 'Dimname' does not name a type\n", "Dimname", "is no longer there"},
    {"a.cpp:1: error: static assertion failed: c10::ScalarType has new members\n", "c10::ScalarType", "is an assumption of the backend"},
    {"a.cpp:1: error: static assertion failed: too many\n", "too many", "is an assumption of the backend"},
    {"a.cpp:1: error: no matching function for call to 'isIntegralType(c10::ScalarType)'\n", "isIntegralType(c10::ScalarType)", "takes other arguments"},
    {"a.cpp:1: error: too few arguments to function 'int f(int, int)'\n", "f(int, int)", "takes other arguments"},
    {"a.cpp:1: error: cannot convert 'std::shared_ptr<Node>' to 'int'\n", "std::shared_ptr<Node>", "has another type"},
    {"a.cpp:1: error: invalid conversion from 'int*' to 'signed char*'\n", "int*", "has another type"},
    {"ld: a.o: undefined reference to `c10d::getCvar(int)'\n", "c10d::getCvar(int)", "is not in PyTorch's libraries"},
    {"load: OSError: libfoo.so: undefined symbol: _ZN3c1012SetAllocatorEPKNS_9AllocatorE\nTraceback", "c10::SetAllocator(c10::Allocator const*)", "is not in PyTorch's libraries"},
    {"undefined symbol: plain_c, version X", "plain_c", "is not in PyTorch's libraries"},
    {"AttributeError: module 'torch._C' has no attribute '_gone'\n", "torch._C._gone", "is no longer there"},
    {"ImportError: cannot import name 'DynamoStance' from 'torch.compiler' (x)\n", "torch.compiler.DynamoStance", "is no longer there"},
    {"ModuleNotFoundError: No module named 'torch.gone'\n", "torch.gone", "is no longer there"},
};
/* clang-format on */

TEST_EACH(interface_find_knows_the_words_of_its_tools, rows)
{
    char name[256], line[1700];
    const char *says = ci_interface_find(rows[_i].log, name, sizeof name, line, sizeof line);
    ck_assert_str_eq(name, rows[_i].name);
    ck_assert_msg(strncmp(says, rows[_i].says, strlen(rows[_i].says)) == 0, "%s", says);
    ck_assert_ptr_null(strchr(line, '\n'));
}

TEST(interface_find_without_a_known_complaint_shows_a_line)
{
    char name[256], line[1700];
    ck_assert_str_eq(
        ci_interface_find("make\ncc: error: x\nmake: stop\n", name, sizeof name, line, sizeof line),
        "");
    ck_assert_str_eq(name, "");
    ck_assert_str_eq(line, "cc: error: x");
    ci_interface_find("one\n  \nlast words\n\n", name, sizeof name, line, sizeof line);
    ck_assert_str_eq(line, "last words");
    ci_interface_find("", name, sizeof name, line, sizeof line);
    ck_assert_str_eq(line, "");
}

TEST(interface_find_of_foreign_bytes_stays_inside_and_clean)
{
    enum { SIZE = 100000 };
    char *log = malloc(SIZE + 1), name[256], line[1700];
    static const char *const pieces[] = {"'virtual ",
                                         "note:  'virtual ",
                                         "is not a member of",
                                         "'",
                                         "undefined symbol: _ZN",
                                         "\x1b[2J",
                                         "\n",
                                         "marked"};
    unsigned seed = 7;
    for (int round = 0; round < 200; round++) {
        size_t used = 0;
        while (used < SIZE - 40 && used < (size_t)round * 50) {
            seed = seed * 1103515245u + 12345u;
            const char *piece = pieces[(seed >> 16) % (sizeof pieces / sizeof *pieces)];
            memcpy(log + used, piece, strlen(piece));
            used += strlen(piece);
        }
        log[used] = '\0';
        ci_interface_find(log, name, sizeof name, line, sizeof line);
        ck_assert_ptr_null(strchr(name, '\x1b'));
        ck_assert_ptr_null(strchr(line, '\x1b'));
    }
    memset(log, 'x', SIZE);
    log[SIZE] = '\0';
    ci_interface_find(log, name, sizeof name, line, sizeof line);
    ck_assert_uint_lt(strlen(line), 500);
    free(log);
}
