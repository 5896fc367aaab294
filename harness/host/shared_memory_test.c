/* SPDX-License-Identifier: BSD-3-Clause */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "shared_memory.h"

#define SIZE 4096

static struct hn_shared_memory before;
static char name[64], text[512];

/* What is new since `before`, as of a job that nobody was. */
static const char *left_by(pid_t job, int alone)
{
    hn_shared_memory_left(&before, job, alone, text, sizeof text);
    return text;
}

/* As a named semaphore is made: mapped under one name, kept under another. */
static void *make_file(void)
{
    char first[64];
    snprintf(first, sizeof first, "/dev/shm/assay-first-%d", (int)getpid());
    snprintf(name, sizeof name, "/dev/shm/assay-kept-%d", (int)getpid());
    const int file = open(first, O_CREAT | O_EXCL | O_RDWR, 0600);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(ftruncate(file, SIZE), 0);
    void *place = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, file, 0);
    ck_assert_ptr_ne(place, MAP_FAILED);
    ck_assert_int_eq(link(first, name), 0);
    ck_assert_int_eq(unlink(first), 0);
    close(file);
    return place;
}

START_TEST(left_of_a_file_that_is_mapped_under_another_name_says_nothing)
{
    hn_shared_memory_look(&before);
    void *place = make_file();
    const int told = strstr(left_by(0, 1), name) != NULL;
    munmap(place, SIZE);
    const int told_then = strstr(left_by(0, 1), name) != NULL;
    unlink(name);
    ck_assert_int_eq(told, 0);
    ck_assert_int_eq(told_then, 1);
}
END_TEST

START_TEST(left_of_a_file_that_is_open_says_nothing)
{
    hn_shared_memory_look(&before);
    munmap(make_file(), SIZE);
    const int file = open(name, O_RDONLY);
    const int told = strstr(left_by(0, 1), name) != NULL;
    close(file);
    unlink(name);
    ck_assert_int_eq(told, 0);
}
END_TEST

START_TEST(left_of_what_was_there_before_says_nothing)
{
    munmap(make_file(), SIZE);
    hn_shared_memory_look(&before);
    const int told = strstr(left_by(0, 1), name) != NULL;
    unlink(name);
    ck_assert_int_eq(told, 0);
}
END_TEST

START_TEST(left_of_a_file_where_checks_shared_a_process_says_nothing)
{
    hn_shared_memory_look(&before);
    munmap(make_file(), SIZE);
    const size_t length = strlen(left_by(0, 0));
    unlink(name);
    ck_assert_uint_eq(length, 0);
}
END_TEST

START_TEST(left_of_a_segment_removes_it_only_if_it_is_new_and_the_jobs)
{
    const int old = shmget(IPC_PRIVATE, SIZE, IPC_CREAT | 0600);
    hn_shared_memory_look(&before);
    const int fresh = shmget(IPC_PRIVATE, SIZE, IPC_CREAT | 0600);
    struct shmid_ds facts;
    left_by(getpid() + 1, 0);
    ck_assert_int_eq(shmctl(fresh, IPC_STAT, &facts), 0);
    left_by(getpid(), 0);
    const int fresh_there = shmctl(fresh, IPC_STAT, &facts) == 0;
    const int old_there = shmctl(old, IPC_STAT, &facts) == 0;
    shmctl(old, IPC_RMID, NULL);
    ck_assert_int_eq(fresh_there, 0);
    ck_assert_int_eq(old_there, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shared_memory");
    TCase *tests = tcase_create("left");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, left_of_a_file_that_is_mapped_under_another_name_says_nothing);
    tcase_add_test(tests, left_of_a_file_that_is_open_says_nothing);
    tcase_add_test(tests, left_of_what_was_there_before_says_nothing);
    tcase_add_test(tests, left_of_a_file_where_checks_shared_a_process_says_nothing);
    tcase_add_test(tests, left_of_a_segment_removes_it_only_if_it_is_new_and_the_jobs);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
