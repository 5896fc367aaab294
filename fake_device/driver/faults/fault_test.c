/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of the switchboard at run time: faults are armed, counted, watched, and switched off again.
 */
#include "driver_test.h"
#include "fakedev_faults.h"
#include "fault_asked.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define NAME "device.count_changes"
#define OTHER "device.current_ignores_set"
#define AT_LOAD "guard.not_registered"

static uint64_t hits_of(const char *name)
{
    uint64_t hits = 0;
    ck_assert_int_eq(fd_fault_hits(name, &hits), FD_OK);
    return hits;
}

TEST(arm_at_run_time_acts_is_counted_and_ends)
{
    const uint64_t before = hits_of(NAME);
    ck_assert_int_eq(fd_fault(NAME), 0);
    ck_assert_int_eq(fd_fault_arm(NAME), FD_OK);
    ck_assert_int_eq(fd_fault_arm(NAME), FD_OK);
    ck_assert_int_eq(fd_fault(NAME), 1);
    ck_assert_int_eq(fd_fault(OTHER), 0);
    ck_assert_uint_eq(hits_of(NAME), before + 1);
    ck_assert_int_eq(fd_faults_disarm(), FD_OK);
    ck_assert_int_eq(fd_fault(NAME), 0);
    ck_assert_uint_eq(hits_of(NAME), before + 1);
    ck_assert_int_eq(fd_any_fault, 0);
}

TEST(arm_is_seen_by_programs_that_are_started)
{
    ck_assert_int_eq(fd_fault_arm(NAME), FD_OK);
    ck_assert_int_eq(fd_fault_arm(OTHER), FD_OK);
    ck_assert_str_eq(getenv("FAKEDEV_FAULT"), NAME "," OTHER);
    fd_faults_disarm();
    ck_assert_ptr_null(getenv("FAKEDEV_FAULT"));
}

TEST(arm_of_an_unknown_name_is_refused_with_the_nearest)
{
    ck_assert_int_eq(fd_fault_arm("device.count_change"), FD_ERROR_INVALID_VALUE);
    ck_assert_str_eq(fd_last_error_text(),
                     "there is no fault \"device.count_change\"; the nearest is \"" NAME "\"");
    ck_assert_int_eq(fd_fault_arm(NULL), FD_ERROR_INVALID_VALUE);
}

TEST(arm_of_a_fault_of_loading_is_refused_in_words)
{
    ck_assert_int_eq(fd_fault_arm(AT_LOAD), FD_ERROR_INVALID_VALUE);
    ck_assert_str_eq(fd_last_error_text(), AT_LOAD
                     " acts while the libraries are loaded: start with FAKEDEV_FAULT=" AT_LOAD);
}

static int32_t asked_of(const char *name)
{
    int32_t asked = 5;
    ck_assert_int_eq(fd_fault_was_asked(name, &asked), FD_OK);
    return asked;
}

TEST(watch_tells_what_was_asked_here_and_in_children)
{
    ck_assert_int_eq(asked_of(NAME), -1);
    ck_assert_int_eq(fd_faults_watch(), FD_OK);
    ck_assert_int_eq(asked_of(NAME), 0);
    ck_assert_int_eq(fd_fault(NAME), 0);
    const pid_t child = fork();
    if (child == 0)
        _exit(fd_fault(OTHER));
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_int_eq(asked_of(NAME), 1);
    ck_assert_int_eq(asked_of(OTHER), 1);
    ck_assert_int_eq(asked_of("device.current_shared_by_threads"), 0);
    ck_assert_int_eq(asked_of(AT_LOAD), -1);
    char message[320];
    fd_asked_keep("", message, sizeof message);
    fd_faults_disarm();
}

static atomic_int stop;

static void *ask(void *asked)
{
    while (!atomic_load(&stop))
        *(unsigned *)asked += (unsigned)fd_fault(NAME);
    return NULL;
}

/* The thread sanitizer must find no race when workers query faults while another thread arms them. */
TEST(arm_while_other_threads_ask_is_safe)
{
    pthread_t threads[4];
    unsigned seen[4] = {0}, sum = 0;
    const uint64_t before = hits_of(NAME);
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ask, &seen[i]), 0);
    for (int i = 0; i < 50; i++) {
        ck_assert_int_eq(fd_fault_arm(NAME), FD_OK);
        fd_faults_disarm();
    }
    atomic_store(&stop, 1);
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        sum += seen[i];
    }
    ck_assert_uint_eq(hits_of(NAME), before + sum);
}
