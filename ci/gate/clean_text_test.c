/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests how untrusted text is escaped, and how the list of changed files is searched.
 */
#include <stdlib.h>
#include <string.h>

#include "changed_files.h"
#include "clean_text.h"
#include "unit_test.h"

TEST(clean_makes_one_line_of_visible_characters)
{
    static const struct {
        const char *text;
        size_t most;
        const char *clean;
    } rows[] = {
        {"plain", 100, "plain"},
        {"two\nlines\r\n\tand a tab\n", 100, "two lines and a tab"},
        {"\x1b[31mred\x07", 100, "\\x1b[31mred\\x07"},
        {"bi\u202edi", 100, "bi\\u202edi"},
        {"\xff\xfe", 100, "\\xff\\xfe"},
        {"12345678", 4, "1234 ..."},
        {"12\u00e4\u00e4", 5, "12\u00e4 ..."},
        {"a ##[add-mask]b ##[x]", 100, "a \\x23#[add-mask]b \\x23#[x]"},
        {"", 10, ""},
    };
    struct hn_buffer out;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hn_buffer_init(&out, 1000);
        ck_assert_int_eq(ci_clean(&out, rows[i].text, rows[i].most), 0);
        ck_assert_str_eq(out.text, rows[i].clean);
        hn_buffer_finish(&out);
    }
}

TEST(markdown_leaves_nothing_that_means_something)
{
    struct hn_buffer out;
    hn_buffer_init(&out, 4000);
    ci_markdown(&out, "<script>alert(1)</script> [a](b) **x** `c` @me #1 a|b https://x ~~y~~ & \\");
    ck_assert_uint_eq(strcspn(out.text, "<>[]()*`@|~\\"), out.length);
    ck_assert_ptr_null(strstr(out.text, "://"));
    ck_assert_ptr_null(strstr(out.text, " #1"));
    ck_assert_ptr_nonnull(strstr(out.text, "&#60;script&#62;"));
    hn_buffer_finish(&out);
}

TEST(is_check_id_takes_only_what_a_contract_can_hold)
{
    char lengthy[300];
    memset(lengthy, 'a', sizeof lengthy);
    lengthy[201] = '\0';
    ck_assert_int_eq(ci_is_check_id("guard.exchange_2"), 1);
    ck_assert_int_eq(ci_is_check_id(""), 0);
    ck_assert_int_eq(ci_is_check_id("Guard.x"), 0);
    ck_assert_int_eq(ci_is_check_id("a b"), 0);
    ck_assert_int_eq(ci_is_check_id("../x"), 0);
    ck_assert_int_eq(ci_is_check_id(lengthy), 0);
}

TEST(glob_fits_stars_of_one_folder_and_of_many)
{
    static const struct {
        const char *glob, *path;
        int fits;
    } rows[] = {
        {"a/b.c", "a/b.c", 1},   {"a/b.c", "a/b.cc", 0},   {"a/*.c", "a/b.c", 1},
        {"a/*.c", "a/b/c.c", 0}, {"a/**", "a/b/c.c", 1},   {"a/**", "a/", 1},
        {"a/**", "ab/c", 0},     {"**/x.h", "a/b/x.h", 1}, {"a/**/z", "a/b/c/z", 1},
        {"a/?.c", "a/b.c", 1},   {"a/?.c", "a//.c", 0},    {"*", "", 1},
        {"a*b*c", "axxbyyc", 1}, {"a*b*c", "axxbyy", 0},   {"", "", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(ci_glob_fits(rows[i].glob, rows[i].path) == rows[i].fits, "%s %s",
                      rows[i].glob, rows[i].path);
}

TEST(glob_of_many_stars_ends)
{
    char path[4000];
    memset(path, 'a', sizeof path);
    path[sizeof path - 1] = '\0';
    ck_assert_int_eq(ci_glob_fits("**a**a**a**a**a**a**a**b", path), 0);
}

TEST(changed_file_finds_the_first_that_fits)
{
    static const char *const globs[] = {"backend/**", "x/*.h"};
    size_t length = 0;
    const char *text = "README.md\r\n\nsrc/backend/a\nx/y.h\r\nbackend/b.c";
    const char *found = ci_changed_file(text, globs, 2, &length);
    ck_assert_ptr_nonnull(found);
    ck_assert_uint_eq(length, 5);
    ck_assert_int_eq(strncmp(found, "x/y.h", 5), 0);
    ck_assert_ptr_nonnull(ci_changed_file("backend/b.c", globs, 2, &length));
    ck_assert_ptr_null(ci_changed_file("a\nb\n", globs, 2, &length));
    ck_assert_ptr_null(ci_changed_file("", globs, 2, &length));
}

TEST(changed_file_of_a_name_without_end_is_passed_over)
{
    static const char *const globs[] = {"**"};
    char *text = malloc(10001);
    size_t length;
    memset(text, 'a', 10000);
    text[10000] = '\0';
    ck_assert_ptr_null(ci_changed_file(text, globs, 1, &length));
    free(text);
}

TEST(has_line_wants_the_whole_line)
{
    ck_assert_int_eq(ci_has_line("a\nsuppress\nb", "suppress"), 1);
    ck_assert_int_eq(ci_has_line("suppress\r\n", "suppress"), 1);
    ck_assert_int_eq(ci_has_line("suppress-not\nnot suppress", "suppress"), 0);
    ck_assert_int_eq(ci_has_line("", "suppress"), 0);
}
