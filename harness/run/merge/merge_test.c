/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the content of a merged run, and the message for each set of runs that cannot be merged.
 */
#include "merge.h"

#include <string.h>
#include <unistd.h>

#include "journal.h"
#include "test_folder.h"
#include "unit_test.h"

#define RUNS 3 /* "0", "1", "2" */

/* Members of the header or of the plan that differ from the same members of the other shards. */
struct shard {
    int index, of;
    const char *target, *torch, *git, *contract, *select, *seed;
    const char *journal, *plan; /* replaces the text of the file */
    const char *unplanned;      /* a check of the journal that is not in the plan */
};

static const char *or_usual(const char *text, const char *usual)
{
    return text ? text : usual;
}

static void put(int run, const char *file, const char *text)
{
    char name[100];
    struct hn_error error = {0};
    snprintf(name, sizeof name, "%d", run);
    ck_assert_int_eq(hn_dir_make(test_path(name), &error), HN_OK);
    snprintf(name, sizeof name, "%d/%s", run, file);
    test_write(name, text, strlen(text));
}

/* Writes the journal of shard n. The shard owns the check m.own<n>. Every shard except the first
 * also runs m.own1 as support. */
static void write_journal(int run, const struct shard *shard)
{
    char name[100], own[20], why[20];
    const int first = shard->index == 1;
    struct hn_journal journal;
    struct hn_error error = {0};
    snprintf(own, sizeof own, "m.own%d", shard->index);
    snprintf(why, sizeof why, "shard %d", shard->index);
    const struct hn_planned checks[] = {{"m.own1", HN_MUST, !first, ""},
                                        {own, HN_SHOULD, first, ""}};
    const struct hn_record records[] = {
        {.event = HN_EVENT_RUN,
         .run = {.date = "2026-11-22T00:00:00Z",
                 .seed = or_usual(shard->seed, "1"),
                 .checks = checks,
                 .check_count = first ? 1 : 2,
                 .target = {.name = or_usual(shard->target, "foo")},
                 .torch = {or_usual(shard->torch, "2.13.0"), or_usual(shard->git, "abc"), ""},
                 .contract = {1, or_usual(shard->contract, "d1")},
                 .shard = {shard->index, shard->of},
                 .select = or_usual(shard->select, "all")}},
        {.event = HN_EVENT_PREFLIGHT},
        {.event = HN_EVENT_ISOLATION, .isolation = {"exec", why}},
        {.event = HN_EVENT_START, .start = {or_usual(shard->unplanned, "m.own1"), "", 1}},
        {.event = HN_EVENT_END,
         .end = {.id = "m.own1", .attempt = 1, .final = 1, .verdict = HN_PASS}},
        {.event = HN_EVENT_END,
         .end = {.id = own, .attempt = 1, .final = !first, .verdict = HN_FAIL, .folder = "jobs/m"}},
        {.event = HN_EVENT_FINISH,
         .finish = {.complete = 1,
                    .totals = {[HN_PASS] = (size_t)first, [HN_FAIL] = (size_t)!first}}},
    };
    snprintf(name, sizeof name, "%d/" HN_JOURNAL_FILE, run);
    unlink(test_path(name));
    ck_assert_int_eq(hn_journal_create(&journal, test_path(name), &error), HN_OK);
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        ck_assert_int_eq(hn_journal_write(&journal, &records[i], &error), HN_OK);
    hn_journal_close(&journal);
}

static void write_shard(int run, const struct shard *shard)
{
    char text[4096];
    snprintf(text, sizeof text,
             "{\"schema\":\"assay/plan/"
             "1\",\"shard\":%d,\"shards\":%d,\"arguments\":[\"run\"],\"requirements\":[{\"id\":"
             "\"M-001\"},{\"id\":\"M-00%d\"}],\"jobs\":[{\"id\":\"m.own1\",\"level\":\"must\","
             "\"support\":%s},{\"id\":\"m.own%d\",\"level\":\"should\",\"support\":%s}]}",
             shard->index, shard->of, shard->index, shard->index == 1 ? "false" : "true",
             shard->index, shard->index == 1 ? "true" : "false");
    put(run, "plan.json", or_usual(shard->plan, text));
    if (shard->journal)
        put(run, HN_JOURNAL_FILE, shard->journal);
    else
        write_journal(run, shard);
}

static int merge(const struct shard *shards, size_t count, struct hn_error *error)
{
    char names[RUNS][100];
    char *runs[RUNS];
    for (size_t i = 0; i < count; i++) {
        write_shard((int)i, &shards[i]);
        snprintf(names[i], sizeof names[i], "%s/%zu", test_folder, i);
        runs[i] = names[i];
    }
    return hn_merge(runs, count, test_path("whole"), 0, error);
}

static char *whole(const char *file)
{
    char name[100], *text = NULL;
    size_t length;
    struct hn_error error = {0};
    snprintf(name, sizeof name, "whole/%s", file);
    ck_assert_int_eq(hn_file_read(test_path(name), 1 << 20, &text, &length, &error), HN_OK);
    return text;
}

static int times(const char *text, const char *piece)
{
    int count = 0;
    while ((text = strstr(text, piece)) != NULL) {
        text += strlen(piece);
        count++;
    }
    return count;
}

TEST_FIXTURE(test_folder_make, test_folder_remove);

TEST(merge_of_all_shards_holds_each_owned_check_once)
{
    static const struct shard shards[] = {
        {.index = 2, .of = 3}, {.index = 1, .of = 3}, {.index = 3, .of = 3}};
    char evidence[200];
    struct hn_error error = {0};
    ck_assert_int_eq(merge(shards, 3, &error), HN_OK);
    char *journal = whole(HN_JOURNAL_FILE), *plan = whole("plan.json");
    ck_assert_int_eq(times(journal, "\"event\":\"run\""), 1);
    ck_assert_int_eq(times(journal, "\"event\":\"preflight\""), 1);
    ck_assert_int_eq(times(journal, "\"why\":\"shard 2\""), 1);
    ck_assert_int_eq(times(journal, "\"event\":\"isolation\""), 1);
    ck_assert_int_eq(times(plan, "\"arguments\""), 0);
    ck_assert_int_eq(times(journal, "\"event\":\"start\",\"id\":\"m.own1\""), 1);
    ck_assert_int_eq(times(journal, "\"event\":\"end\",\"id\":\"m.own2\""), 1);
    snprintf(evidence, sizeof evidence, "\"folder\":\"%s/0/jobs/m\"", test_folder);
    ck_assert_int_eq(times(journal, evidence), 1);
    ck_assert_ptr_nonnull(strstr(journal, "\"complete\":true,\"totals\":{\"fail\":2,\"pass\":1}"));
    ck_assert_int_eq(times(plan, "\"support\": true") + times(plan, "\"support\":true"), 0);
    ck_assert_int_eq(times(plan, "m.own"), 3);
    ck_assert_int_eq(times(plan, "M-001"), 1);
    free(journal);
    free(plan);
}

TEST(merge_of_a_shard_that_was_cut_off_is_not_complete)
{
    static const struct shard shards[] = {{.index = 1, .of = 2}, {.index = 2, .of = 2}};
    char cut[4096], *text = NULL, *runs[2], names[2][100];
    size_t length;
    struct hn_error error = {0};
    for (int i = 0; i < 2; i++) {
        write_shard(i, &shards[i]);
        snprintf(names[i], sizeof names[i], "%s/%d", test_folder, i);
        runs[i] = names[i];
    }
    ck_assert_int_eq(hn_file_read(test_path("1/" HN_JOURNAL_FILE), 1 << 20, &text, &length, &error),
                     HN_OK);
    snprintf(cut, sizeof cut, "%.*s", (int)(strstr(text, "\"finish\"") - text), text);
    put(1, HN_JOURNAL_FILE, cut);
    free(text);
    ck_assert_int_eq(hn_merge(runs, 2, test_path("whole"), 0, &error), HN_OK);
    text = whole(HN_JOURNAL_FILE);
    ck_assert_ptr_nonnull(strstr(text, "\"complete\":false,\"why\":\"a shard is not complete\""));
    free(text);
}

TEST(merge_of_part_of_a_run_is_not_complete)
{
    static const struct shard shard = {.index = 2, .of = 3};
    char name[100], *runs[] = {name};
    struct hn_error error = {0};
    write_shard(0, &shard);
    snprintf(name, sizeof name, "%s/0", test_folder);
    ck_assert_int_eq(hn_merge(runs, 1, test_path("whole"), 1, &error), HN_OK);
    char *text = whole(HN_JOURNAL_FILE);
    ck_assert_ptr_nonnull(strstr(text, "\"complete\":false,\"why\":\"a shard is missing\""));
    free(text);
}

/* clang-format off */
static const struct {
    struct shard shards[RUNS];
    size_t count;
    const char *words; /* text that the message contains */
} refused[] = {
    {{{.index = 1, .of = 2, .target = "foo"}, {.index = 2, .of = 2, .target = "bar"}}, 2, "/1 is of another target than "},
    {{{.index = 1, .of = 2}, {.index = 2, .of = 2, .torch = "2.12.0"}}, 2, "/1 is of another torch version than "},
    {{{.index = 1, .of = 2}, {.index = 2, .of = 2, .git = "def"}}, 2, "another torch revision"},
    {{{.index = 1, .of = 2}, {.index = 2, .of = 2, .contract = "d2"}}, 2, ": \"d2\", not \"d1\""},
    {{{.index = 1, .of = 2}, {.index = 2, .of = 2, .select = "guard"}}, 2, "another selection"},
    {{{.index = 1, .of = 2}, {.index = 2, .of = 2, .seed = "7"}}, 2, "another seed"},
    {{{.index = 1, .of = 2}, {.index = 2, .of = 3}}, 2, "/1 is one of 3 shards, "},
    {{{.index = 1, .of = 2}}, 1, "shard 2 of 2 is missing"},
    {{{.index = 2, .of = 3}, {.index = 3, .of = 3}}, 2, "shard 1 of 3 is missing"},
    {{{.index = 1, .of = 2}, {.index = 2, .of = 2}, {.index = 2, .of = 2}}, 3, "/2 are both shard 2"},
    {{{.index = 1, .of = 2}, {.index = 3, .of = 2}}, 2, "calls itself shard 3 of 2"},
    {{{.index = 1, .of = 2}, {.index = 0, .of = 2}}, 2, "calls itself shard 0 of 2"},
    {{{.index = 1, .of = 2}, {.index = 2, .of = 2, .journal = ""}}, 2, "holds no run: its first line is missing"},
    {{{.index = 1, .of = 2}, {.index = 2, .of = 2, .journal = "{\"event\":\"run\",\"seed\":\"1\"}\n"}}, 2, "schema is missing"},
    {{{.index = 1, .of = 2}, {.index = 2, .of = 2, .journal = "words\n"}}, 2, "not JSON"},
    {{{.index = 1, .of = 2}, {.index = 2, .of = 2, .plan = "{\"jobs\":"}}, 2, "/1"},
    {{{.index = 1, .of = 2}, {.index = 2, .of = 2, .unplanned = "m.none"}}, 2, "names m.none, which the run did not plan"},
};
/* clang-format on */

TEST_EACH(merge_of_what_is_no_whole_run_is_refused_in_one_sentence, refused)
{
    char text[1000];
    struct hn_error error = {0};
    ck_assert_int_eq(merge(refused[_i].shards, refused[_i].count, &error), HN_EINPUT);
    hn_error_format(&error, text, sizeof text);
    ck_assert_msg(strstr(text, refused[_i].words) != NULL, "got \"%s\"", text);
    ck_assert_ptr_null(strchr(text, '\n'));
    ck_assert_int_eq(hn_path_exists(test_path("whole")), 0);
}

TEST(merge_of_nothing_or_of_a_folder_without_run_is_refused)
{
    char nowhere[] = "/nonexistent", *runs[] = {nowhere};
    struct hn_error error = {0};
    ck_assert_int_eq(hn_merge(runs, 0, test_folder, 0, &error), HN_EUSAGE);
    ck_assert_int_eq(hn_merge(runs, 1, test_folder, 0, &error), HN_ENOTFOUND);
}

TEST(merge_into_a_folder_with_a_run_is_refused)
{
    static const struct shard shards[] = {{.index = 1, .of = 1}};
    struct hn_error error = {0};
    ck_assert_int_eq(merge(shards, 1, &error), HN_OK);
    ck_assert_int_ne(merge(shards, 1, &error), HN_OK);
    ck_assert_ptr_nonnull(strstr(error.text, "whole/journal.jsonl"));
}
