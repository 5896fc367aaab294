/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the readers over testdata/ and compares their output with the .expected files.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "file.h"
#include "json_read.h"
#include "terminal.h"
#include "unit_test.h"
#include "yaml_tree.h"

static void say(struct hn_buffer *said, const struct hn_error *error)
{
    char line[1100];
    hn_error_format(error, line, sizeof line);
    hn_terminal_filter(said, line, strlen(line));
    hn_buffer_putc(said, '\n');
}

static void read_yaml(const char *name, const char *text, size_t length, struct hn_buffer *said)
{
    struct hn_findings findings = {0};
    struct hn_yaml_document *document = NULL;
    const struct hn_yaml *root;
    const int status = hn_yaml_parse(text, length, name, &document, &root, &findings);
    ck_assert_int_eq(status, HN_EINPUT);
    ck_assert_ptr_null(document);
    for (size_t i = 0; i < findings.count; i++)
        say(said, &findings.items[i]);
    hn_findings_finish(&findings);
}

static void read_json(const char *name, const char *text, size_t length, struct hn_buffer *said)
{
    static const struct hn_json_limits limits = {.bytes = 200, .depth = 8};
    struct hn_json_document *document = NULL;
    struct hn_error error;
    ck_assert_int_ne(hn_json_parse(text, length, &limits, name, 0, &document, &error), HN_OK);
    ck_assert_ptr_null(document);
    say(said, &error);
}

static void compare(const char *folder, const char *name,
                    void (*reader)(const char *, const char *, size_t, struct hn_buffer *))
{
    char path[600], *text, *expected;
    struct hn_buffer said;
    size_t length;
    hn_buffer_init(&said, 1 << 16);
    snprintf(path, sizeof path, "%s/%s/%s", TEST_DATA, folder, name);
    ck_assert_int_eq(hn_file_read(path, 1 << 20, &text, &length, NULL), HN_OK);
    reader(name, text, length, &said);
    snprintf(path, sizeof path, "%s/%s/%.*s.expected", TEST_DATA, folder,
             (int)(strrchr(name, '.') - name), name);
    if (getenv("GOLDEN_WRITE"))
        ck_assert_int_eq(hn_file_write(path, said.text, said.length, NULL), HN_OK);
    ck_assert_msg(hn_file_read(path, 1 << 20, &expected, &length, NULL) == HN_OK, "%s", path);
    ck_assert_str_eq(said.text, expected);
    free(text);
    free(expected);
    hn_buffer_finish(&said);
}

static void compare_all(const char *folder, const char *suffix, int least,
                        void (*reader)(const char *, const char *, size_t, struct hn_buffer *))
{
    char path[600];
    struct dirent **entries;
    int cases = 0;
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, folder);
    const int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (strstr(entries[i]->d_name, suffix)) {
            compare(folder, entries[i]->d_name, reader);
            cases++;
        }
        free(entries[i]);
    }
    free(entries);
    ck_assert_int_ge(cases, least);
}

TEST(yaml_parse_malformed_says_what_is_expected)
{
    compare_all("yaml", ".yaml", 17, read_yaml);
}

TEST(json_parse_malformed_says_what_is_expected)
{
    compare_all("json", ".json", 9, read_json);
}
