/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of the catalogue with a valid folder, testdata/good, and with copies of it that have one
 * kind of error each. The tests of the command test the contract of this tree.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "buffer.h"
#include "catalogue.h"
#include "file.h"
#include "test_folder.h"
#include "unit_test.h"

#define CONFORMANCE "conformance.yaml"
#define FAULTS "faults.tsv"
#define AMP "suites/amp/contract.yaml"
#define AMP_CODE "suites/amp/test_amp.py"
#define GUARD "suites/guard/contract.yaml"
#define GUARD_CODE "suites/guard/check_guard.c"
#define EDITS 4

static struct hn_findings findings;

static struct hn_catalogue *load_from(const char *folder, const char *list)
{
    char faults[700], listed[700];
    struct hn_catalogue *catalogue;
    snprintf(faults, sizeof faults, "%s/" FAULTS, folder);
    snprintf(listed, sizeof listed, "%s/%s", TEST_DATA, list ? list : "");
    hn_findings_init(&findings);
    hn_catalogue_load(folder, faults, NULL, list ? listed : NULL, &catalogue, &findings);
    return catalogue;
}

static struct hn_catalogue *load_good(const char *list)
{
    return load_from(TEST_DATA "/good", list);
}

/* `from` becomes `to` in a file of the valid folder. If `from` is NULL, the file is left out. */
struct edit {
    const char *file, *from, *to;
};

/* Edits, and the expected findings of the loader, one per line. */
struct wrong {
    struct edit edits[EDITS];
    const char *says;
};

/* clang-format off */
static const struct wrong wrong[] = {
    {{{GUARD, "DEV-001, faults", "DEV-001, builds_on: [guard.exchange], faults"},
      {CONFORMANCE, "registrations: [guard.registered]\n", ""}},
     GUARD ":5:56: checks build on each other in a cycle: guard.registered -> guard.exchange -> guard.registered\n"},
    {{{GUARD_CODE, "    {\"guard.exchange\"", "    {\"guard.registered\", again},\n    {\"guard.exchange\""}},
     GUARD_CODE ":4: check guard.registered is already written in suites/guard/check_guard.c line 3\n"},
    {{{GUARD_CODE, "guard.exchange", "guard.exchanges"},
      {AMP_CODE, "        More words.\"\"\"\n", "        More words.\"\"\"\n\n    def test_no_id(self):\n        self.x = 1\n"}},
     GUARD ":6:10: check guard.exchange has no code in suites/guard/check_*.c or test_*.py; did you mean \"guard.exchanges\"?\n"
     AMP_CODE ":11: a test method begins with its check's id: \"\"\"amp.what_it_shows\"\"\"\n"
     GUARD_CODE ":4: no contract.yaml has a check \"guard.exchanges\"; did you mean \"guard.exchange\"?\n"},
    {{{GUARD, "id: DEV-002", "id: DEV-001"},
      {GUARD, "id: guard.exchange, covers: [DEV-002], builds_on: [guard.registered]", "id: guard.registered, covers: [DEV-001]"}},
     GUARD ":3:10: DEV-001 is already defined in " GUARD " line 2; ids are never reused\n"
     GUARD ":6:10: guard.registered is already defined in " GUARD " line 5; ids are never reused\n"
     GUARD ":6:10: check guard.registered has no code in suites/guard/check_*.c or test_*.py\n"
     GUARD_CODE ":4: no contract.yaml has a check \"guard.exchange\"\n"},
    {{{FAULTS, "\tAnswers wrongly.\tDEV-001\t", ""}},
     FAULTS ":1: a fault has 5 columns; build again\n"},
    {{{AMP, NULL, NULL}, {AMP_CODE, NULL, NULL}, {CONFORMANCE, ", probe: amp.lists", ""}},
     "cannot open " AMP ": No such file or directory\n"},
    {{{CONFORMANCE, "contract: 3\n", ""}, {CONFORMANCE, " may: It may.,", ""}, {CONFORMANCE, " title: Guard,", ""}},
     CONFORMANCE ":1:1: \"contract\" is missing here\n"
     CONFORMANCE ":1:9: \"may\" is missing here\n"
     CONFORMANCE ":8:10: \"title\" is missing here\n"},
    {{{GUARD, ", why: Nothing works without.", ""}, {GUARD, " text: Exchange returns what was current.,", ""},
      {GUARD, " covers: [DEV-002],", ""}},
     GUARD ":2:10: DEV-001 has a check, so it needs a \"why\": what breaks for a user\n"
     GUARD ":3:5: \"text\" is missing here\n"
     GUARD ":6:5: \"covers\" is missing here: a check must cover at least one requirement\n"},
    {{{CONFORMANCE, "probe: amp.lists", "probe: amp.lists, refusal: amp.refused"}},
     CONFORMANCE ":4:52: no check is called \"amp.refused\"\n"},
    {{{CONFORMANCE, "prefix: AMP", "prefix: DEV"}},
     CONFORMANCE ":10:17: prefix DEV belongs to module guard\n"
     AMP ":2:10: \"AMP-001\" must look like DEV-001: ids of module amp begin with DEV\n"
     AMP ":3:10: \"AMP-002\" must look like DEV-001: ids of module amp begin with DEV\n"
     AMP ":4:10: \"AMP-003\" must look like DEV-001: ids of module amp begin with DEV\n"},
    {{{CONFORMANCE, "prefix: AMP", "prefx: AMP"}, {GUARD, "level: should", "levl: should"},
      {GUARD, "covers: DEV-001", "cover: DEV-001"}, {GUARD, "builds_on", "build_on"}},
     CONFORMANCE ":10:8: \"prefix\" is missing here\n"
     CONFORMANCE ":10:9: unknown key \"prefx\"; did you mean \"prefix\"?\n"
     GUARD ":3:5: \"level\" is missing here\n"
     GUARD ":3:19: unknown key \"levl\"; did you mean \"level\"?\n"
     GUARD ":5:5: \"covers\" is missing here: a check must cover at least one requirement\n"
     GUARD ":5:28: unknown key \"cover\"; did you mean \"covers\"?\n"
     GUARD ":6:45: unknown key \"build_on\"; did you mean \"builds_on\"?\n"},
    {{{AMP, "capability: amp", "capability: anp"}, {GUARD, "[guard.wrong]", "[guard.wrongg]"},
      {GUARD, "[DEV-002]", "[DEV-202]"}, {GUARD, "builds_on: [guard.registered]", "builds_on: [guard.registred]"}},
     AMP ":2:92: conformance.yaml lists no capability that is called \"anp\"; did you mean \"amp\"?\n"
     GUARD ":5:54: the list of faults has no \"guard.wrongg\"; did you mean \"guard.wrong\"?\n"
     GUARD ":6:35: no requirement is called \"DEV-202\"; did you mean \"DEV-002\"?\n"
     GUARD ":6:57: no check is called \"guard.registred\"; did you mean \"guard.registered\"?\n"},
    {{{AMP, "subject: core, needs_device: gate", "subject: cure, needs_device: gates"},
      {AMP, "process: fresh, expect: {signal: SIGABRT}", "process: clean, expect: {signal: SIGABORT}"},
      {GUARD, "level: must", "level: most"}, {GUARD, "devices: 2", "devices: 99"}},
     AMP ":2:106: \"cure\" is none of: backend, core; did you mean \"core\"?\n"
     AMP ":2:126: \"gates\" is none of: gate, inject, counters; did you mean \"gate\"?\n"
     AMP ":9:49: \"clean\" is none of: shared, fresh\n"
     AMP ":9:73: \"SIGABORT\" is none of: SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGKILL; did you mean \"SIGABRT\"?\n"
     GUARD ":2:26: \"most\" is none of: must, should, may, advisory; did you mean \"must\"?\n"
     GUARD ":6:85: 99 is out of range; from 0 to 16\n"},
    {{{AMP, "AMP-002, reason", "AMP-001, reason"}},
     AMP ":6:10: AMP-001 has a check: it does not belong in the untested list\n"},
    {{{GUARD, "Nothing works without.", "Nothing works without., anchor: guard.h and more"},
      {GUARD, "Guards restore it.", "Guards restore it., anchor: guard.h:exchangeDevice; ops.yaml:mm,\n"
       "     about: [guard.exchange, aten::mm.out, exchangeDevice, guard.exchangeDevice]"}},
     GUARD ":2:5: DEV-001 has a check, so it needs \"about\": what the clause is about, or [] if it is about no single thing of the backend\n"
     GUARD ":2:90: an anchor is FILE, FILE:Class::member or a name, with or without a note in brackets after it; \"; \" separates anchors\n"
     GUARD ":4:13: DEV-002 is about 4 things; name at most 3: the rest are means\n"
     GUARD ":4:13: DEV-002 says that it is about guard.exchange, but its anchor has no \"exchange\"\n"
     GUARD ":4:13: \"exchangeDevice\" does not name a means: write an operator like aten::mm, or guard., hooks., allocator., generator., module., keyword., device. and a name\n"},
    {{{GUARD, "Nothing works without.", "Nothing works without.,\n     disputed: {by: ACME, since: 2026-02-30, issue: \"http://example.org/1\", "
       "against: No header says so., check: guard.exchange}"},
      {GUARD, "Guards restore it.", "Guards restore it.,\n     disputed: {by: ACME, since: 2026-11-26, issue: \"https://example.org/2\", "
       "against: It may., for: The CPU does., whom: nobody}"}},
     GUARD ":3:16: \"for\" is missing here\n"
     GUARD ":3:34: \"2026-02-30\" is not a date, such as 2026-11-26\n"
     GUARD ":3:53: \"http://example.org/1\" is not a link, which begins with https://\n"
     GUARD ":3:113: no check \"guard.exchange\" covers DEV-001\n"
     GUARD ":5:116: unknown key \"whom\"\n"},
    {{{GUARD, "id: DEV-002", "id: GUARD-2"}, {GUARD, "id: guard.exchange, covers: [DEV-002]", "id: Guard.Exchange, covers: [GUARD-2]"}},
     GUARD ":3:10: \"GUARD-2\" must look like DEV-001: ids of module guard begin with DEV\n"
     GUARD ":6:10: \"Guard.Exchange\" must look like guard.what_it_shows, in small letters\n"
     GUARD ":6:10: check Guard.Exchange has no code in suites/guard/check_*.c or test_*.py; did you mean \"guard.exchange\"?\n"
     GUARD_CODE ":4: no contract.yaml has a check \"guard.exchange\"; did you mean \"Guard.Exchange\"?\n"},
};
/* clang-format on */

TEST_FIXTURE(test_folder_make, test_folder_remove);

static void edit_text(const struct edit *edit, char **text)
{
    struct hn_buffer edited;
    const char *at = strstr(*text, edit->from);
    ck_assert_msg(at != NULL, "%s: no %s", edit->file, edit->from);
    hn_buffer_init(&edited, 1 << 16);
    hn_buffer_printf(&edited, "%.*s%s%s", (int)(at - *text), *text, edit->to,
                     at + strlen(edit->from));
    free(*text);
    *text = strdup(edited.text);
    hn_buffer_finish(&edited);
}

static void copy_file(const char *name, const struct wrong *row)
{
    char path[600], *text;
    int is_left_out = 0;
    snprintf(path, sizeof path, TEST_DATA "/good/%s", name);
    ck_assert_int_eq(hn_file_read(path, 1 << 16, &text, NULL, NULL), HN_OK);
    for (const struct edit *edit = row->edits; edit < row->edits + EDITS && edit->file; edit++) {
        if (strcmp(edit->file, name) != 0)
            continue;
        is_left_out |= !edit->from;
        if (edit->from)
            edit_text(edit, &text);
    }
    if (!is_left_out)
        test_write(name, text, strlen(text));
    free(text);
}

/* One line per finding, without the folder of this test. */
static void say_findings(struct hn_buffer *said)
{
    const size_t root = strlen(test_folder) + 1;
    for (size_t i = 0; i < findings.count; i++) {
        char line[1100], *inside;
        hn_error_format(&findings.items[i], line, sizeof line);
        while ((inside = strstr(line, test_folder)))
            memmove(inside, inside + root, strlen(inside + root) + 1);
        hn_buffer_printf(said, "%s\n", line);
    }
}

TEST_EACH(catalogue_load_of_a_wrong_folder_says_what_is_wrong, wrong)
{
    static const char *const folders[] = {"suites", "suites/amp", "suites/guard"};
    static const char *const files[] = {CONFORMANCE, FAULTS, AMP, AMP_CODE, GUARD, GUARD_CODE};
    struct hn_buffer said;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        ck_assert_int_eq(mkdir(test_path(folders[i]), 0700), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        copy_file(files[i], &wrong[_i]);
    hn_buffer_init(&said, 1 << 16);
    ck_assert_ptr_null(load_from(test_folder, NULL));
    say_findings(&said);
    ck_assert_str_eq(said.text, wrong[_i].says);
    hn_buffer_finish(&said);
    hn_findings_finish(&findings);
}

TEST(catalogue_load_of_a_good_folder_links_everything)
{
    struct hn_catalogue *catalogue = load_good(NULL);
    ck_assert_uint_eq(findings.count, 0);
    const struct hn_check *check = hn_catalogue_check(catalogue, "guard.exchange");
    ck_assert_int_eq(catalogue->version, 3);
    ck_assert_uint_eq(catalogue->check_count, 4);
    ck_assert_ptr_eq(check->builds_on[0], hn_catalogue_check(catalogue, "guard.registered"));
    ck_assert_uint_eq(check->builds_on[0]->fails_with_count, 0);
    ck_assert_uint_eq(check->fails_with_count, 1);
    ck_assert_ptr_eq(check->fails_with[0], check->builds_on[0]);
    ck_assert_int_eq(check->level, HN_SHOULD);
    ck_assert_int_eq(check->kind, HN_NATIVE);
    ck_assert_str_eq(check->file, "suites/guard/check_guard.c");
    ck_assert_int_eq(check->line, 4);
    ck_assert_int_eq(check->devices, 2);
    ck_assert_int_eq(check->subject, HN_BACKEND);
    ck_assert_str_eq(check->words.summary, "Exchange returns what was current.");
    const struct hn_check *python = hn_catalogue_check(catalogue, "amp.lists");
    ck_assert_int_eq(python->kind, HN_PYTHON);
    ck_assert_int_eq(python->subject, HN_CORE);
    ck_assert_int_eq(python->fresh, 1);
    ck_assert_int_eq(python->expect_signal, 6);
    ck_assert_uint_eq(python->needs, HN_NEEDS_GATE);
    ck_assert(hn_texts_contain(&python->capabilities, "amp"));
    ck_assert_uint_eq(hn_catalogue_check(catalogue, "amp.without")->capabilities.count, 0);
    ck_assert_str_eq(hn_catalogue_requirement(catalogue, "AMP-002")->untested, "nobody can see it");
    ck_assert_str_eq(hn_catalogue_requirement(catalogue, "AMP-003")->listed, "assay ops");
    ck_assert_ptr_null(hn_catalogue_requirement(catalogue, "AMP-002")->listed);
    ck_assert_ptr_eq(hn_catalogue_capability(catalogue, "amp")->probe, python);
    ck_assert_str_eq(hn_catalogue_fault(catalogue, "guard.wrong")->layer, "integration");
    ck_assert_ptr_null(hn_catalogue_check(catalogue, "guard.absent"));
    ck_assert_ptr_null(hn_catalogue_fault(catalogue, "absent"));
    ck_assert_ptr_null(hn_catalogue_module(catalogue, "absent"));
    hn_catalogue_destroy(catalogue);
}

TEST(catalogue_digest_changes_with_words_only)
{
    struct hn_catalogue *one = load_good(NULL), *same = load_good(NULL);
    ck_assert_str_eq(one->digest, same->digest);
    ck_assert_uint_eq(strlen(one->digest), 16);
    hn_catalogue_destroy(one);
    hn_catalogue_destroy(same);
}

TEST(catalogue_load_with_a_list_links_it_like_what_is_written)
{
    struct hn_catalogue *catalogue = load_good("listed.json");
    const struct hn_check *check = hn_catalogue_check(catalogue, "amp.Add_.float32");
    ck_assert_uint_eq(catalogue->check_count, 6);
    ck_assert_str_eq(check->file, "suites/amp/test_listed.py");
    ck_assert_int_eq(check->kind, HN_PYTHON);
    ck_assert_str_eq(check->covers[0]->id, "AMP-001");
    ck_assert_ptr_eq(check->builds_on[0], hn_catalogue_check(catalogue, "guard.registered"));
    ck_assert_int_eq(check->timeout, 9);
    hn_catalogue_destroy(catalogue);
}

TEST(catalogue_load_with_a_wrong_list_says_each_line)
{
    ck_assert_ptr_null(load_good("wrong_list.json"));
    ck_assert_uint_eq(findings.count, 3);
    ck_assert_str_eq(findings.items[0].text,
                     "\"guard.add\" must look like amp.what_it_shows, in small letters");
    ck_assert_int_eq(findings.items[0].line, 2);
    ck_assert(strstr(findings.items[1].text, "amp.lists is already defined"));
    ck_assert_str_eq(findings.items[2].text,
                     "no requirement is called \"AMP-009\"; did you mean \"AMP-001\"?");
    hn_findings_finish(&findings);
}
