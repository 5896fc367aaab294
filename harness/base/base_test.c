/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of the small parts of base: errors, findings, buffer, arena, nearest, hash, words,
 * verdicts, clock.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "buffer.h"
#include "clock.h"
#include "findings.h"
#include "hash.h"
#include "hn_error.h"
#include "isolation.h"
#include "level.h"
#include "nearest.h"
#include "terminal.h"
#include "unit_test.h"
#include "verdict.h"

TEST(error_format_with_parts_of_a_place_leaves_the_rest_out)
{
    static const struct {
        const char *file;
        int line, column;
        const char *expected;
    } rows[] = {{"", 0, 0, "wrong"},
                {"a.yaml", 0, 0, "a.yaml: wrong"},
                {"a.yaml", 3, 0, "a.yaml:3: wrong"},
                {"a.yaml", 3, 7, "a.yaml:3:7: wrong"}};
    struct hn_error error;
    char text[100];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hn_error_at(&error, HN_EINPUT, rows[i].file, rows[i].line, rows[i].column, "wrong");
        hn_error_format(&error, text, sizeof text);
        ck_assert_str_eq(text, rows[i].expected);
    }
}

TEST(error_errno_of_enoent_is_not_found)
{
    struct hn_error error;
    errno = ENOENT;
    ck_assert_int_eq(hn_error_errno(&error, "cannot open %s", "x"), HN_ENOTFOUND);
    ck_assert_str_eq(error.text, "cannot open x: No such file or directory");
    errno = EACCES;
    ck_assert_int_eq(hn_error_errno(&error, "cannot open %s", "x"), HN_ESYSTEM);
    ck_assert_int_eq(hn_error_errno(NULL, "nobody listens"), HN_ESYSTEM);
}

TEST(error_set_too_long_is_cut)
{
    struct hn_error error;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    hn_error_set(&error, HN_EINPUT, "%s", text);
    ck_assert_uint_eq(strlen(error.text), sizeof error.text - 1);
}

TEST(error_exit_status_maps_every_code)
{
    ck_assert_int_eq(hn_error_exit_status(HN_OK), 0);
    ck_assert_int_eq(hn_error_exit_status(HN_EUSAGE), 64);
    ck_assert_int_eq(hn_error_exit_status(HN_EINPUT), 65);
    ck_assert_int_eq(hn_error_exit_status(HN_ELIMIT), 65);
    ck_assert_int_eq(hn_error_exit_status(HN_ENOTFOUND), 65);
    ck_assert_int_eq(hn_error_exit_status(HN_ESYSTEM), 71);
    ck_assert_int_eq(hn_error_exit_status(HN_ENOMEM), 71);
    ck_assert_int_eq(hn_error_exit_status(-99), 71);
    ck_assert_int_eq(hn_error_exit_status(HN_STOPPED_BY(SIGINT)), 130);
}

TEST(findings_sort_orders_by_place_and_is_stable)
{
    struct hn_findings findings = {0};
    const char *expected[] = {"first", "second", "third", "fourth", "fifth"};
    hn_findings_add(&findings, "b", 1, 1, "fifth");
    hn_findings_add(&findings, "a", 2, 9, "third");
    hn_findings_add(&findings, "a", 10, 1, "fourth");
    hn_findings_add(&findings, "a", 2, 1, "first");
    hn_findings_add(&findings, "a", 2, 1, "second");
    hn_findings_sort(&findings);
    for (size_t i = 0; i < 5; i++)
        ck_assert_str_eq(findings.items[i].text, expected[i]);
    hn_findings_finish(&findings);
}

TEST(findings_add_beyond_the_limit_counts_on)
{
    struct hn_findings findings = {0};
    for (int i = 0; i < HN_FINDINGS_LIMIT + 7; i++)
        ck_assert_int_eq(hn_findings_add(&findings, "a", i, 0, "x"), HN_EINPUT);
    ck_assert_uint_eq(findings.count, HN_FINDINGS_LIMIT);
    ck_assert_uint_eq(findings.total, HN_FINDINGS_LIMIT + 7);
    hn_findings_finish(&findings);
}

TEST(buffer_add_over_the_limit_adds_nothing_and_sticks)
{
    struct hn_buffer buffer;
    hn_buffer_init(&buffer, 5);
    ck_assert_str_eq(buffer.text, "");
    ck_assert_int_eq(hn_buffer_puts(&buffer, "abc"), HN_OK);
    ck_assert_int_eq(hn_buffer_printf(&buffer, "%s", "def"), HN_ELIMIT);
    ck_assert_str_eq(buffer.text, "abc");
    ck_assert_int_eq(hn_buffer_putc(&buffer, 'd'), HN_ELIMIT);
    hn_buffer_clear(&buffer);
    ck_assert_int_eq(hn_buffer_puts(&buffer, "12345"), HN_OK);
    ck_assert_str_eq(buffer.text, "12345");
    ck_assert_int_eq(hn_buffer_putc(&buffer, '6'), HN_ELIMIT);
    hn_buffer_finish(&buffer);
    ck_assert_str_eq(buffer.text, "");
}

TEST(arena_alloc_over_the_limit_is_null)
{
    struct hn_arena *arena = hn_arena_create(100);
    ck_assert_ptr_nonnull(hn_arena_alloc(arena, 60));
    ck_assert_ptr_null(hn_arena_alloc(arena, 41));
    ck_assert_ptr_nonnull(hn_arena_alloc(arena, 40));
    ck_assert_ptr_null(hn_arena_array(arena, SIZE_MAX / 4, 8));
    hn_arena_destroy(arena);
    hn_arena_destroy(NULL);
}

TEST(arena_alloc_is_zeroed_aligned_and_distinct)
{
    struct hn_arena *arena = hn_arena_create((size_t)1 << 20);
    char *last = NULL;
    for (size_t size = 0; size < 300; size++) {
        char *bytes = hn_arena_alloc(arena, size * 100);
        ck_assert_ptr_nonnull(bytes);
        ck_assert_uint_eq((uintptr_t)bytes % sizeof(max_align_t) % 16, 0);
        ck_assert_ptr_ne(bytes, last);
        for (size_t i = 0; i < size * 100; i++)
            ck_assert_int_eq(bytes[i], 0);
        memset(bytes, 'x', size * 100);
        last = bytes;
        if (size * 100 * 2 > (size_t)1 << 14)
            break;
    }
    ck_assert_str_eq(hn_arena_text(arena, "%s-%03d", "DEV", 4), "DEV-004");
    ck_assert_str_eq(hn_arena_copy(arena, "abcdef", 3), "abc");
    hn_arena_destroy(arena);
}

static const char *nearest(const char *name, const char *const *names, size_t count)
{
    struct hn_nearest search;
    hn_nearest_begin(&search, name);
    HN_NEAREST_OFFER_ALL(&search, names, count);
    return search.best;
}

TEST(nearest_finds_slips_and_nothing_far_fetched)
{
    static const char *const names[] = {"guard", "streams", "stubs", "allocator", "amp"};
    static const struct {
        const char *name, *expected;
    } rows[] = {{"gaurd", "guard"},
                {"guard", "guard"},
                {"stream", "streams"},
                {"alocater", "allocator"},
                {"anp", "amp"},
                {"zzzzz", NULL},
                {"", NULL},
                {"completely", NULL},
                {"stub", "stubs"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *found = nearest(rows[i].name, names, 5);
        if (rows[i].expected)
            ck_assert_str_eq(found, rows[i].expected);
        else
            ck_assert_ptr_null(found);
    }
}

TEST(nearest_of_very_long_names_is_none)
{
    char longest[100];
    const char *const names[] = {longest};
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    ck_assert_ptr_null(nearest(longest, names, 1));
    ck_assert_ptr_null(nearest("a", names, 1));
}

TEST(hash_text_separates_pieces)
{
    const uint64_t one = hn_hash_text(hn_hash_text(HN_HASH_START, "ab"), "c");
    const uint64_t two = hn_hash_text(hn_hash_text(HN_HASH_START, "a"), "bc");
    ck_assert_uint_ne(one, two);
    /* Published value of FNV-1a for "a". */
    ck_assert_uint_eq(hn_hash_bytes(HN_HASH_START, "a", 1), UINT64_C(0xaf63dc4c8601ec8c));
}

TEST(verdict_table_rows_are_in_order_of_rank_and_found_by_name)
{
    for (int i = 0; i < HN_VERDICTS; i++) {
        enum hn_verdict found = HN_VERDICTS;
        ck_assert_int_eq(hn_verdict_from_name(hn_verdict_table[i].name, &found), HN_OK);
        ck_assert_int_eq(found, i);
        ck_assert(i == 0 || hn_verdict_table[i - 1].rank <= hn_verdict_table[i].rank);
        ck_assert(!hn_verdict_table[i].fails || hn_verdict_table[i].exit_status == HN_EXIT_FAILED);
        ck_assert(!hn_verdict_table[i].good || hn_verdict_table[i].exit_status == HN_EXIT_OK);
    }
    enum hn_verdict untouched = HN_SKIP;
    ck_assert_int_eq(hn_verdict_from_name("passed", &untouched), HN_EINPUT);
    ck_assert_int_eq(untouched, HN_SKIP);
    ck_assert_int_eq(hn_verdict_worse(HN_PASS, HN_BLOCKED), HN_BLOCKED);
    ck_assert_int_eq(hn_verdict_worse(HN_CRASH, HN_FAIL), HN_CRASH);
}

TEST(word_index_of_unknown_is_negative)
{
    ck_assert_int_eq(hn_word_index(hn_level_names, HN_LEVELS, "may"), HN_MAY);
    ck_assert_int_eq(hn_word_index(hn_level_names, HN_LEVELS, "maybe"), -1);
}

TEST(isolation_words_name_every_row_of_the_table)
{
    char words[256] = "";
    for (int i = 0; i < HN_ISOLATIONS; i++) {
        strncat(words, i ? "|" : "", sizeof words - strlen(words) - 1);
        strncat(words, hn_isolations[i].name, sizeof words - strlen(words) - 1);
        ck_assert_ptr_eq(hn_isolation_of(hn_isolations[i].name), &hn_isolations[i]);
    }
    ck_assert_str_eq(words, HN_ISOLATION_WORDS);
}

TEST(clock_now_does_not_run_backwards)
{
    char date[HN_CLOCK_DATE_SIZE];
    const int64_t before = hn_clock_now_ns();
    ck_assert_int_ge(hn_clock_now_ns(), before);
    hn_clock_date(date, sizeof date);
    ck_assert_uint_eq(strlen(date), strlen("2026-11-21T13:48:05Z"));
    ck_assert_int_eq(date[19], 'Z');
}

TEST(terminal_filter_makes_control_visible)
{
    static const struct {
        const char *text, *expected;
    } rows[] = {{"plain\ttext\n", "plain\ttext\n"},
                {"\x1b[31mred", "\\x1b[31mred"},
                {"bell\a", "bell\\x07"},
                {"over\rwritten", "over\\x0dwritten"},
                {"\xc2\x9b"
                 "2J",
                 "\\x9b2J"},
                {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
                {"\xe2\x80\xae"
                 "evil",
                 "\\u202eevil"},
                {"\xff\xfe", "\\xff\\xfe"},
                {"\xc0\x80", "\\xc0\\x80"},
                {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
                {"cut \xe2\x82", "cut \\xe2\\x82"},
                {"::error::a\n \t::b", "\\x3a:error::a\n \t\\x3a:b"},
                {"c10::Half a ::b", "c10::Half a \\x3a:b"},
                {"x ##[group]y ## [", "x \\x23#[group]y ## ["}};
    struct hn_buffer out;
    hn_buffer_init(&out, 1000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hn_buffer_clear(&out);
        ck_assert_int_eq(hn_terminal_filter(&out, rows[i].text, strlen(rows[i].text)), HN_OK);
        ck_assert_str_eq(out.text, rows[i].expected);
    }
    hn_buffer_finish(&out);
}
