/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of the record of fault queries, and of invalid arguments.
 */
#include "driver_test.h"
#include "fakedev_faults.h"
#include "fault.h"
#include "fault_asked.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

static char folder[] = "/tmp/fakedev-asked-XXXXXX";
static char file[64];
static char message[320];

static void begin(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(file, sizeof file, "%s/asked", folder);
    ck_assert_msg(fd_asked_keep(file, message, sizeof message) == 0, "%s", message);
    fd_faults_disarm();
}

static void end_with(const char *demanded)
{
    char text[512] = "";
    FILE *in = fopen(file, "r");
    ck_assert_ptr_nonnull(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    unlink(file);
    rmdir(folder);
    ck_assert_str_eq(text, demanded);
}

TEST(asked_each_name_is_written_once)
{
    begin();
    errno = EDOM;
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(fd_fault("device.count_changes"), 0);
        ck_assert_int_eq(fd_fault("device.current_ignores_set"), 0);
    }
    ck_assert_int_eq(errno, EDOM);
    end_with("device.count_changes\ndevice.current_ignores_set\n");
}

TEST(asked_of_a_forked_child_is_written_too)
{
    begin();
    (void)fd_fault("device.count_changes");
    const pid_t child = fork();
    if (child == 0)
        _exit(fd_fault("device.count_changes") || fd_fault("device.current_ignores_set"));
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    end_with("device.count_changes\ndevice.current_ignores_set\n");
}

TEST(asked_beside_an_armed_fault_is_written)
{
    begin();
    ck_assert_int_eq(fd_faults_arm("device.count_changes", message, sizeof message), 0);
    ck_assert_int_eq(fd_fault("device.current_ignores_set"), 0);
    ck_assert_int_eq(fd_fault("device.count_changes"), 1);
    end_with("device.current_ignores_set\ndevice.count_changes\n");
}

TEST(asked_without_a_free_descriptor_is_written_later)
{
    struct rlimit limit;
    begin();
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit none = {0, limit.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    (void)fd_fault("device.count_changes");
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    (void)fd_fault("device.count_changes");
    end_with("device.count_changes\n");
}

TEST(asked_is_not_kept_unless_told)
{
    fd_faults_disarm();
    ck_assert_int_eq(fd_any_fault, 0);
    begin();
    ck_assert_int_ne(fd_any_fault, 0);
    ck_assert_int_eq(fd_asked_keep("", message, sizeof message), 0);
    fd_faults_disarm();
    ck_assert_int_eq(fd_any_fault, 0);
    end_with("");
}

TEST(asked_in_a_place_that_cannot_be_is_refused_in_words)
{
    ck_assert_int_eq(fd_asked_keep("asked.txt", message, sizeof message), -1);
    ck_assert_str_eq(message, "FAKEDEV_ASKED is \"asked.txt\", not an absolute path");
    ck_assert_int_eq(fd_asked_keep("/no/such/folder/asked", message, sizeof message), -1);
    ck_assert_str_eq(message, "FAKEDEV_ASKED: cannot write /no/such/folder/asked: "
                              "No such file or directory");
    ck_assert_int_eq(fd_asked_is_kept(), 0);
}
