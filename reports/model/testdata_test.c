/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the journals of testdata/runs with the writer that real runs use, so that no test reads a
 * journal that a real run could not write. Without GOLDEN_WRITE=1, compares the journals with the
 * files instead.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "journal.h"
#include "test_folder.h"
#include "unit_test.h"

static const struct hn_planned planned[] = {
    {"guard.is_registered", HN_MUST, 0, ""},
    {"guard.exchange_device_returns_the_previous_device", HN_MUST, 0, ""},
    {"guard.device_guard_restores_the_device", HN_MUST, 0, ""},
    {"guard.device_count_is_constant", HN_SHOULD, 0, ""},
    {"streams.gate_holds", HN_MUST, 0, ""},
    {"streams.default", HN_MUST, 0, ""},
    {"streams.priority", HN_MAY, 0, ""},
    {"amp.lists", HN_MUST, 0, ""},
    {"amp.core_says_so", HN_MUST, 0, ""},
    {"amp.late", HN_MUST, 0, ""},
    {"amp.last", HN_MUST, 0, ""},
    {"streams.added", HN_MUST, 0, ""},
    {"streams.refusal", HN_SHOULD, 0, ""},
};
static const int devices[] = {0, 1};
static const struct hn_note lists_seen[] = {{"lists seen", "fp32, bf16"}};

static struct hn_journal journal;

static void put(struct hn_record record)
{
    struct hn_error error = {0};
    ck_assert_msg(hn_journal_write(&journal, &record, &error) == HN_OK, "%s", error.text);
}

static void put_target(const char *mode, const char *why)
{
    put((struct hn_record){.event = HN_EVENT_ISOLATION, .isolation = {mode, why}});
    put((struct hn_record){.event = HN_EVENT_TARGET,
                           .target = {.device = "foo", .devices = devices, .device_count = 2}});
}

static void put_start(const char *id, int attempt)
{
    put((struct hn_record){.event = HN_EVENT_START, .start = {id, "", attempt}});
}

/* Writes a verdict of a check that did not run. */
static void put_verdict(struct hn_end_record end)
{
    end.final = end.again == HN_FINAL;
    put((struct hn_record){.event = HN_EVENT_END, .end = end});
}

static void put_attempt(struct hn_end_record end)
{
    end.attempt = end.attempt ? end.attempt : 1;
    put_start(end.id, end.attempt);
    put_verdict(end);
}

static void put_pass(const char *id)
{
    put_attempt((struct hn_end_record){.id = id, .verdict = HN_PASS, .duration_ms = 2.5});
}

static void make_mixed(void)
{
    static const struct hn_doubt doubts[] = {
        {"warning", "the wheel asks for torch 2.12, 2.13.0 is \x1b[31minstalled"}};
    put((struct hn_record){.event = HN_EVENT_RUN,
                           .run = {.date = "2026-11-21T13:48:05Z",
                                   .seed = "7",
                                   .checks = planned,
                                   .check_count = 11,
                                   .target = {.name = "foo.yaml"},
                                   .torch = {"2.13.0", "abcdef", ""},
                                   .contract = {1, "0123456789abcdef"},
                                   .shard = {1, 1},
                                   .host = {.name = "builder"},
                                   .command = "assay run --target foo.yaml"}});
    put((struct hn_record){.event = HN_EVENT_PREFLIGHT, .preflight = {doubts, 1}});
    put_target("fork-clean", "the profile says so");
    put_pass("guard.is_registered");
    put_attempt((struct hn_end_record){.id = "guard.exchange_device_returns_the_previous_device",
                                       .verdict = HN_FAIL,
                                       .demand = "exchange returns what was current",
                                       .seen = "exchange(1) returned 1, expected 0",
                                       .location = "suites/guard/check_exchange.c:14",
                                       .duration_ms = 3.25});
    put_verdict((struct hn_end_record){
        .id = "guard.device_guard_restores_the_device",
        .verdict = HN_BLOCKED,
        .reason =
            "builds on guard.exchange_device_returns_the_previous_device, which came out as fail",
        .blocked_by = "guard.exchange_device_returns_the_previous_device"});
    put_verdict((struct hn_end_record){
        .id = "streams.gate_holds",
        .verdict = HN_BLOCKED,
        .reason = "builds on guard.device_guard_restores_the_device, which came out as blocked",
        .blocked_by = "guard.device_guard_restores_the_device"});
    put_attempt((struct hn_end_record){.id = "guard.device_count_is_constant",
                                       .again = HN_AGAIN_RETRY,
                                       .verdict = HN_FAIL,
                                       .seen = "1, expected 2"});
    put_attempt((struct hn_end_record){.id = "guard.device_count_is_constant",
                                       .attempt = 2,
                                       .verdict = HN_FLAKY,
                                       .reason = "passed at the second attempt",
                                       .duration_ms = 1});
    put_attempt((struct hn_end_record){.id = "streams.default",
                                       .verdict = HN_UNOBSERVABLE,
                                       .reason = "needs assay.gate/1",
                                       .subject = "gate"});
    put_attempt((struct hn_end_record){
        .id = "streams.priority",
        .verdict = HN_CRASH,
        .reason = "SIGSEGV in stage \"check\", last seen at check_x.c:9 \x1b[2Jhidden",
        .location = "check_x.c:9",
        .signal = "SIGSEGV",
        .stage = "check",
        .frames = "fd_stream_wait (libfakedev.so) < f (x.py:3)",
        .said = "no such queue",
        .folder = "jobs/streams.priority"});
    put_attempt((struct hn_end_record){.id = "amp.lists", .verdict = HN_PASS, .duration_ms = 11});
    put_attempt((struct hn_end_record){.id = "amp.core_says_so",
                                       .verdict = HN_FAIL,
                                       .seen = "1, expected 2",
                                       .location = "suites/amp/test_x.py:3"});
    put_start("amp.late", 1);
    put((struct hn_record){.event = HN_EVENT_FINISH,
                           .finish = {.why = "the deadline of the run passed",
                                      .totals = {[HN_CRASH] = 1,
                                                 [HN_FAIL] = 2,
                                                 [HN_NOTRUN] = 2,
                                                 [HN_BLOCKED] = 2,
                                                 [HN_UNOBSERVABLE] = 1,
                                                 [HN_FLAKY] = 1,
                                                 [HN_PASS] = 2}}});
}

static void make_later(void)
{
    struct hn_planned checks[12];
    memcpy(checks, planned, 10 * sizeof *planned);
    memcpy(checks + 10, planned + 11, 2 * sizeof *planned);
    put((struct hn_record){.event = HN_EVENT_RUN,
                           .run = {.date = "2026-11-22T13:48:05Z",
                                   .seed = "7",
                                   .checks = checks,
                                   .check_count = 12,
                                   .target = {.name = "foo.yaml"},
                                   .torch = {"2.14.0", "fedcba", ""},
                                   .contract = {1, "0123456789abcdef"},
                                   .shard = {1, 1},
                                   .host = {"builder", "Linux", "6.1", "x86_64", 2},
                                   .command = "assay run --target foo.yaml"}});
    put_target("fork-loaded", "both came out the same");
    put_pass("guard.is_registered");
    put_pass("guard.exchange_device_returns_the_previous_device");
    put_pass("guard.device_guard_restores_the_device");
    put_pass("streams.default");
    put_pass("streams.gate_holds");
    put_attempt((struct hn_end_record){.id = "guard.device_count_is_constant",
                                       .verdict = HN_FLAKY,
                                       .reason = "passed at the second attempt",
                                       .duration_ms = 2.5});
    put_attempt((struct hn_end_record){.id = "streams.priority",
                                       .verdict = HN_SKIP,
                                       .reason = "no priorities",
                                       .subject = "streams.priority",
                                       .duration_ms = 2.5});
    put_pass("streams.refusal");
    put_attempt((struct hn_end_record){.id = "streams.added",
                                       .verdict = HN_TIMEOUT,
                                       .reason = "no end after 30 s",
                                       .location = "suites/streams/check_x.c:70",
                                       .duration_ms = 2.5,
                                       .stage = "check",
                                       .folder = "jobs/streams.added"});
    put_attempt((struct hn_end_record){.id = "amp.lists",
                                       .verdict = HN_FAIL,
                                       .demand = "lists \xe2\x80\xaegnp.exe",
                                       .seen = "</script><script>alert(1)</script>",
                                       .location = "suites/amp/test_x.py:9",
                                       .duration_ms = 2.5,
                                       .folder = "jobs/amp.lists"});
    put_verdict((struct hn_end_record){.id = "amp.core_says_so",
                                       .verdict = HN_BLOCKED,
                                       .reason = "builds on amp.lists, which came out as fail",
                                       .blocked_by = "amp.lists"});
    put_attempt((struct hn_end_record){.id = "amp.late",
                                       .verdict = HN_NOTED,
                                       .notes = lists_seen,
                                       .note_count = 1,
                                       .duration_ms = 2.5});
    put((struct hn_record){.event = HN_EVENT_FINISH,
                           .finish = {.complete = 1,
                                      .totals = {[HN_TIMEOUT] = 1,
                                                 [HN_FAIL] = 1,
                                                 [HN_BLOCKED] = 1,
                                                 [HN_SKIP] = 1,
                                                 [HN_FLAKY] = 1,
                                                 [HN_NOTED] = 1,
                                                 [HN_PASS] = 6}}});
}

static const struct {
    const char *path;
    void (*make)(void);
} runs[] = {{TEST_DATA "/runs/mixed/journal.jsonl", make_mixed},
            {TEST_DATA "/runs/later/journal.jsonl", make_later}};

static void make(const char *path, size_t run)
{
    struct hn_error error = {0};
    unlink(path);
    ck_assert_msg(hn_journal_create(&journal, path, &error) == HN_OK, "%s", error.text);
    runs[run].make();
    hn_journal_close(&journal);
}

TEST_FIXTURE(test_folder_make, test_folder_remove);

TEST_TIMES(test_data_is_what_the_writer_writes, 2)
{
    char *made = NULL, *kept = NULL;
    size_t length;
    struct hn_error error = {0};
    make(test_path("journal.jsonl"), (size_t)_i);
    if (getenv("GOLDEN_WRITE"))
        make(runs[_i].path, (size_t)_i);
    ck_assert_int_eq(hn_file_read(test_path("journal.jsonl"), 1 << 20, &made, &length, &error), 0);
    ck_assert_int_eq(hn_file_read(runs[_i].path, 1 << 20, &kept, &length, &error), 0);
    ck_assert_str_eq(kept, made);
    free(made);
    free(kept);
}
