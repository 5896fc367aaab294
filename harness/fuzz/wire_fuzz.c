/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the input arrives through the pipe of a host in pieces. The supervisor's reader
 * and the host's reader both read the input.
 */
#include "wire.h"

#include "fuzz_folder.h"
#include "host_message.h"
#include "request.h"

#define PIECE 7

static void read_message(struct hn_wire *message)
{
    static struct hn_request request;
    struct hn_setup setup;
    struct hn_ending ending;
    hn_message_ending(message, &ending);
    hn_request_parse(&request, message);
    if (hn_setup_parse(&setup, message) == 0)
        hn_setup_finish(&setup);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hn_wire_reader reader = {0};
    for (size_t at = 0; at < size; at += PIECE) {
        struct hn_wire message = {0};
        const size_t length = size - at < PIECE ? size - at : PIECE;
        int got = hn_wire_feed(&reader, (const char *)data + at, length);
        while (got == 0 && (got = hn_wire_take(&reader, &message)) == 1) {
            read_message(&message);
            hn_wire_finish(&message);
            got = 0;
        }
        hn_wire_finish(&message);
        if (got < 0)
            break;
    }
    hn_wire_reader_finish(&reader);
    return 0;
}
