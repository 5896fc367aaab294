/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that no process outlives a job: no child, no zombie and no grandchild in another session. A
 * spared process is not touched, dead or alive.
 */
#include "descendants.h"
#include "unit_test.h"

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

TEST(end_without_children_ends_none)
{
    ck_assert_int_eq(hn_descendants_end(NULL, 0), 0);
}

TEST(end_children_ends_all)
{
    start_child();
    start_child();
    ck_assert_int_eq(hn_descendants_end(NULL, 0), 2);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}

TEST(end_orphan_of_another_session_ends_it)
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
    ck_assert_int_eq(read(tied[0], &byte, 1), 0); /* the other end is closed */
    close(tied[0]);
}

TEST(end_with_one_spared_leaves_it)
{
    const pid_t spared = start_child();
    start_child();
    ck_assert_int_eq(hn_descendants_end(&spared, 1), 1);
    ck_assert_int_eq(kill(spared, 0), 0);
    ck_assert_int_eq(hn_descendants_end(NULL, 0), 1);
}

/* The dead process was not reaped by its owner yet. This process must not hide the other
 * processes. */
TEST(end_with_a_dead_spared_one_still_reaps_the_others)
{
    const pid_t spared = start_child();
    kill(spared, SIGKILL);
    wait_until_dead(spared);
    start_child();
    ck_assert_int_eq(hn_descendants_end(&spared, 1), 1);
    ck_assert_int_eq(waitpid(spared, NULL, WNOHANG), spared);
}

static void *wait_for_byte(void *end)
{
    char byte;
    return read(*(int *)end, &byte, 1) == 1 ? end : NULL;
}

TEST(thread_count_counts_each)
{
#ifdef __SANITIZE_THREAD__
    return; /* a sanitizer may start its own threads */
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

TEST(device_file_open_names_what_no_harmless_program_opens)
{
    char path[64] = "";
    const int harmless = open("/dev/null", O_RDONLY);
    ck_assert_int_eq(hn_device_file_open(path, sizeof path), 0);
    struct stat facts;
    const int device = open("/dev/ptmx", O_RDWR | O_NOCTTY);
    /* Some sandboxes lack /dev/ptmx; in others it is a link to a terminal. */
    if (device >= 0 && lstat("/dev/ptmx", &facts) == 0 && S_ISCHR(facts.st_mode)) {
        ck_assert_int_eq(hn_device_file_open(path, sizeof path), 1);
        ck_assert_str_eq(path, "/dev/ptmx");
    }
    close(device);
    close(harmless);
}
