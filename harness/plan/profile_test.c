/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests a complete profile, and compares the errors of invalid profiles with golden files
 * (testdata/profiles).
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "file.h"
#include "profile.h"
#include "unit_test.h"

static const char full[] = "name: foo\n"
                           "text: An example.\n"
                           "python: .venv/bin/python\n"
                           "env: {FOO_DEVICES: '2', EMPTY: ''}\n"
                           "build:\n"
                           "  - run: [cmake, --build, out]\n"
                           "load:\n"
                           "  - dlopen: lib/libfoo.so\n"
                           "    flags: [global, now]\n"
                           "  - import: torch_foo\n"
                           "  - call: torch_foo:register\n"
                           "  - entry_point: {name: foo}\n"
                           "  - exec: \"import foo; foo.go()\"\n"
                           "devices: [0, 1]\n"
                           "capabilities: {streams: yes, amp: no, graphs: unknown}\n"
                           "isolation: fork-clean\n"
                           "jobs: 1\n"
                           "timeouts: {load: 60, check: 30}\n"
                           "adapter: lib/adapter.so\n"
                           "marks: torch.ops.foo.mark(tensor, packed)\n";

TEST(profile_read_of_a_full_one_has_everything)
{
    char path[] = "/tmp/hn_profile_XXXXXX";
    struct hn_profile *profile;
    struct hn_findings findings = {0};
    close(mkstemp(path));
    ck_assert_int_eq(hn_file_write(path, full, sizeof full - 1, NULL), HN_OK);
    ck_assert_int_eq(hn_profile_read(path, &profile, &findings), HN_OK);
    unlink(path);
    ck_assert_str_eq(profile->name, "foo");
    ck_assert_str_eq(profile->folder, "/tmp");
    ck_assert_uint_eq(profile->env_count, 2);
    ck_assert_str_eq(profile->env[1].value, "");
    ck_assert_str_eq(profile->build[0].run[1], "--build");
    ck_assert_ptr_null(profile->build[0].run[3]);
    ck_assert_uint_eq(profile->load_count, 5);
    for (int kind = 0; kind < HN_STEPS; kind++)
        ck_assert_int_eq(profile->load[kind].kind, kind);
    ck_assert_int_eq(profile->load[0].global, 1);
    ck_assert_int_eq(profile->load[0].now, 1);
    ck_assert_str_eq(profile->load[3].group, "torch.backends");
    ck_assert_str_eq(profile->load[3].what, "foo");
    ck_assert_int_eq(profile->devices[1], 1);
    ck_assert_str_eq(profile->marks, "torch.ops.foo.mark(tensor, packed)");
    ck_assert_uint_eq(profile->capability_count, 2);
    ck_assert_int_eq(profile->capabilities[1].claim, HN_CLAIM_NO);
    ck_assert_str_eq(profile->isolation, "fork-clean");
    ck_assert_int_eq(profile->jobs, 1);
    ck_assert_int_eq(profile->timeouts.load, 60);
    ck_assert_int_eq(profile->timeouts.run, 0);
    ck_assert_str_eq(profile->adapter, "lib/adapter.so");
    hn_profile_destroy(profile);
}

static void compare(const char *name)
{
    char path[600], *expected, line[1100];
    struct hn_profile *profile;
    struct hn_findings findings = {0};
    struct hn_buffer said;
    size_t length;
    hn_buffer_init(&said, 1 << 16);
    snprintf(path, sizeof path, "%s/profiles/%s", TEST_DATA, name);
    ck_assert_int_eq(hn_profile_read(path, &profile, &findings), HN_EINPUT);
    ck_assert_ptr_null(profile);
    for (size_t i = 0; i < findings.count; i++) {
        snprintf(findings.items[i].file, sizeof findings.items[i].file, "%.100s", name);
        hn_error_format(&findings.items[i], line, sizeof line);
        hn_buffer_printf(&said, "%s\n", line);
    }
    snprintf(path, sizeof path, "%s/profiles/%.*s.expected", TEST_DATA,
             (int)(strrchr(name, '.') - name), name);
    if (getenv("GOLDEN_WRITE"))
        ck_assert_int_eq(hn_file_write(path, said.text, said.length, NULL), HN_OK);
    ck_assert_msg(hn_file_read(path, 1 << 16, &expected, &length, NULL) == HN_OK, "%s", path);
    ck_assert_str_eq(said.text, expected);
    free(expected);
    hn_findings_finish(&findings);
    hn_buffer_finish(&said);
}

TEST(profile_read_of_wrong_ones_says_what_is_expected)
{
    struct dirent **entries;
    int cases = 0;
    const int count = scandir(TEST_DATA "/profiles", &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (strstr(entries[i]->d_name, ".yaml")) {
            compare(entries[i]->d_name);
            cases++;
        }
        free(entries[i]);
    }
    free(entries);
    ck_assert_int_ge(cases, 4);
}

TEST(profile_read_of_a_missing_file_is_a_finding)
{
    struct hn_profile *profile;
    struct hn_findings findings = {0};
    ck_assert_int_eq(hn_profile_read("/absent.yaml", &profile, &findings), HN_EINPUT);
    ck_assert_uint_eq(findings.count, 1);
    hn_findings_finish(&findings);
}

TEST(profile_read_of_every_target_of_the_tree_succeeds)
{
    DIR *folder = opendir(SOURCE_ROOT "/ci/targets");
    struct dirent *entry;
    int count = 0;
    ck_assert_ptr_nonnull(folder);
    while ((entry = readdir(folder))) {
        char path[600];
        struct hn_profile *profile;
        struct hn_findings findings = {0};
        if (!strstr(entry->d_name, ".yaml"))
            continue;
        snprintf(path, sizeof path, SOURCE_ROOT "/ci/targets/%s", entry->d_name);
        ck_assert_msg(hn_profile_read(path, &profile, &findings) == HN_OK, "%s", path);
        hn_profile_destroy(profile);
        hn_findings_finish(&findings);
        count++;
    }
    closedir(folder);
    ck_assert_int_ge(count, 2);
}
