/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that runs that begin in the same second get different folders, even in a race.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run_folder.h"
#include "test_folder.h"
#include "unit_test.h"

#define RACERS 8

TEST_FIXTURE(test_folder_make, test_folder_remove);

TEST(runs_of_one_second_get_a_folder_each)
{
    static const char *const endings[] = {"/runs/a", "/runs/a-2", "/runs/a-3"};
    char path[HN_PATH_SIZE];
    struct hn_error error;
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(hn_run_folder_new(test_path("runs/a"), path, &error), HN_OK);
        ck_assert_str_eq(path + strlen(test_folder), endings[i]);
    }
}

TEST(racing_processes_get_a_folder_each)
{
    char path[HN_PATH_SIZE];
    struct hn_error error;
    int status;
    for (int i = 0; i < RACERS; i++)
        if (fork() == 0)
            _exit(hn_run_folder_new(test_path("a"), path, &error) == HN_OK ? 0 : 1);
    for (int i = 0; i < RACERS; i++)
        ck_assert(wait(&status) > 0 && status == 0);
    ck_assert(hn_path_exists(test_path("a-8"))); /* of RACERS */
}

TEST(folder_of_a_user_may_be_there_but_is_not_the_root)
{
    char path[HN_PATH_SIZE];
    struct hn_error error;
    ck_assert_int_eq(hn_run_folder_take(test_folder, path, &error), HN_OK);
    ck_assert_str_eq(path, test_folder);
    ck_assert_int_eq(hn_run_folder_take("/", path, &error), HN_EINPUT);
}
