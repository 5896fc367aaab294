/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests which edits of a body, a default argument or a macro count as changes.
 */
#include <string.h>

#include "scan.h"
#include "unit_test.h"

static struct drift_scan scan_of(const char *text)
{
    return (struct drift_scan){text, 0, strlen(text)};
}

TEST(scan_normal_of_other_layout_is_the_same)
{
    static const char *const rows[][2] = {
        {"a  +b", "a+b"},
        {"const   T &x", "const T&x"},
        {"f( a ,b )", "f(a, b)"},
        {"a /* why */ b // end", "a b"},
        {"x \\\n y", "x y"},
        {"\"a  b\" c", "\"a  b\" c"},
        {"R\"(a \" b)\"  z", "R\"(a \" b)\" z"},
    };
    struct hn_buffer text;
    hn_buffer_init(&text, 1000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hn_buffer_clear(&text);
        drift_scan_normal(scan_of(rows[i][0]), &text);
        ck_assert_str_eq(text.text, rows[i][1]);
    }
    hn_buffer_finish(&text);
}

static uint64_t body(const char *text)
{
    int throws;
    return drift_scan_body(scan_of(text), "", &throws);
}

static uint64_t body_with(const char *names, const char *text)
{
    int throws;
    return drift_scan_body(scan_of(text), names, &throws);
}

TEST(scan_body_of_a_declaration_is_none)
{
    static const char *const rows[] = {"f(int a);", "f(int a = 3) const = 0;", "f() = default;",
                                       "f(std::function<int()> g = {}) noexcept(true); g() {}"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_uint_eq(body(rows[i]), 0);
}

TEST(scan_body_differs_only_with_its_tokens)
{
    ck_assert_uint_ne(body("f() { return 1; }"), 0);
    ck_assert_uint_eq(body("f() { return 1; }"), body("f()\n{\n  return 1; // one\n}"));
    ck_assert_uint_ne(body("f() { return 1; }"), body("f() { return 2; }"));
    ck_assert_uint_eq(body("f() { return 1; } g() {}"), body("f() { return 1; }"));
    ck_assert_uint_eq(body("f() -> c10::Device { return d; }"), body("f() { return d; }"));
    ck_assert_uint_ne(body("A(int x) : x_{x}, y_(1) { go(); }"),
                      body("A(int x) : x_{x}, y_(2) { go(); }"));
    ck_assert_uint_ne(body("A(int x) : x_{x} { go(); }"), body("A(int x) : x_{x} { stop(); }"));
    ck_assert_uint_eq(body("f(int x) { (void)x; return 1; }"), body("f(int) { return 1; }"));
    ck_assert_uint_ne(body("f(int x) { (void)g(x); return 1; }"), body("f(int) { return 1; }"));
}

TEST(scan_body_of_a_renamed_parameter_is_the_same)
{
    ck_assert_uint_eq(body_with("size\n", "f(int size) { return size + 1; }"),
                      body_with("bytes\n", "f(int bytes) { return bytes + 1; }"));
    ck_assert_uint_ne(body_with("a\nb\n", "f(int a, int b) { return a - b; }"),
                      body_with("a\nb\n", "f(int a, int b) { return b - a; }"));
    ck_assert_uint_ne(body_with("a\n", "f(int a) { return a; }"),
                      body_with("a\n", "f(int a) { return b; }"));
    ck_assert_uint_eq(body_with("\n", "f(int) { return a; }"), body("f(int) { return a; }"));
}

TEST(scan_body_that_only_refuses_throws)
{
    static const struct {
        const char *text;
        int throws;
    } rows[] = {{"f() { throw 1; }", 1},
                {"f() { TORCH_CHECK_NOT_IMPLEMENTED(false, \"no\"); }", 1},
                {"f() { TORCH_CHECK(false, \"no\"); }", 1},
                {"f() { TORCH_CHECK(x, \"no\"); }", 0},
                {"f() { FAIL_HOOKS_FUNC(__func__); }", 1},
                {"f() { return; }", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int throws = -1;
        drift_scan_body(scan_of(rows[i].text), "", &throws);
        ck_assert_msg(throws == rows[i].throws, "%s", rows[i].text);
    }
}

TEST(scan_default_is_what_follows_the_sign)
{
    static const char *const rows[][2] = {
        {"int a = 3", "3"},
        {"int a", ""},
        {"F<int(int)> f = [](int x) { return x; }", "[](int x){return x;}"},
        {"T t = {1,2}", "{1, 2}"},
        {"int t{3}", "3"},
        {"T t{a{1}, 2}", "a{1}, 2"},
        {"struct { int a; } t", ""},
        {"std::function<int(int)> f", ""}};
    struct hn_buffer text;
    hn_buffer_init(&text, 1000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hn_buffer_clear(&text);
        drift_scan_default(scan_of(rows[i][0]), &text);
        ck_assert_str_eq(text.text, rows[i][1]);
    }
    hn_buffer_finish(&text);
}

TEST(scan_of_text_that_ends_too_early_ends)
{
    static const char *const rows[] = {"f() {",    "f(", "\"abc", "R\"x(abc", "/* abc",
                                       "f() : a{", "\\", "'",     ""};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_uint_eq(body(rows[i]), 0);
}
