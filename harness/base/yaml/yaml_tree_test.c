/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of the tree and its getters. golden_test.c has the tests with malformed files.
 */
#include <stdio.h>
#include <string.h>

#include "unit_test.h"
#include "yaml_tree.h"

static struct hn_findings findings;
static struct hn_yaml_document *document;
static const struct hn_yaml *root;

static void parse(const char *text)
{
    hn_findings_init(&findings);
    ck_assert_int_eq(hn_yaml_parse(text, strlen(text), "f.yaml", &document, &root, &findings),
                     HN_OK);
}

static void finish(void)
{
    hn_yaml_destroy(document);
    hn_findings_finish(&findings);
}

static void expect_only_finding(int line, int column, const char *text)
{
    ck_assert_uint_eq(findings.count, 1);
    ck_assert_str_eq(findings.items[0].text, text);
    ck_assert_int_eq(findings.items[0].line, line);
    ck_assert_int_eq(findings.items[0].column, column);
    ck_assert_str_eq(findings.items[0].file, "f.yaml");
    hn_findings_finish(&findings);
}

TEST(yaml_parse_refuses_a_map_of_very_many_keys_at_once)
{
    static char text[200000 * 12];
    size_t length = 0;
    for (int i = 0; i < 200000; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "k%d: 1\n", i);
    hn_findings_init(&findings);
    ck_assert_int_eq(hn_yaml_parse(text, length, "f.yaml", &document, &root, &findings), HN_EINPUT);
    expect_only_finding(1001, 1, "a map holds at most 1000 keys");
}

TEST(yaml_parse_keeps_places_order_and_quotes)
{
    parse("b: 1\na:\n  - x\n  - 'yes'\nc: >-\n  folded\n  text\n");
    ck_assert_uint_eq(root->count, 3);
    const struct hn_yaml *a = hn_yaml_find(root, "a");
    ck_assert_str_eq(root->first->key, "b");
    ck_assert_int_eq(a->kind, HN_YAML_LIST);
    ck_assert_int_eq(a->key_line, 2);
    ck_assert_int_eq(a->first->line, 3);
    ck_assert_int_eq(a->first->column, 5);
    ck_assert_int_eq(a->first->quoted, 0);
    ck_assert_int_eq(a->first->next->quoted, 1);
    ck_assert_str_eq(hn_yaml_find(root, "c")->text, "folded text");
    ck_assert_ptr_null(hn_yaml_find(root, "d"));
    ck_assert_ptr_null(hn_yaml_find(a, "x"));
    finish();
}

TEST(yaml_getters_of_absent_members_leave_the_output)
{
    const char *text = "default";
    int64_t number = 5;
    parse("a: 1\n");
    ck_assert_int_eq(hn_yaml_text(root, "x", &text, &findings), HN_OK);
    ck_assert_int_eq(hn_yaml_integer(root, "x", 0, 9, &number, &findings), HN_OK);
    ck_assert_str_eq(text, "default");
    ck_assert_int_eq(number, 5);
    ck_assert_uint_eq(findings.total, 0);
    finish();
}

TEST(yaml_getters_of_wrong_values_say_what_they_want)
{
    const char *text = NULL;
    int64_t number = 0;
    int yes = 0;
    parse("n: seven\nbig: 12\nb: maybe\nq: 'yes'\nlist: [1]\nnone:\nmap: {a: 1}\nempty: ''\n");
    hn_yaml_integer(root, "n", 0, 9, &number, &findings);
    expect_only_finding(1, 4, "\"seven\" is not a whole number");
    hn_yaml_integer(root, "big", 0, 9, &number, &findings);
    expect_only_finding(2, 6, "12 is out of range; from 0 to 9");
    hn_yaml_as_boolean(hn_yaml_find(root, "b"), &yes, &findings);
    expect_only_finding(3, 4, "\"maybe\" is neither yes nor no");
    hn_yaml_as_boolean(hn_yaml_find(root, "q"), &yes, &findings);
    expect_only_finding(4, 4, "\"q\" must be yes or no, not text");
    hn_yaml_text(root, "list", &text, &findings);
    expect_only_finding(5, 7, "\"list\" must be text, not a list");
    hn_yaml_text(root, "none", &text, &findings);
    expect_only_finding(6, 6, "\"none\" must be text, not nothing");
    hn_yaml_text(root, "empty", &text, &findings);
    expect_only_finding(8, 8, "\"empty\" must be text, not empty text");
    hn_yaml_is_list(hn_yaml_find(root, "map"), &findings);
    expect_only_finding(7, 6, "\"map\" must be a list, not a map");
    hn_yaml_is_map(hn_yaml_find(root, "list"), &findings);
    expect_only_finding(5, 7, "\"list\" must be a map, not a list");
    ck_assert_ptr_null(text);
    finish();
}

TEST(yaml_boolean_takes_four_words)
{
    static const char *const texts[] = {"b: yes\n", "b: true\n", "b: no\n", "b: false\n"};
    for (int i = 0; i < 4; i++) {
        int yes = -1;
        parse(texts[i]);
        ck_assert_int_eq(hn_yaml_as_boolean(hn_yaml_find(root, "b"), &yes, &findings), HN_OK);
        ck_assert_int_eq(yes, i < 2);
        finish();
    }
}

TEST(yaml_choice_of_an_unknown_name_suggests)
{
    static const char *const names[] = {"must", "should", "may"};
    size_t index = 7;
    parse("level: shold\nother: may\n");
    ck_assert_int_eq(hn_yaml_choice(root, "level", names, 3, &index, &findings), HN_EINPUT);
    ck_assert_uint_eq(index, 7);
    expect_only_finding(1, 8, "\"shold\" is none of: must, should, may; did you mean \"should\"?");
    ck_assert_int_eq(hn_yaml_choice(root, "other", names, 3, &index, &findings), HN_OK);
    ck_assert_uint_eq(index, 2);
    finish();
}

TEST(yaml_only_keys_reports_every_unknown_one)
{
    static const char *const keys[] = {"covers", "builds_on"};
    parse("cover: 1\nbuilds_on: 2\nzzz: 3\n");
    ck_assert_int_eq(hn_yaml_only_keys(root, keys, 2, &findings), HN_EINPUT);
    ck_assert_uint_eq(findings.count, 2);
    ck_assert_str_eq(findings.items[0].text, "unknown key \"cover\"; did you mean \"covers\"?");
    ck_assert_str_eq(findings.items[1].text, "unknown key \"zzz\"");
    ck_assert_int_eq(findings.items[1].line, 3);
    finish();
}

TEST(yaml_need_of_a_missing_member_points_at_the_map)
{
    const struct hn_yaml *value = NULL;
    parse("a:\n  b: 1\n");
    ck_assert_int_eq(hn_yaml_need(hn_yaml_find(root, "a"), "id", &value, &findings), HN_EINPUT);
    expect_only_finding(2, 3, "\"id\" is missing here");
    finish();
}

TEST(yaml_read_of_a_missing_file_is_a_finding)
{
    hn_findings_init(&findings);
    document = NULL;
    ck_assert_int_eq(hn_yaml_read("/nonexistent.yaml", &document, &root, &findings), HN_EINPUT);
    ck_assert_str_eq(findings.items[0].text,
                     "cannot open /nonexistent.yaml: No such file or directory");
    finish();
}
