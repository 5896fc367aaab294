/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of the words of failures, and of failures that have one cause.
 */
#include "cause_words.h"
#include "unit_test.h"

#include <string.h>

static const struct {
    const char *one, *other;
    int same;
} pairs[] = {
    {"RuntimeError: no memory", "RuntimeError: no memory", 1},
    {"RuntimeError: no memory", "RuntimeError: no device", 0},
    {"RuntimeError: no memory of 64 bytes at 0x7f01", "RuntimeError: no memory of 8 bytes at 0xab",
     1},
    {"RuntimeError: no memory. Tried 3 times", "RuntimeError: no memory\nframe #0", 1},
    {"bridge_empty(4) raised: no memory", "RuntimeError: no memory", 1},
    {"raised RuntimeError: no memory", "bridge_zeros(4) raised: no memory", 1},
    {"raised TypeError: 'aten::add' on dev:1", "raised TypeError: 'aten::mul' on dev:1", 0},
    {"raised TypeError: 'aten::add' on dev:1", "raised TypeError: 'aten::add' on dev:0", 1},
    {"OSError: /tmp/run-a/jobs/amp.x/1/file.so is gone", "OSError: /var/b/c/other is gone", 1},
    {"OSError: /tmp/run-a/jobs is gone.", "OSError: /tmp/run-a/jobs is full.", 0},
    {"RuntimeError: read and/or write", "RuntimeError: read and/and write", 0},
    {"got 3, expected 4", "is none", 1},
    {"got 3, expected 4", "RuntimeError: got 3, expected 4", 0},
};

TEST_EACH(cause_of_two_failures_is_the_same_as_written, pairs)
{
    const uint64_t one = hn_cause_of(pairs[_i].one), other = hn_cause_of(pairs[_i].other);
    ck_assert_msg((one == other) == pairs[_i].same, "%s / %s", pairs[_i].one, pairs[_i].other);
}

TEST(cause_of_a_refusal_is_that_of_the_failure_with_its_words)
{
    const uint64_t failure = hn_cause_of("raised RuntimeError: queue 3 is gone");
    ck_assert_uint_eq(hn_cause_of_refusal("queue 17 is gone"), failure);
    ck_assert_uint_eq(hn_cause_of_refusal("RuntimeError: queue 1 is gone.\nmore"), failure);
    ck_assert_uint_ne(hn_cause_of_refusal("queue 17 is full"), failure);
    ck_assert_uint_eq(hn_cause_of_refusal(""), HN_CAUSE_NONE);
}

TEST(words_have_no_number_and_no_path)
{
    char words[64];
    hn_cause_words("item 12 at 0xbeef of /tmp/a.b/c-1. And more", words, sizeof words);
    ck_assert_str_eq(words, "item # at # of <path>");
    hn_cause_words("a/b /one //", words, sizeof words);
    ck_assert_str_eq(words, "a/b /one <path>");
    hn_cause_words("12345678", words, 2);
    ck_assert_str_eq(words, "#");
    hn_cause_words("abcdef", words, 4);
    ck_assert_str_eq(words, "abc");
}

static struct hn_failure failure_of(enum hn_verdict verdict, const char *seen, const char *frames)
{
    return (struct hn_failure){.verdict = verdict,
                               .expected = "the call succeeds",
                               .seen = seen,
                               .subject = "",
                               .signal = verdict == HN_CRASH ? "SIGSEGV" : "",
                               .stage = "check",
                               .frames = frames,
                               .said = ""};
}

/* The history of a vendor contains these keys. If the hash changed, every known cause would look
 * new. */
TEST(key_is_the_same_in_every_release)
{
    char key[HN_CAUSE_KEY];
    const struct hn_failure failure = failure_of(HN_FAIL, "RuntimeError: queue 3 is gone", "");
    ck_assert_int_eq(hn_cause_key(&failure, key), 1);
    ck_assert_str_eq(key, "8983548c327f18ce");
}

TEST(key_of_a_crash_is_where_it_was)
{
    char one[HN_CAUSE_KEY], other[HN_CAUSE_KEY];
    struct hn_failure failure = failure_of(HN_CRASH, "", "copy (libfoo.so) < a (x.py:3)");
    ck_assert_int_eq(hn_cause_key(&failure, one), 1);
    failure.frames = "copy (libfoo.so) < b (y.py:9)";
    ck_assert_int_eq(hn_cause_key(&failure, other), 1);
    ck_assert_str_eq(one, other);
    failure.frames = "fill (libfoo.so) < a (x.py:3)";
    hn_cause_key(&failure, other);
    ck_assert_str_ne(one, other);
    failure.frames = "";
    ck_assert_int_eq(hn_cause_key(&failure, other), 0);
}

TEST(key_of_an_abort_contains_its_message)
{
    char one[HN_CAUSE_KEY], other[HN_CAUSE_KEY];
    struct hn_failure failure = failure_of(HN_CRASH, "", "raise (libtorch.so) < a (x.py:3)");
    failure.signal = "SIGABRT";
    failure.said = "c10::Error: no device 3";
    ck_assert_int_eq(hn_cause_key(&failure, one), 1);
    failure.said = "c10::Error: no device 4";
    hn_cause_key(&failure, other);
    ck_assert_str_eq(one, other);
    failure.said = "c10::Error: the queue is gone";
    hn_cause_key(&failure, other);
    ck_assert_str_ne(one, other);
}

TEST(key_of_a_wrong_value_joins_nobody)
{
    char key[HN_CAUSE_KEY];
    const struct hn_failure failure = failure_of(HN_FAIL, "got 3, expected 4", "");
    ck_assert_int_eq(hn_cause_key(&failure, key), 0);
    ck_assert_uint_eq(strlen(key), HN_CAUSE_KEY - 1);
}
