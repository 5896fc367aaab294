/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests which checks count as silent, and when a run is mostly silent.
 */
#include "silence.h"
#include "unit_test.h"

static const struct {
    enum hn_verdict verdict;
    int is_explained;
    size_t mute;
} rows[] = {
    {HN_PASS, 0, 0},         {HN_FLAKY, 0, 0},  {HN_SLOW, 0, 0},    {HN_NOTED, 0, 0},
    {HN_FALLBACK, 0, 0},     {HN_FAIL, 0, 0},   {HN_CRASH, 0, 0},   {HN_TIMEOUT, 0, 0},
    {HN_BROKEN, 0, 1},       {HN_SKIP, 0, 1},   {HN_BLOCKED, 0, 1}, {HN_INCOMPLETE, 0, 1},
    {HN_UNOBSERVABLE, 0, 1}, {HN_NOTRUN, 0, 1}, {HN_SKIP, 1, 0},    {HN_BLOCKED, 1, 0},
};

TEST_EACH(silence_add_counts_what_came_to_no_verdict, rows)
{
    struct hn_silence silence = {0};
    hn_silence_add(&silence, rows[_i].verdict, rows[_i].is_explained);
    ck_assert_uint_eq(silence.musts, 1);
    ck_assert_uint_eq(silence.mute, rows[_i].mute);
}

static const struct {
    struct hn_silence silence;
    const char *words;
} sums[] = {
    {{0, 0}, ""},
    {{2, 1}, ""},
    {{16, 8}, ""},
    {{16, 9}, "9 of 16 musts came to no verdict: this run decides nothing"},
    {{1, 1}, "1 of 1 musts came to no verdict: this run decides nothing"},
};

TEST_EACH(silence_prevails_over_more_than_half, sums)
{
    char words[100];
    hn_silence_words(&sums[_i].silence, words, sizeof words);
    ck_assert_str_eq(words, sums[_i].words);
    ck_assert_int_eq(hn_silence_prevails(&sums[_i].silence), sums[_i].words[0] != '\0');
}
