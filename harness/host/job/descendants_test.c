/* SPDX-License-Identifier: BSD-3-Clause
 *
 * No process outlives a job: children, grandchildren that changed their session, zombies. A
 * spared process is not touched, alive or dead.
 */
#include "descendants.h"

#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t start_child(void)
{
    const pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    return child;
}

static void wait_until_dead(pid_t child)
{
    siginfo_t info;
    ck_assert_int_eq(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
}

START_TEST(end_without_children_ends_none)
{
    ck_assert_int_eq(hn_descendants_end(NULL, 0), 0);
}
END_TEST

START_TEST(end_children_ends_all)
{
    start_child();
    start_child();
    ck_assert_int_eq(hn_descendants_end(NULL, 0), 2);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

START_TEST(end_orphan_of_another_session_ends_it)
{
    int tied[2];
    char byte;
    ck_assert_int_eq(hn_descendants_adopt(), 0);
    ck_assert_int_eq(pipe(tied), 0);
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        start_child();
        _exit(0);
    }
    close(tied[1]);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_int_eq(hn_descendants_end(NULL, 0), 1);
    ck_assert_int_eq(read(tied[0], &byte, 1), 0); /* no process has the other end open any more */
    close(tied[0]);
}
END_TEST

START_TEST(end_with_one_spared_leaves_it)
{
    const pid_t spared = start_child();
    start_child();
    ck_assert_int_eq(hn_descendants_end(&spared, 1), 1);
    ck_assert_int_eq(kill(spared, 0), 0);
    ck_assert_int_eq(hn_descendants_end(NULL, 0), 1);
}
END_TEST

/* Its owner still waits for the dead process, and it must not hide the others. */
START_TEST(end_with_a_dead_spared_one_still_reaps_the_others)
{
    const pid_t spared = start_child();
    kill(spared, SIGKILL);
    wait_until_dead(spared);
    start_child();
    ck_assert_int_eq(hn_descendants_end(&spared, 1), 1);
    ck_assert_int_eq(waitpid(spared, NULL, WNOHANG), spared);
}
END_TEST

static void *wait_for_byte(void *end)
{
    char byte;
    return read(*(int *)end, &byte, 1) == 1 ? end : NULL;
}

START_TEST(thread_count_counts_each)
{
#ifdef __SANITIZE_THREAD__
    return; /* the sanitizer may start threads of its own at any time */
#endif
    int tied[2];
    pthread_t thread;
    ck_assert_int_eq(pipe(tied), 0);
    ck_assert_int_eq(hn_thread_count(), 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_byte, &tied[0]), 0);
    ck_assert_int_eq(hn_thread_count(), 2);
    ck_assert_int_eq(write(tied[1], "x", 1), 1);
    pthread_join(thread, NULL);
}
END_TEST

START_TEST(device_file_open_names_what_no_harmless_program_opens)
{
    char path[64] = "";
    const int harmless = open("/dev/null", O_RDONLY);
    ck_assert_int_eq(hn_device_file_open(path, sizeof path), 0);
    struct stat facts;
    const int device = open("/dev/ptmx", O_RDWR | O_NOCTTY);
    /* It is missing in some sandboxes, and in others it is a link to a terminal. */
    if (device >= 0 && lstat("/dev/ptmx", &facts) == 0 && S_ISCHR(facts.st_mode)) {
        ck_assert_int_eq(hn_device_file_open(path, sizeof path), 1);
        ck_assert_str_eq(path, "/dev/ptmx");
    }
    close(device);
    close(harmless);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("descendants");
    TCase *tcase = tcase_create("descendants");
    tcase_add_test(tcase, end_without_children_ends_none);
    tcase_add_test(tcase, end_children_ends_all);
    tcase_add_test(tcase, end_orphan_of_another_session_ends_it);
    tcase_add_test(tcase, end_with_one_spared_leaves_it);
    tcase_add_test(tcase, end_with_a_dead_spared_one_still_reaps_the_others);
    tcase_add_test(tcase, thread_count_counts_each);
    tcase_add_test(tcase, device_file_open_names_what_no_harmless_program_opens);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
