/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of the catalogue with golden folders that have one kind of error each (testdata/<case>/ and
 * its `expected`), and a valid folder. The tests of the command test the contract of this tree.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "catalogue.h"
#include "file.h"
#include "unit_test.h"

static struct hn_findings findings;

static struct hn_catalogue *load_listed(const char *name, const char *list)
{
    char folder[600], listed[700];
    struct hn_catalogue *catalogue;
    snprintf(folder, sizeof folder, "%s/%s", TEST_DATA, name);
    snprintf(listed, sizeof listed, "%s/%s", TEST_DATA, list);
    hn_findings_init(&findings);
    hn_catalogue_load(folder, NULL, NULL, listed, &catalogue, &findings);
    return catalogue;
}

static struct hn_catalogue *load(const char *name)
{
    char folder[600], faults[700];
    struct hn_catalogue *catalogue;
    snprintf(folder, sizeof folder, "%s/%s", TEST_DATA, name);
    snprintf(faults, sizeof faults, "%s/faults.tsv", folder);
    hn_findings_init(&findings);
    hn_catalogue_load(folder, faults, NULL, NULL, &catalogue, &findings);
    return catalogue;
}

/* One line per finding, without the path on this machine. */
static void say_findings(struct hn_buffer *said)
{
    for (size_t i = 0; i < findings.count; i++) {
        char line[1100];
        struct hn_error *error = &findings.items[i];
        const size_t root = strlen(TEST_DATA) + 1;
        if (strncmp(error->file, TEST_DATA, root - 1) == 0)
            memmove(error->file, error->file + root, strlen(error->file + root) + 1);
        char *inside = strstr(error->text, TEST_DATA "/");
        if (inside)
            memmove(inside, inside + root, strlen(inside + root) + 1);
        hn_error_format(error, line, sizeof line);
        hn_buffer_printf(said, "%s\n", line);
    }
}

static void compare(const char *name)
{
    char path[600], *expected;
    struct hn_buffer said;
    size_t length;
    hn_buffer_init(&said, 1 << 16);
    struct hn_catalogue *catalogue = load(name);
    say_findings(&said);
    snprintf(path, sizeof path, "%s/%s/expected", TEST_DATA, name);
    if (getenv("GOLDEN_WRITE"))
        ck_assert_int_eq(hn_file_write(path, said.text, said.length, NULL), HN_OK);
    ck_assert_msg(hn_file_read(path, 1 << 16, &expected, &length, NULL) == HN_OK, "%s", path);
    ck_assert_str_eq(said.text, expected);
    ck_assert_int_eq(!catalogue, length > 0);
    free(expected);
    hn_catalogue_destroy(catalogue);
    hn_findings_finish(&findings);
    hn_buffer_finish(&said);
}

TEST(catalogue_load_of_wrong_folders_says_what_is_expected)
{
    struct dirent **entries;
    int cases = 0;
    const int count = scandir(TEST_DATA, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.' && !strchr(entries[i]->d_name, '.')) {
            compare(entries[i]->d_name);
            cases++;
        }
        free(entries[i]);
    }
    free(entries);
    ck_assert_int_ge(cases, 9);
}

TEST(catalogue_load_of_a_good_folder_links_everything)
{
    struct hn_catalogue *catalogue = load("good");
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
    struct hn_catalogue *one = load("good"), *same = load("good");
    ck_assert_str_eq(one->digest, same->digest);
    ck_assert_uint_eq(strlen(one->digest), 16);
    hn_catalogue_destroy(one);
    hn_catalogue_destroy(same);
}

TEST(catalogue_load_with_a_list_links_it_like_what_is_written)
{
    struct hn_catalogue *catalogue = load_listed("good", "listed.json");
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
    ck_assert_ptr_null(load_listed("good", "wrong_list.json"));
    ck_assert_uint_eq(findings.count, 3);
    ck_assert_str_eq(findings.items[0].text,
                     "\"guard.add\" must look like amp.what_it_shows, in small letters");
    ck_assert_int_eq(findings.items[0].line, 2);
    ck_assert(strstr(findings.items[1].text, "amp.lists is already defined"));
    ck_assert_str_eq(findings.items[2].text,
                     "no requirement is called \"AMP-009\"; did you mean \"AMP-001\"?");
    hn_findings_finish(&findings);
}
