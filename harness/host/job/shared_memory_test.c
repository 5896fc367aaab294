/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that exactly the new segments that the job created are removed.
 */
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

#include "shared_memory.h"
#include "unit_test.h"

#define SIZE 4096

TEST(remove_takes_a_segment_only_if_it_is_new_and_the_jobs)
{
    char text[512];
    struct shmid_ds facts;
    const int old = shmget(IPC_PRIVATE, SIZE, IPC_CREAT | 0600);
    hn_shared_memory_look();
    const int fresh = shmget(IPC_PRIVATE, SIZE, IPC_CREAT | 0600);
    hn_shared_memory_remove(getpid() + 1, text, sizeof text);
    ck_assert_str_eq(text, "");
    ck_assert_int_eq(shmctl(fresh, IPC_STAT, &facts), 0);
    hn_shared_memory_remove(getpid(), text, sizeof text);
    const int fresh_there = shmctl(fresh, IPC_STAT, &facts) == 0;
    const int old_there = shmctl(old, IPC_STAT, &facts) == 0;
    shmctl(old, IPC_RMID, NULL);
    ck_assert_str_ne(text, "");
    ck_assert_int_eq(fresh_there, 0);
    ck_assert_int_eq(old_there, 1);
}
