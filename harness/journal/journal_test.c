/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that every written record is read back, however its writer ended, and that changes of the
 * file by other programs are detected.
 */
#include "journal.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_folder.h"
#include "unit_test.h"

static char path[sizeof test_folder + 20];

static void begin(void)
{
    test_folder_make();
    snprintf(path, sizeof path, "%s/journal.jsonl", test_folder);
}

static const struct hn_planned planned[] = {{"a.b", HN_MUST, 0, ""}, {"a.c", HN_SHOULD, 1, "x.y"}};
static const char *const words[] = {"run", "--target=\xc3\xa9"};
static const struct hn_doubt doubts[] = {{"warning", "built for another torch"}};
static const int devices[] = {0, 1};
static const struct hn_note notes[] = {{"dtype", "int8"}, {"", "\x1b[31m"}};

static const struct hn_record records[] = {
    {.event = HN_EVENT_RUN,
     .run = {.date = "2026-11-22T10:00:00Z",
             .seed = "7",
             .checks = planned,
             .check_count = 2,
             .target = {"foo", "foo.yaml"},
             .torch = {"2.13.0", "abc", "/torch"},
             .contract = {3, "d1"},
             .shard = {2, 4},
             .select = "guard",
             .host = {"box", "Linux", "6.1", "x86_64", 2},
             .command = "assay run",
             .merged_from = {words, 2}}},
    {.event = HN_EVENT_PREFLIGHT, .preflight = {doubts, 1}},
    {.event = HN_EVENT_ISOLATION, .isolation = {"exec", "as told"}},
    {.event = HN_EVENT_TARGET,
     .target = {.device = "foo", .devices = devices, .device_count = 2, .claims_no = {words, 1}}},
    {.event = HN_EVENT_START, .start = {"a.b", "x.y", 1}},
    {.event = HN_EVENT_END,
     .end = {.id = "a.b",
             .armed = "x.y",
             .attempt = 1,
             .again = HN_AGAIN_RETRY,
             .verdict = HN_CRASH,
             .signal = "SIGSEGV",
             .duration_ms = 1.5,
             .rss_kib = (int64_t)1 << 40,
             .notes = notes,
             .note_count = 2}},
    {.event = HN_EVENT_RESUME, .resume = {"2026-11-22T11:00:00Z"}},
    {.event = HN_EVENT_END, .end = {.id = "a.b", .final = 1, .verdict = HN_PASS}},
    {.event = HN_EVENT_FINISH, .finish = {.complete = 1, .totals = {[HN_PASS] = 1}}},
};
#define RECORDS (sizeof records / sizeof *records)

static void write_records(struct hn_journal *journal, size_t from, size_t to)
{
    struct hn_error error = {0};
    for (size_t i = from; i < to; i++)
        ck_assert_int_eq(hn_journal_write(journal, &records[i], &error), HN_OK);
}

static void write_all(void)
{
    struct hn_journal journal;
    struct hn_error error = {0};
    ck_assert_int_eq(hn_journal_create(&journal, path, &error), HN_OK);
    write_records(&journal, 0, RECORDS);
    hn_journal_close(&journal);
}

static int count(void *context, const struct hn_record *record, struct hn_error *error)
{
    (void)record;
    (void)error;
    ++*(size_t *)context;
    return HN_OK;
}

static size_t count_records(struct hn_journal_gaps *gaps)
{
    size_t seen = 0;
    struct hn_error error = {0};
    ck_assert_msg(hn_journal_read(path, count, &seen, gaps, &error) == HN_OK, "%s", error.text);
    return seen;
}

/* Adds a line that assay never writes. */
static void add_line(const char *text)
{
    FILE *file = fopen(path, "a");
    fputs(text, file);
    fclose(file);
}

/* ---- written records are read back */

static int compare(void *context, const struct hn_record *read, struct hn_error *error)
{
    size_t *index = context;
    const struct hn_record *written = &records[(*index)++];
    (void)error;
    ck_assert_int_eq(read->event, written->event);
    ck_assert_int_eq(read->line, (int)*index);
    if (read->event == HN_EVENT_RUN) {
        ck_assert_uint_eq(read->run.check_count, 2);
        ck_assert_str_eq(read->run.checks[1].id, "a.c");
        ck_assert_int_eq(read->run.checks[1].level, HN_SHOULD);
        ck_assert_int_eq(read->run.checks[1].support, 1);
        ck_assert_str_eq(read->run.torch.path, "/torch");
        ck_assert_int_eq(read->run.contract.version, 3);
        ck_assert_int_eq(read->run.shard.of, 4);
        ck_assert_int_eq(read->run.host.processors, 2);
        ck_assert_str_eq(read->run.merged_from.items[1], words[1]);
    } else if (read->event == HN_EVENT_PREFLIGHT) {
        ck_assert_str_eq(read->preflight.findings[0].message, doubts[0].message);
    } else if (read->event == HN_EVENT_TARGET) {
        ck_assert_uint_eq(read->target.device_count, 2);
        ck_assert_int_eq(read->target.devices[1], 1);
        ck_assert_uint_eq(read->target.offers.count, 0);
        ck_assert_str_eq(read->target.claims_no.items[0], "run");
    } else if (read->event == HN_EVENT_END) {
        ck_assert_int_eq(read->end.verdict, written->end.verdict);
        ck_assert_int_eq(read->end.again, written->end.again);
        ck_assert_int_eq(read->end.final, written->end.final);
        ck_assert_str_eq(read->end.reason, "");
        ck_assert_int_eq(read->end.rss_kib, written->end.rss_kib);
        ck_assert_double_eq(read->end.duration_ms, written->end.duration_ms);
        for (size_t i = 0; i < written->end.note_count; i++)
            ck_assert_str_eq(read->end.notes[i].text, notes[i].text);
    } else if (read->event == HN_EVENT_FINISH) {
        ck_assert_uint_eq(read->finish.totals[HN_PASS], 1);
    }
    return HN_OK;
}

TEST_FIXTURE(begin, test_folder_remove);

TEST(read_gives_every_kind_of_record_as_it_was_written)
{
    size_t seen = 0;
    struct hn_journal_gaps gaps;
    struct hn_error error = {0};
    write_all();
    ck_assert_int_eq(hn_journal_read(path, compare, &seen, &gaps, &error), HN_OK);
    ck_assert_uint_eq(seen, RECORDS);
    ck_assert_int_eq(gaps.torn, 0);
    ck_assert_uint_eq(gaps.lines, 0);
}

TEST(head_lives_when_the_file_is_closed)
{
    struct hn_record *head;
    struct hn_error error = {0};
    write_all();
    ck_assert_int_eq(hn_journal_head(path, &head, &error), HN_OK);
    ck_assert_str_eq(head->run.merged_from.items[0], "run");
    hn_journal_head_destroy(head);
    ck_assert_int_eq(hn_journal_head("/nonexistent/journal.jsonl", &head, &error), HN_ENOTFOUND);
    ck_assert_ptr_null(head);
}

TEST(write_of_texts_that_JSON_makes_six_times_as_long_fits)
{
    char text[2048];
    struct hn_journal journal;
    struct hn_error error = {0};
    struct hn_notes many = {0};
    struct hn_note list[HN_NOTES_MOST];
    memset(text, '\x01', sizeof text);
    text[sizeof text - 1] = '\0';
    for (int i = 0; i < 10; i++)
        hn_notes_add(&many, "k", text);
    ck_assert_uint_eq(many.count, 3); /* there was no space for the fourth record */
    const size_t noted = hn_notes_list(&many, list);
    const struct hn_record end = {.event = HN_EVENT_END,
                                  .end = {.id = "a.b",
                                          .reason = text,
                                          .demand = text,
                                          .seen = text,
                                          .notes = list,
                                          .note_count = noted}};
    ck_assert_int_eq(hn_journal_create(&journal, path, &error), HN_OK);
    write_records(&journal, 0, 1);
    ck_assert_int_eq(hn_journal_write(&journal, &end, &error), HN_OK);
    hn_journal_close(&journal);
    ck_assert_uint_eq(count_records(NULL), 2);
}

/* ---- after the death of a writer */

static size_t line_ends(char *text, size_t length, size_t *ends)
{
    size_t found = 0;
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\n')
            ends[found++] = i + 1;
    return found;
}

TEST(read_of_a_journal_cut_at_every_byte_gives_the_whole_lines)
{
    char *text;
    size_t length, ends[RECORDS];
    struct hn_error error = {0};
    write_all();
    ck_assert_int_eq(hn_file_read(path, 1 << 20, &text, &length, &error), HN_OK);
    ck_assert_uint_eq(line_ends(text, length, ends), RECORDS);
    free(text);
    for (size_t size = length; size >= ends[0]; size--) {
        struct hn_journal_gaps gaps;
        size_t whole = 0;
        while (whole < RECORDS && ends[whole] <= size)
            whole++;
        ck_assert_int_eq(truncate(path, (off_t)size), 0);
        ck_assert_uint_eq(count_records(&gaps), whole);
        ck_assert_int_eq(gaps.torn, ends[whole - 1] != size);
    }
    ck_assert_int_eq(truncate(path, (off_t)ends[0] - 1), 0);
    ck_assert_int_eq(hn_journal_read(path, count, &length, NULL, &error), HN_EINPUT);
    ck_assert_str_eq(error.text, "holds no run: its first line is missing");
}

TEST(reopen_torn_journal_goes_on_behind_the_last_whole_line)
{
    struct hn_journal journal;
    struct hn_error error = {0};
    char *torn = calloc(1, 100000);
    write_all();
    /* longer than the part of the file that is searched at once */
    add_line(memset(torn, 'x', 99999));
    free(torn);
    ck_assert_int_eq(hn_journal_reopen(&journal, path, &error), HN_OK);
    write_records(&journal, 6, 7);
    hn_journal_close(&journal);
    ck_assert_uint_eq(count_records(NULL), RECORDS + 1);
}

TEST(read_loses_a_torn_line_in_the_middle_and_no_more)
{
    static const char *const torn[] = {"{\"event\":\"end\",\"id\":\"a{\"event\":\"start\"}\n", "\n",
                                       "{\"event\":\"fin\n"};
    struct hn_journal_gaps gaps;
    struct hn_journal journal;
    struct hn_error error = {0};
    write_all();
    for (size_t i = 0; i < sizeof torn / sizeof *torn; i++)
        add_line(torn[i]);
    ck_assert_int_eq(hn_journal_reopen(&journal, path, &error), HN_OK);
    write_records(&journal, 6, 7);
    write_records(&journal, 4, 5);
    hn_journal_close(&journal);
    ck_assert_uint_eq(count_records(&gaps), RECORDS + 2);
    ck_assert_uint_eq(gaps.lines, 3);
    ck_assert_int_eq(gaps.first.line, RECORDS + 1);
    ck_assert_ptr_nonnull(strstr(gaps.first.text, "not JSON"));
    ck_assert_int_eq(gaps.torn, 0);
}

TEST(read_of_a_sparse_journal_of_ten_gigabytes_takes_little_memory)
{
    struct hn_journal_gaps gaps;
    struct rusage before, after;
    write_all();
    const int file = open(path, O_WRONLY | O_APPEND);
    ck_assert_int_eq(ftruncate(file, (off_t)10 << 30), 0);
    ck_assert_int_eq(write(file, "\n{\"event\":\"resume\",\"date\":\"d\"}\n", 32), 32);
    close(file);
    getrusage(RUSAGE_SELF, &before);
    ck_assert_uint_eq(count_records(&gaps), RECORDS + 1);
    getrusage(RUSAGE_SELF, &after);
    ck_assert_uint_eq(gaps.lines, 1);
    ck_assert_ptr_nonnull(strstr(gaps.first.text, "is longer than the 8388608 bytes of a line"));
    ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, 64 << 10);
    ck_assert_int_eq(truncate(path, (off_t)10 << 30), 0);
    ck_assert_uint_eq(count_records(&gaps), RECORDS);
    ck_assert_int_eq(gaps.torn, 1);
}

/* ---- files that are rejected */

TEST(create_or_reopen_what_is_not_ours_to_write_is_refused)
{
    struct hn_journal first, second;
    struct hn_error error = {0};
    write_all();
    ck_assert_int_ne(hn_journal_create(&first, path, &error), HN_OK);
    ck_assert_ptr_nonnull(strstr(error.text, "journal.jsonl"));
    ck_assert_int_eq(hn_journal_reopen(&first, path, &error), HN_OK);
    ck_assert_int_eq(hn_journal_reopen(&second, path, &error), HN_EINPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "is being written by another run"));
    hn_journal_close(&first);
    ck_assert_int_eq(truncate(path, (off_t)1 << 30), 0);
    ck_assert_int_eq(hn_journal_reopen(&first, path, &error), HN_EINPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "does not end with a complete line"));
}

#define HEAD                                                                                       \
    "{\"event\":\"run\",\"schema\":\"assay/journal/1\",\"date\":\"d\",\"seed\":\"1\",\"checks\":[" \
    "]}\n"

TEST(read_of_forged_records_is_refused_in_words)
{
    static const struct {
        const char *text, *words;
        int line;
    } rows[] = {
        {"{\"event\":\"resume\",\"date\":\"d\"}\n", "must be the first", 1},
        {"garbage\n", "not JSON", 1},
        {"[]\n", "the document must be an object, not an array", 1},
        {"{\"event\":\"run\",\"schema\":\"assay/journal/9\"}\n",
         "is of schema \"assay/journal/9\"; this program reads assay/journal/1", 1},
        {HEAD HEAD, "is a second record of a run", 2},
        {HEAD "{\"event\":\"end\",\"id\":\"a.b\"}\n", "attempt is missing", 2},
        {HEAD "{\"event\":\"start\",\"id\":\"a.b\",\"attempt\":-1}\n",
         "attempt is -1; it must lie between 0 and ", 2},
        {HEAD "{\"event\":\"start\",\"id\":7,\"attempt\":1}\n", "id must be text, not a number", 2},
        {HEAD "{\"event\":\"end\",\"id\":\"a\",\"attempt\":1,\"final\":true,\"verdict\":\"great\"}"
              "\n",
         "has an unknown verdict \"great\"", 2},
        {HEAD "{\"event\":\"preflight\",\"findings\":[{\"severity\":\"error\"}]}\n",
         "findings[0].message is missing", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t seen = 0;
        struct hn_error error = {0};
        test_write("journal.jsonl", rows[i].text, strlen(rows[i].text));
        ck_assert_int_eq(hn_journal_read(path, count, &seen, NULL, &error), HN_EINPUT);
        ck_assert_msg(strstr(error.text, rows[i].words) != NULL, "got \"%s\"", error.text);
        ck_assert_int_eq(error.line, rows[i].line);
    }
    unlink(path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(hn_journal_read(path, count, NULL, NULL, NULL), HN_EINPUT);
}

TEST(read_passes_over_kinds_of_a_newer_writer)
{
    write_all();
    add_line("{\"event\":\"weather\",\"id\":{}}\n");
    ck_assert_uint_eq(count_records(NULL), RECORDS);
}

/* ---- failed writes */

TEST(short_write_is_taken_back_and_nothing_follows_it)
{
    struct hn_journal journal;
    struct hn_journal_gaps gaps;
    struct hn_error error = {0}, later = {0};
    struct stat facts;
    ck_assert_int_eq(hn_journal_create(&journal, path, &error), HN_OK);
    write_records(&journal, 0, 4);
    ck_assert_int_eq(stat(path, &facts), 0);
    const struct rlimit full = {(rlim_t)facts.st_size + 10, RLIM_INFINITY},
                        room = {RLIM_INFINITY, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
    ck_assert_int_eq(hn_journal_write(&journal, &records[4], &error), HN_ESYSTEM);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &room), 0);
    ck_assert_ptr_nonnull(strstr(error.text, "no room left"));
    ck_assert_int_eq(hn_journal_write(&journal, &records[4], &later), HN_ESYSTEM);
    ck_assert_str_eq(later.text, error.text);
    hn_journal_close(&journal);
    ck_assert_uint_eq(count_records(&gaps), 4);
    ck_assert_int_eq(gaps.torn, 0);
}

static void shorten(void)
{
    ck_assert_int_eq(truncate(path, 10), 0);
}
static void lengthen(void)
{
    add_line("{}\n");
}
static void take_away(void)
{
    unlink(path);
}

TEST_TIMES(write_notices_what_others_did_to_the_file, 3)
{
    static const struct {
        void (*harm)(void);
        const char *words;
    } rows[] = {{shorten, "it has 10 bytes, the run wrote "},
                {lengthen, "changed by someone else"},
                {take_away, "removed by someone else"}};
    struct hn_journal journal;
    struct hn_error error = {0};
    ck_assert_int_eq(hn_journal_create(&journal, path, &error), HN_OK);
    write_records(&journal, 0, 4);
    rows[_i].harm();
    ck_assert_int_eq(hn_journal_write(&journal, &records[4], &error), HN_EINPUT);
    ck_assert_msg(strstr(error.text, rows[_i].words) != NULL, "got \"%s\"", error.text);
    hn_journal_close(&journal);
}
