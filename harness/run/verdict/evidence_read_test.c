/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests events.jsonl with a table of texts and expected results. Every text is also cut at each
 * position, because a truncated file must never look finished.
 */
#include "evidence_read.h"

#include <string.h>

#include "assay/check.h"
#include "buffer.h"
#include "evidence.h"
#include "test_folder.h"
#include "unit_test.h"

#define END(count)                                                                                 \
    "{\"event\":\"end\",\"nonce\":\"n1\",\"findings\":" count ",\"stored\":" count "}"
#define FAIL "{\"event\":\"finding\",\"kind\":\"fail\",\"what\":\"one\",\"seen\":\"two\"}\n"
#define SKIP "{\"event\":\"finding\",\"kind\":\"skip\",\"what\":\"has\",\"subject\":\"streams\"}\n"

static void read_text(const char *text, size_t length, struct hn_found *found)
{
    test_write("events.jsonl", text, length);
    hn_evidence_read(test_folder, "n1", found);
}

static const struct {
    const char *text;
    int end, findings, worst;
    const char *spoiled, *problem; /* substrings of them; NULL: "" */
} files[] = {
    {END("0") "\n", 1, 0, 0, NULL, NULL},
    {FAIL END("1") "\n", 1, 1, ASSAY_FINDING_FAIL, NULL, NULL},
    {SKIP FAIL SKIP END("3") "\n", 1, 3, ASSAY_FINDING_FAIL, NULL, NULL},
    {SKIP END("1") "\n", 1, 1, ASSAY_FINDING_SKIP, NULL, NULL},
    {"{\"event\":\"note\",\"key\":\"k\",\"text\":\"t\"}\n" END("0") "\n", 1, 0, 0, NULL, NULL},
    {"{\"event\":\"problem\",\"stage\":\"load\",\"text\":\"no\"}\n", 0, 0, 0, NULL, "no"},
    {"{\"event\":\"problem\",\"stage\":\"load\"}\n", 0, 0, 0, NULL, "no word why"},
    {FAIL, 0, 1, ASSAY_FINDING_FAIL, NULL, NULL},
    {"", 0, 0, 0, NULL, NULL},
    {"{\"event\":\"clause\",\"id\":\"A-1\"}\n" END("0") "\n", 1, 0, 0, NULL, NULL},
    {"{\"event\":\"clause\"}\n" END("0") "\n", 1, 0, 0, NULL, NULL},
    /* evidence that must not be trusted */
    {"{\"event\":\"clause\",\"id\":\"a name that no clause of any contract has\"}\n" END("0") "\n",
     0, 0, 0, "long name", NULL},
    {"{\"event\":\"end\",\"nonce\":\"n2\",\"findings\":0}\n", 0, 0, 0, "foreign nonce", NULL},
    {"{\"event\":\"end\",\"findings\":0}\n", 0, 0, 0, "foreign nonce", NULL},
    {"{\"event\":\"end\",\"nonce\":\"n1\"}\n", 0, 0, 0, "without its count", NULL},
    {"{\"event\":\"end\",\"nonce\":\"n1\",\"findings\":-1}\n", 0, 0, 0, "without its count", NULL},
    {FAIL END("2") "\n", 0, 1, ASSAY_FINDING_FAIL, "findings are missing", NULL},
    {FAIL END("0") "\n", 0, 1, ASSAY_FINDING_FAIL, "more than were reported", NULL},
    {END("0") "\n" END("0") "\n", 1, 0, 0, "after the end record", NULL},
    {END("0") "\n" FAIL, 1, 0, 0, "after the end record", NULL},
    {"{\"event\":\"finding\",\"kind\":\"victory\"}\n" END("1") "\n", 0, 0, 0, "an unknown kind",
     NULL},
    {"{\"event\":\"finding\"}\n" END("1") "\n", 0, 0, 0, "an unknown kind", NULL},
    {"{\"event\":\"note\",\"key\":\"k\"}\n" END("0") "\n", 0, 0, 0, "a note without", NULL},
    {"{\"event\":\"triumph\"}\n" END("0") "\n", 0, 0, 0, "an event of an unknown kind", NULL},
    {"{}\n" END("0") "\n", 0, 0, 0, "an event of an unknown kind", NULL},
    {"words\n" END("0") "\n", 0, 0, 0, "not JSON", NULL},
    {"\n" END("0") "\n", 0, 0, 0, "not JSON", NULL},
    {END("0"), 0, 0, 0, "a torn line", NULL},
};

TEST_FIXTURE(test_folder_make, test_folder_remove);

TEST_EACH(read_finds_what_a_text_says_and_nothing_else, files)
{
    struct hn_found found;
    read_text(files[_i].text, strlen(files[_i].text), &found);
    ck_assert_int_eq(found.end, files[_i].end);
    ck_assert_int_eq(found.finding_count, files[_i].findings);
    ck_assert_int_eq(found.worst, files[_i].worst);
    ck_assert_int_eq(found.spoiled[0] != '\0', files[_i].spoiled != NULL);
    ck_assert_msg(!files[_i].spoiled || strstr(found.spoiled, files[_i].spoiled), "got \"%s\"",
                  found.spoiled);
    ck_assert_str_eq(found.problem, files[_i].problem ? files[_i].problem : "");
}

TEST(read_of_a_text_cut_anywhere_has_no_end)
{
    static const char whole[] =
        SKIP "{\"event\":\"note\",\"key\":\"k\",\"text\":\"t\"}\n" FAIL END("2") "\n";
    struct hn_found found;
    for (size_t length = 0; length + 1 < sizeof whole; length++) {
        read_text(whole, length, &found);
        ck_assert_int_eq(found.end, 0);
        ck_assert_msg(length == 0 || whole[length - 1] == '\n' || found.spoiled[0], "at %zu",
                      length);
    }
    read_text(whole, sizeof whole - 1, &found);
    ck_assert_int_eq(found.end, 1);
    ck_assert_uint_eq(found.notes.count, 1);
    ck_assert_str_eq(found.notes.text, "k");
}

TEST(read_keeps_the_worst_finding_with_its_place)
{
    static const char text[] =
        SKIP "{\"event\":\"finding\",\"kind\":\"fail\",\"what\":\"w\",\"seen\":\"s\",\"file\":"
             "\"c.c\",\"line\":7}\n" FAIL END("3") "\n";
    struct hn_found found;
    read_text(text, sizeof text - 1, &found);
    ck_assert_str_eq(found.what, "w");
    ck_assert_str_eq(found.seen, "s");
    ck_assert_str_eq(found.file, "c.c");
    ck_assert_int_eq(found.line, 7);
    ck_assert_str_eq(found.subject, "");
}

TEST(read_counts_a_finding_for_its_clause_and_one_without_for_all)
{
    static const char text[] =
        "{\"event\":\"clause\",\"id\":\"A-1\"}\n"
        "{\"event\":\"finding\",\"kind\":\"noted\",\"clause\":\"A-1\"}\n"
        "{\"event\":\"finding\",\"kind\":\"fail\",\"clause\":\"A-2\"}\n" SKIP
        "{\"event\":\"finding\",\"kind\":\"fail\",\"clause\":\"A-1\"}\n" END("4");
    struct hn_found found;
    read_text(text, sizeof text - 1, &found);
    ck_assert_uint_eq(found.clause_count, 2);
    ck_assert_str_eq(found.clauses[0].id, "A-1");
    ck_assert_int_eq(found.clauses[0].worst, ASSAY_FINDING_FAIL);
    ck_assert_int_eq(found.clauses[1].worst, ASSAY_FINDING_FAIL);
    ck_assert_int_eq(found.worst_of_all, ASSAY_FINDING_SKIP);
    ck_assert_uint_eq(found.clause, 1);
}

TEST(read_gives_each_clause_that_was_written_its_finding)
{
    struct hn_found found;
    struct hn_evidence evidence;
    const struct assay_finding finding = {
        .struct_size = sizeof finding, .kind = ASSAY_FINDING_FAIL, .what = "w"};
    ck_assert_int_eq(hn_evidence_open(&evidence, test_folder, "n1"), 0);
    hn_evidence_clause(&evidence, "A-1");
    hn_evidence_clause(&evidence, "A-2");
    hn_evidence_finding(&evidence, &finding);
    hn_evidence_clause(&evidence, NULL);
    hn_evidence_end(&evidence);
    hn_evidence_close(&evidence);
    hn_evidence_read(test_folder, "n1", &found);
    ck_assert_str_eq(found.spoiled, "");
    ck_assert_uint_eq(found.clause_count, 2);
    ck_assert_int_eq(found.clauses[0].worst, 0);
    ck_assert_int_eq(found.clauses[1].worst, ASSAY_FINDING_FAIL);
    ck_assert_int_eq(found.worst_of_all, 0);
    ck_assert_uint_eq(found.clause, 0);
}

TEST(read_cuts_what_is_too_long_and_leaves_out_notes_without_room)
{
    struct hn_found found;
    struct hn_buffer text;
    hn_buffer_init(&text, 1 << 20);
    hn_buffer_puts(&text, "{\"event\":\"finding\",\"kind\":\"fail\",\"what\":\"");
    for (int i = 0; i < 2 * HN_OUTCOME_TEXT; i++)
        hn_buffer_putc(&text, 'x');
    hn_buffer_puts(&text, "\"}\n");
    for (int i = 0; i < 2 * HN_NOTES_TEXT / 16; i++)
        hn_buffer_printf(&text, "{\"event\":\"note\",\"key\":\"%d\",\"text\":\"12345678\"}\n", i);
    hn_buffer_puts(&text, END("1") "\n");
    read_text(text.text, text.length, &found);
    hn_buffer_finish(&text);
    ck_assert_int_eq(found.end, 1);
    ck_assert_uint_eq(strlen(found.what), HN_OUTCOME_TEXT - 1);
    ck_assert_uint_eq(found.notes.count, HN_NOTES_MOST);
}

TEST(read_without_a_file_finds_nothing_and_of_what_is_no_file_says_so)
{
    struct hn_found found;
    struct hn_error error;
    hn_evidence_read(test_folder, "n1", &found);
    ck_assert_int_eq(found.end, 0);
    ck_assert_str_eq(found.spoiled, "");
    ck_assert_int_eq(hn_dir_make(test_path("events.jsonl"), &error), HN_OK);
    hn_evidence_read(test_folder, "n1", &found);
    ck_assert_str_eq(found.spoiled, "it cannot be read");
}

static void write_findings(struct hn_evidence *evidence, int32_t kind, const char *seen, int count)
{
    const struct assay_finding finding = {
        .struct_size = sizeof finding, .kind = kind, .what = "w", .seen = seen};
    ck_assert_int_eq(hn_evidence_open(evidence, test_folder, "n1"), 0);
    for (int i = 0; i < count; i++)
        hn_evidence_finding(evidence, &finding);
}

TEST(read_keeps_the_worst_of_more_findings_than_are_stored)
{
    struct hn_found found;
    struct hn_evidence evidence;
    const struct assay_finding fail = {
        .struct_size = sizeof fail, .kind = ASSAY_FINDING_FAIL, .what = "at last"};
    write_findings(&evidence, ASSAY_FINDING_NOTED, "s", HN_FINDINGS_STORED);
    hn_evidence_finding(&evidence, &fail);
    hn_evidence_finding(&evidence, &fail);
    hn_evidence_end(&evidence);
    hn_evidence_close(&evidence);
    hn_evidence_read(test_folder, "n1", &found);
    ck_assert_str_eq(found.spoiled, "");
    ck_assert_int_eq(found.end, 1);
    ck_assert_int_eq(found.worst, ASSAY_FINDING_FAIL);
    ck_assert_str_eq(found.what, "at last");
    ck_assert_int_eq(found.finding_count, HN_FINDINGS_STORED + 2);
}

TEST(read_of_many_long_failures_and_notes_is_a_failure)
{
    char text[8000];
    struct hn_found found;
    struct hn_evidence evidence;
    memset(text, '\x01', sizeof text);
    text[sizeof text - 1] = '\0';
    write_findings(&evidence, ASSAY_FINDING_FAIL, text, 5000);
    for (int i = 0; i < 5000; i++)
        hn_evidence_note(&evidence, "k", text);
    hn_evidence_end(&evidence);
    hn_evidence_close(&evidence);
    hn_evidence_read(test_folder, "n1", &found);
    ck_assert_str_eq(found.spoiled, "");
    ck_assert_int_eq(found.worst, ASSAY_FINDING_FAIL);
    ck_assert_int_eq(found.finding_count, 5000);
}
