/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whose shared memory it is, and whether anybody still has it.
 */
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

static char name[64], text[512];
static uint64_t held[8];
static size_t held_count;

/* Asks what a job that never was (process 0) left of the memory that this process held. */
static int is_told(void)
{
    hn_shared_memory_left(0, held, held_count, text, sizeof text);
    return strstr(text, name) != NULL;
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

START_TEST(left_of_a_file_that_was_held_is_told_when_nobody_has_it_open)
{
    hn_shared_memory_look();
    void *place = make_file();
    held_count = hn_shared_memory_held(held, 8);
    const int told_while_mapped = is_told();
    const int file = open(name, O_RDONLY);
    munmap(place, SIZE);
    const int told_while_open = is_told();
    close(file);
    const int told = is_told();
    unlink(name);
    ck_assert_uint_eq(held_count, 1);
    ck_assert_int_eq(told_while_mapped, 0);
    ck_assert_int_eq(told_while_open, 0);
    ck_assert_int_eq(told, 1);
}
END_TEST

START_TEST(held_of_what_was_there_before_is_nothing)
{
    void *place = make_file();
    hn_shared_memory_look();
    held_count = hn_shared_memory_held(held, 8);
    munmap(place, SIZE);
    unlink(name);
    ck_assert_uint_eq(held_count, 0);
}
END_TEST

START_TEST(held_of_a_file_of_somebody_else_is_nothing)
{
    hn_shared_memory_look();
    munmap(make_file(), SIZE);
    const size_t none = hn_shared_memory_held(held, 8);
    held[0] = 1; /* of another file */
    held_count = 1;
    const int told = is_told();
    unlink(name);
    ck_assert_uint_eq(none, 0);
    ck_assert_int_eq(told, 0);
}
END_TEST

START_TEST(left_of_a_segment_removes_it_only_if_it_is_new_and_the_jobs)
{
    const int old = shmget(IPC_PRIVATE, SIZE, IPC_CREAT | 0600);
    hn_shared_memory_look();
    const int fresh = shmget(IPC_PRIVATE, SIZE, IPC_CREAT | 0600);
    struct shmid_ds facts;
    hn_shared_memory_left(getpid() + 1, NULL, 0, text, sizeof text);
    ck_assert_int_eq(shmctl(fresh, IPC_STAT, &facts), 0);
    hn_shared_memory_left(getpid(), NULL, 0, text, sizeof text);
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
    tcase_add_test(tests, left_of_a_file_that_was_held_is_told_when_nobody_has_it_open);
    tcase_add_test(tests, held_of_what_was_there_before_is_nothing);
    tcase_add_test(tests, held_of_a_file_of_somebody_else_is_nothing);
    tcase_add_test(tests, left_of_a_segment_removes_it_only_if_it_is_new_and_the_jobs);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
