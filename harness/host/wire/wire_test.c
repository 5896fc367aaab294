/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that messages between supervisor and host arrive unchanged, whole or in pieces, and that
 * invalid bytes are rejected.
 */
#include "unit_test.h"
#include "wire.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void say_job(struct hn_wire *message)
{
    hn_wire_begin(message, HN_WIRE_RUN);
    hn_wire_add(message, "job", "a.one");
    hn_wire_add_number(message, "check-ms", -7);
    hn_wire_add(message, "entry", NULL);
}

static void expect_job(const struct hn_wire *message)
{
    ck_assert_uint_eq(message->type, HN_WIRE_RUN);
    ck_assert_str_eq(hn_wire_text(message, "job"), "a.one");
    ck_assert_str_eq(hn_wire_text(message, "entry"), "");
    ck_assert_int_eq(hn_wire_number(message, "check-ms", 1), -7);
    ck_assert_ptr_null(hn_wire_text(message, "absent"));
    ck_assert_int_eq(hn_wire_number(message, "absent", 3), 3);
}

TEST(send_message_arrives_whole)
{
    int ends[2];
    struct hn_wire sent = {0}, got = {0};
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    say_job(&sent);
    ck_assert_int_eq(hn_wire_send(ends[0], &sent), 0);
    ck_assert_int_eq(hn_wire_receive(ends[1], &got), 1);
    expect_job(&got);
    close(ends[0]);
    ck_assert_int_eq(hn_wire_receive(ends[1], &got), 0);
    close(ends[1]);
    hn_wire_finish(&sent);
    hn_wire_finish(&got);
}

TEST(send_to_nobody_is_an_error)
{
    int ends[2];
    struct hn_wire sent = {0};
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    close(ends[1]);
    say_job(&sent);
    ck_assert_int_eq(hn_wire_send(ends[0], &sent), -1);
    close(ends[0]);
    ck_assert_int_eq(hn_wire_send(ends[0], &sent), -1);
    hn_wire_finish(&sent);
}

TEST(receive_torn_message_is_an_error)
{
    struct hn_wire message = {0};
    size_t length = 0;
    say_job(&message);
    char *bytes = hn_wire_encode(&message, &length);
    hn_wire_finish(&message);
    for (size_t cut = 1; cut < length; cut++) {
        int ends[2];
        struct hn_wire got = {0};
        ck_assert_int_eq(pipe(ends), 0);
        ck_assert_int_eq(write(ends[1], bytes, cut), (ssize_t)cut);
        close(ends[1]);
        ck_assert_int_eq(hn_wire_receive(ends[0], &got), -1);
        close(ends[0]);
        hn_wire_finish(&got);
    }
    free(bytes);
}

TEST(take_message_fed_by_the_byte_comes_once)
{
    struct hn_wire message = {0}, got = {0};
    struct hn_wire_reader reader = {0};
    size_t length = 0;
    say_job(&message);
    char *bytes = hn_wire_encode(&message, &length);
    for (size_t i = 0; i < length; i++) {
        ck_assert_int_eq(hn_wire_take(&reader, &got), 0);
        ck_assert_int_eq(hn_wire_feed(&reader, bytes + i, 1), 0);
    }
    ck_assert_int_eq(hn_wire_take(&reader, &got), 1);
    expect_job(&got);
    ck_assert_int_eq(hn_wire_take(&reader, &got), 0);
    hn_wire_reader_finish(&reader);
    hn_wire_finish(&message);
    hn_wire_finish(&got);
    free(bytes);
}

TEST(take_garbage_is_refused)
{
    struct hn_wire got = {0};
    struct hn_wire_reader reader = {0};
    ck_assert_int_eq(hn_wire_feed(&reader, "this is no message", 18), 0);
    ck_assert_int_eq(hn_wire_take(&reader, &got), -1);
    hn_wire_reader_finish(&reader);
    hn_wire_finish(&got);
}

TEST(take_announced_size_over_the_limit_is_refused)
{
    struct hn_wire message = {0};
    struct hn_wire_reader reader = {0};
    size_t length = 0;
    const uint32_t huge = HN_WIRE_LIMIT + 1;
    say_job(&message);
    char *bytes = hn_wire_encode(&message, &length);
    memcpy(bytes + 8, &huge, sizeof huge);
    ck_assert_int_eq(hn_wire_feed(&reader, bytes, length), 0);
    ck_assert_int_eq(hn_wire_take(&reader, &message), -1);
    hn_wire_reader_finish(&reader);
    hn_wire_finish(&message);
    free(bytes);
}

TEST(feed_without_end_is_refused)
{
    struct hn_wire_reader reader = {0};
    char *block = calloc(1, HN_WIRE_LIMIT);
    ck_assert_int_eq(hn_wire_feed(&reader, block, HN_WIRE_LIMIT), 0);
    ck_assert_int_eq(hn_wire_feed(&reader, block, HN_WIRE_LIMIT), 0);
    ck_assert_int_eq(hn_wire_feed(&reader, block, 1), -1);
    hn_wire_reader_finish(&reader);
    free(block);
}

TEST(add_more_than_fits_sticks)
{
    struct hn_wire message = {0};
    size_t length = 0;
    char *text = malloc(HN_WIRE_LIMIT);
    memset(text, 'x', HN_WIRE_LIMIT - 1);
    text[HN_WIRE_LIMIT - 1] = '\0';
    hn_wire_begin(&message, HN_WIRE_SETUP);
    hn_wire_add(&message, "much", text);
    hn_wire_add(&message, "more", "x");
    ck_assert_int_eq(message.status, -1);
    ck_assert_ptr_null(hn_wire_encode(&message, &length));
    ck_assert_int_eq(hn_wire_send(1, &message), HN_WIRE_UNSAYABLE);
    hn_wire_finish(&message);
    free(text);
}

TEST(next_pair_without_its_end_is_left_out)
{
    char body[] = {'k', 0, 'v', 0, 'l', 0, 'w'};
    const struct hn_wire message = {.body = body, .length = sizeof body};
    const char *key, *value;
    size_t cursor = 0;
    ck_assert_int_eq(hn_wire_next(&message, &cursor, &key, &value), 1);
    ck_assert_str_eq(value, "v");
    ck_assert_int_eq(hn_wire_next(&message, &cursor, &key, &value), 0);
}

TEST(parse_number_takes_whole_numbers_only)
{
    ck_assert_int_eq(hn_wire_parse_number("12", 5), 12);
    ck_assert_int_eq(hn_wire_parse_number("12x", 5), 5);
    ck_assert_int_eq(hn_wire_parse_number("", 5), 5);
    ck_assert_int_eq(hn_wire_parse_number(NULL, 5), 5);
    ck_assert_int_eq(hn_wire_parse_number("99999999999999999999", 5), 5);
}
