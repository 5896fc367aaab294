/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests which parts of a job's output are stored: all of a short output, the beginning and the end
 * of a long output, and nothing of another job's output.
 */
#include "capture.h"
#include "unit_test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static int writer;
static struct hn_capture capture;

static void begin(void)
{
    int ends[2];
    snprintf(folder, sizeof folder, "/tmp/assay-capture-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(pipe(ends), 0);
    writer = ends[1];
    hn_capture_init(&capture, ends[0]);
    hn_capture_aim(&capture, folder, "out.txt");
}

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void end(void)
{
    hn_capture_finish(&capture);
    unlink(path_of("out.txt"));
    unlink(path_of("next.txt"));
    rmdir(folder);
}

static char *content(const char *name, size_t *length)
{
    struct stat facts;
    const int file = open(path_of(name), O_RDONLY);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(fstat(file, &facts), 0);
    char *text = calloc(1, (size_t)facts.st_size + 1);
    ck_assert_int_eq(read(file, text, (size_t)facts.st_size), facts.st_size);
    close(file);
    *length = (size_t)facts.st_size;
    return text;
}

/* Prints numbered lines of ten bytes, and drains each line. */
static void print_lines(size_t first, size_t count)
{
    char line[32];
    for (size_t i = first; i < first + count; i++) {
        snprintf(line, sizeof line, "%09zu\n", i);
        ck_assert_int_eq(write(writer, line, 10), 10);
        if (i % 1000 == 0)
            hn_capture_drain(&capture);
    }
    hn_capture_drain(&capture);
}

TEST_FIXTURE(begin, end);

TEST(settle_little_output_keeps_all)
{
    size_t length;
    print_lines(0, 3);
    ck_assert_uint_eq(hn_capture_settle(&capture), 30);
    char *text = content("out.txt", &length);
    ck_assert_str_eq(text, "000000000\n000000001\n000000002\n");
    free(text);
}

TEST(settle_no_output_makes_no_file)
{
    hn_capture_drain(&capture);
    ck_assert_uint_eq(hn_capture_settle(&capture), 0);
    ck_assert_int_ne(access(path_of("out.txt"), F_OK), 0);
}

TEST(settle_output_over_half_keeps_all)
{
    size_t length;
    print_lines(0, 80000);
    ck_assert_uint_eq(hn_capture_settle(&capture), 800000);
    char *text = content("out.txt", &length);
    ck_assert_uint_eq(length, 800000);
    ck_assert_str_eq(text + length - 10, "000079999\n");
    free(text);
}

TEST(settle_much_output_keeps_head_and_tail)
{
    size_t length;
    print_lines(0, 250000);
    ck_assert_uint_eq(hn_capture_settle(&capture), 2500000);
    char *text = content("out.txt", &length);
    ck_assert_uint_lt(length, 2 * HN_CAPTURE_HALF + 100);
    ck_assert_int_eq(strncmp(text, "000000000\n000000001\n", 20), 0);
    ck_assert_str_eq(text + length - 20, "000249998\n000249999\n");
    ck_assert_ptr_nonnull(strstr(text, "bytes left out"));
    free(text);
}

TEST(aim_after_settle_starts_the_next_file)
{
    size_t length;
    print_lines(0, 1);
    hn_capture_settle(&capture);
    hn_capture_aim(&capture, folder, "next.txt");
    print_lines(7, 1);
    ck_assert_uint_eq(hn_capture_settle(&capture), 10);
    char *text = content("next.txt", &length);
    ck_assert_str_eq(text, "000000007\n");
    free(text);
}

TEST(drain_closed_pipe_says_so)
{
    ck_assert_int_eq(hn_capture_drain(&capture), 1);
    close(writer);
    ck_assert_int_eq(hn_capture_drain(&capture), 0);
    ck_assert_int_eq(capture.pipe, -1);
}

/* The job may have replaced the file by a link. Nothing may be written through such a link. */
TEST(drain_does_not_follow_a_link)
{
    char target[128];
    snprintf(target, sizeof target, "%s", path_of("next.txt"));
    ck_assert_int_eq(symlink(target, path_of("out.txt")), 0);
    print_lines(0, 1);
    hn_capture_settle(&capture);
    ck_assert_int_ne(access(target, F_OK), 0);
}
