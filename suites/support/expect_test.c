/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests every expectation, held and violated, and the sentence that it writes. A stub replaces the
 * bridge, so that this test runs without torch.
 */
#include "bounded.h"
#include "bridge_raised.h"
#include "expect.h"
#include "fake_host.h"
#include "public_call.h"
#include "refusal.h"
#include "unit_test.h"

#include <pthread.h>
#include <string.h>

static const char *error_text = "device 7 does not exist";

const char *bridge_error_text(void)
{
    return error_text;
}

static int32_t raised = BRIDGE_RAISED_SAID;

int32_t bridge_raised(void)
{
    return raised;
}

const struct assay_build *bridge_build(void)
{
    return NULL;
}

int32_t bridge_guard_set(int32_t index)
{
    (void)index;
    return ASSAY_OK;
}

static void all_hold(struct assay_check *check)
{
    const struct bridge_device good = {ASSAY_OK, BRIDGE_PRIVATEUSE1, 1};
    expect_ok(check, ASSAY_OK);
    require_ok(check, ASSAY_OK);
    require_op(check, "aten::x", ASSAY_OK);
    require_capability(check, "rng", ASSAY_OK);
    expect_refused(check, ASSAY_EFAILED, "refuses");
    expect_refused(check, ASSAY_EUNSUPPORTED, "refuses");
    expect_device(check, good, 1, "device");
    expect_int(check, 3, 3, "int");
    expect_pointer(check, check, check, "pointer");
    expect_bytes(check, "abc", "abd", 2, "bytes");
    expect_true(check, 1 + 1 == 2, "true");
    require_means(check, 1, "means");
    ck_assert_int_eq(assay_device(check, 1), 1);
}

static void ok_violated(struct assay_check *check)
{
    expect_ok(check, ASSAY_EFAILED);
}

static void require_violated(struct assay_check *check)
{
    require_ok(check, ASSAY_EFAILED);
    ck_abort_msg("require returned");
}

static void op_missing(struct assay_check *check)
{
    require_op(check, "aten::x", ASSAY_EUNSUPPORTED);
    ck_abort_msg("require returned");
}

static void kernel_missing(struct assay_check *check)
{
    error_text = "Could not run 'aten::x' with arguments";
    expect_ok(check, ASSAY_EUNSUPPORTED);
    error_text = "device 7 does not exist";
}

/* The check expects that an argument is refused, but the backend refuses a means. */
static void refused_altogether(struct assay_check *check)
{
    error_text = "Backend doesn't support synchronizing all streams on device.";
    expect_refused(check, ASSAY_EFAILED, "refuses a bad index");
    ck_abort_msg("expect_refused went on");
}

static void absence_is_said(struct assay_check *check)
{
    error_text = "Backend doesn't support synchronizing all streams on device.";
    expect_absent(check, ASSAY_EFAILED, "says so");
    error_text = "device 7 does not exist";
}

static void absence_is_not_said(struct assay_check *check)
{
    expect_absent(check, ASSAY_OK, "says so");
}

static void capability_missing(struct assay_check *check)
{
    require_capability(check, "rng", ASSAY_EUNSUPPORTED);
    ck_abort_msg("require returned");
}

/* A message with any content counts as a refusal. */
static void capability_refused_in_own_words(struct assay_check *check)
{
    require_capability(check, "rng", ASSAY_EFAILED);
    ck_abort_msg("require returned");
}

static void op_refused_in_own_words(struct assay_check *check)
{
    require_op(check, "aten::x", ASSAY_EINVALID);
    ck_abort_msg("require returned");
}

static void capability_by_accident(struct assay_check *check)
{
    raised = BRIDGE_RAISED_ACCIDENT;
    require_capability(check, "rng", ASSAY_EFAILED);
}

static void capability_in_a_special_case(struct assay_check *check)
{
    assay_ask_special_case(check);
    require_capability(check, "rng", ASSAY_EFAILED);
}

static void kernel_in_a_special_case(struct assay_check *check)
{
    assay_ask_special_case(check);
    require_capability(check, "rng", ASSAY_EUNSUPPORTED);
}

/* The clause is about this operator, and every legal backend has it. */
static void subject_refused_in_own_words(struct assay_check *check)
{
    check->owed = "A-1:guard.setDevice A-2:aten::x";
    require_op(check, "aten::x", ASSAY_EFAILED);
}

static void subject_refused_altogether(struct assay_check *check)
{
    check->owed = "A-1:guard.synchronizeDevice";
    refused_altogether(check); /* the wrong index is refused as well */
}

static void subject_of_another_clause(struct assay_check *check)
{
    check->owed = "A-1:aten::x A-10:aten::xy";
    assay_is_about_clause(check, "A-10");
    require_op(check, "aten::x", ASSAY_EFAILED);
}

/* A stub of the call whose dtype the backend refuses. */
static int32_t bridge_tensor_empty_of_bytes(void)
{
    return ASSAY_EINVALID;
}
#define bridge_tensor_empty(bytes) bridge_tensor_empty_of_bytes()

static void kind_is_refused(struct assay_check *check)
{
    require_ok(check, bridge_tensor_empty(8));
    ck_abort_msg("require returned");
}

static void kind_is_not_the_only_one(struct assay_check *check)
{
    check->takes = "float32 16x16";
    kind_is_refused(check);
}

static void sample_is_refused(struct assay_check *check)
{
    check->takes = "float32 16x16";
    assay_use_sample(check);
    kind_is_refused(check);
}

static void kind_is_refused_by_accident(struct assay_check *check)
{
    raised = BRIDGE_RAISED_ACCIDENT;
    kind_is_refused(check);
}

static void refused_succeeds(struct assay_check *check)
{
    expect_refused(check, ASSAY_OK, "a bad index is refused");
}

static void refused_asserts(struct assay_check *check)
{
    expect_refused(check, ASSAY_EINTERNAL, "a bad index is refused");
}

static void device_other_index(struct assay_check *check)
{
    const struct bridge_device seen = {ASSAY_OK, BRIDGE_PRIVATEUSE1, -1};
    expect_device(check, seen, 1, "current is set");
}

static void device_other_type(struct assay_check *check)
{
    const struct bridge_device seen = {ASSAY_OK, 1, 1};
    expect_device(check, seen, 1, "current is set");
}

static void device_raises(struct assay_check *check)
{
    const struct bridge_device seen = {ASSAY_EFAILED, -1, -1};
    require_device(check, seen, 1, "current is set");
}

static void int_differs(struct assay_check *check)
{
    const int64_t count = INT64_MIN;
    expect_int(check, count, 2, "count");
}

static void stream_raises(struct assay_check *check)
{
    const struct bridge_stream seen = {.status = ASSAY_EFAILED, .device = -1};
    expect_stream(check, seen, 1, "getStream takes an index of -1 for the current device");
}

/* The clause requires that the call works, so a refusal does not block the check. */
static void works_not(struct assay_check *check)
{
    error_text = "Could not run 'aten::x' with arguments";
    expect_works(check, ASSAY_EUNSUPPORTED, "isBuilt never raises");
    error_text = "device 7 does not exist";
}

static void pointer_differs(struct assay_check *check)
{
    expect_pointer(check, NULL, (const void *)16, "a view shares the storage of its base");
}

static void pointer_is_before(struct assay_check *check)
{
    const struct {
        const void *data;
    } seen = {(const void *)0x1000};
    expect_pointer(check, seen.data, (const void *)0x101c, "a view begins at its offset");
}

static void index_is_taken(struct assay_check *check)
{
    const int32_t count = 2;
    expect_refused_with(check, bridge_guard_set(count), count, "an index is refused");
}

static void words_of_its_own(struct assay_check *check)
{
    expect_that(check, 2 + 2 == 5, "numbers add up", "%d and %d are %d", 2, 2, 4);
    require_that(check, 0, "numbers add up", "never");
    ck_abort_msg("require_that went on");
}

static void bytes_differ(struct assay_check *check)
{
    expect_bytes(check, "abc", "abd", 3, "copy");
}

static void condition_false(struct assay_check *check)
{
    const int left = 1;
    require_true(check, left > 2, "order");
}

static void means_missing(struct assay_check *check)
{
    assay_device(check, 2);
}

static void wait_until_released(void *context)
{
    pthread_mutex_lock(context);
    pthread_mutex_unlock(context);
}

static pthread_mutex_t held_for_ever = PTHREAD_MUTEX_INITIALIZER;

static void thread_late(struct assay_check *check)
{
    pthread_mutex_lock(&held_for_ever);
    assay_on_thread(check, wait_until_released, &held_for_ever, "setDevice returns");
}

static void skipped(struct assay_check *check)
{
    assay_skip(check, "streams", "getNewStream is refused");
}

static void there_all_the_same(struct assay_check *check)
{
    assay_have_all_the_same(check, "streams", "getNewStream works");
}

static const struct expectation {
    void (*body)(struct assay_check *check);
    int32_t findings, kind, abandoned;
    const char *seen, *subject;
} expectations[] = {
    {all_hold, 0, 0, 0, "", ""},
    {ok_violated, 1, ASSAY_FINDING_FAIL, 0, "the call raised: device 7 does not exist", ""},
    {require_violated, 1, ASSAY_FINDING_FAIL, 1, "the call raised: device 7 does not exist", ""},
    {kernel_missing, 1, ASSAY_FINDING_BLOCKED, 1,
     "the call raised: Could not run 'aten::x' with arguments", "aten::x"},
    {refused_altogether, 1, ASSAY_FINDING_BLOCKED, 1,
     "Backend doesn't support synchronizing all streams on device.", "guard.synchronizeDevice"},
    {absence_is_said, 0, 0, 0, "", ""},
    {absence_is_not_said, 1, ASSAY_FINDING_FAIL, 0, "the call succeeded, expected an error", ""},
    {op_missing, 1, ASSAY_FINDING_BLOCKED, 1, "device 7 does not exist", "aten::x"},
    {capability_missing, 1, ASSAY_FINDING_SKIP, 1, "device 7 does not exist", "rng"},
    {capability_refused_in_own_words, 1, ASSAY_FINDING_SKIP, 1, "device 7 does not exist", "rng"},
    {op_refused_in_own_words, 1, ASSAY_FINDING_BLOCKED, 1, "device 7 does not exist", "aten::x"},
    {subject_refused_in_own_words, 1, ASSAY_FINDING_FAIL, 1, "device 7 does not exist", "aten::x"},
    {subject_refused_altogether, 1, ASSAY_FINDING_FAIL, 1,
     "Backend doesn't support synchronizing all streams on device.", "guard.synchronizeDevice"},
    {subject_of_another_clause, 1, ASSAY_FINDING_BLOCKED, 1, "device 7 does not exist", "aten::x"},
    {capability_by_accident, 1, ASSAY_FINDING_FAIL, 1, "the call raised: device 7 does not exist",
     ""},
    {capability_in_a_special_case, 1, ASSAY_FINDING_FAIL, 1,
     "the call raised: device 7 does not exist", ""},
    {kernel_in_a_special_case, 1, ASSAY_FINDING_SKIP, 1, "device 7 does not exist", "rng"},
    {kind_is_refused, 1, ASSAY_FINDING_BLOCKED, 1, "aten::empty(8) raised: device 7 does not exist",
     "aten::empty.memory_format"},
    {kind_is_not_the_only_one, 1, ASSAY_FINDING_SKIP, 1,
     "the device takes tensors of float32 16x16, and the check needs others: "
     "aten::empty(8) raised: device 7 does not exist",
     "the device takes tensors of float32 16x16, and the check needs others: "
     "aten::empty(8) raised: device 7 does not exist"},
    {sample_is_refused, 1, ASSAY_FINDING_BLOCKED, 1,
     "aten::empty(8) raised: device 7 does not exist", "aten::empty.memory_format"},
    {kind_is_refused_by_accident, 1, ASSAY_FINDING_FAIL, 1,
     "aten::empty(8) raised: device 7 does not exist", ""},
    {refused_succeeds, 1, ASSAY_FINDING_FAIL, 0, "the call succeeded, expected an error", ""},
    {refused_asserts, 1, ASSAY_FINDING_FAIL, 0,
     "the call hit an internal assert instead of a clear error: device 7 does not exist", ""},
    {device_other_index, 1, ASSAY_FINDING_FAIL, 0, "the call is device -1, expected 1", ""},
    {device_other_type, 1, ASSAY_FINDING_FAIL, 0,
     "the call has device type 1, expected 20 (PrivateUse1)", ""},
    {device_raises, 1, ASSAY_FINDING_FAIL, 1, "the call raised: device 7 does not exist", ""},
    {int_differs, 1, ASSAY_FINDING_FAIL, 0,
     "the number of calls is -9223372036854775808, expected 2", ""},
    {stream_raises, 1, ASSAY_FINDING_FAIL, 0, "the call raised: device 7 does not exist", ""},
    {works_not, 1, ASSAY_FINDING_FAIL, 0, "the call raised: Could not run 'aten::x' with arguments",
     ""},
    {pointer_differs, 1, ASSAY_FINDING_FAIL, 0, "it is null, expected 0x10", ""},
    {pointer_is_before, 1, ASSAY_FINDING_FAIL, 0,
     "the data pointer is 0x1000, expected 0x101c, 28 bytes further on", ""},
    {index_is_taken, 1, ASSAY_FINDING_FAIL, 0, "setDevice(2) succeeded, expected an error", ""},
    {words_of_its_own, 2, ASSAY_FINDING_FAIL, 1, "never", ""},
    {bytes_differ, 1, ASSAY_FINDING_FAIL, 0, "byte 2 of 3 is 0x63, expected 0x64", ""},
    {condition_false, 1, ASSAY_FINDING_FAIL, 1, "not so: left > 2", ""},
    {means_missing, 1, ASSAY_FINDING_BROKEN, 1, "", ""},
    {thread_late, 1, ASSAY_FINDING_FAIL, 1,
     "not so: a thread of the check returned before the deadline", ""},
    {skipped, 1, ASSAY_FINDING_SKIP, 1, "getNewStream is refused", "streams"},
    {there_all_the_same, 1, ASSAY_FINDING_NOTED, 1, "getNewStream works", "streams"},
};

TEST_EACH(expectation_writes_its_sentence, expectations)
{
    const struct expectation *const expected = &expectations[_i];
    struct fake_host host = {.milliseconds = 600};
    fake_host_run(&host, expected->body);
    ck_assert_int_eq(host.findings, expected->findings);
    ck_assert_int_eq(host.kind, expected->kind);
    ck_assert_int_eq(host.abandoned, expected->abandoned);
    ck_assert_str_eq(host.seen, expected->seen);
    ck_assert_str_eq(host.subject, expected->subject);
    ck_assert_int_gt(host.line, 0);
}

static const struct {
    const char *expression, *words;
} calls[] = {
    {"bridge_stream_current(-1).device", "getStream(-1).device"},
    {"bridge_guard_current().status", "getDevice()"},
    {"bridge_hooks_has_context(device, &has)", "hasPrimaryContext(device)"},
    {"bridge_stream_synchronize(made(check, first))", "synchronizeStream(made(check, first))"},
    {"bridge_write(data, device, bytes, sizeof bytes)", "a copy to the device"},
    {"bridge_nothing_like_it()", ""},
    {"one.storage", ""},
    {"doors[door].use(check, index)", ""},
};

TEST_EACH(call_is_told_by_its_name_of_pytorch, calls)
{
    char text[64];
    ck_assert_int_eq(assay_public_call(calls[_i].expression, text, sizeof text),
                     calls[_i].words[0] != '\0');
    ck_assert_str_eq(text, calls[_i].words);
    assay_public_call(calls[_i].expression, text, 8);
    ck_assert_uint_lt(strlen(text), 8);
}

static const struct {
    const char *expression, *words;
} subjects[] = {
    {"seen->data", "the data pointer"},
    {"one.storage_offset", "the storage offset"},
    {"seen->sizes[i]", "the size"},
    {"assay_new_stream(check, -1).device", "the device index"},
    {"assay_is_complete(check, events[ROW - 1])", "queryEvent"},
    {"(intptr_t)one.data - (intptr_t)all.data", "the change of the data pointer"},
    {"3", "it"},
    {"left > right", "it"},
};

TEST_EACH(value_is_told_by_what_it_is, subjects)
{
    char text[64];
    assay_subject(subjects[_i].expression, text, sizeof text);
    ck_assert_str_eq(text, subjects[_i].words);
}

TEST(call_is_told_with_the_value_of_an_argument)
{
    char text[64];
    assay_with_value("bridge_new(count_of, count)", "count", -1, text, sizeof text);
    ck_assert_str_eq(text, "bridge_new(count_of, -1)");
    assay_with_value("bridge_new(sizes[i], &block)", "sizes[i]", 7, text, sizeof text);
    ck_assert_str_eq(text, "bridge_new(7, &block)");
    assay_with_value("bridge_new(0)", "count", 7, text, sizeof text);
    ck_assert_str_eq(text, "bridge_new(0)");
}

TEST(random_of_equal_seed_is_equal)
{
    uint64_t first = 0, second = 0, other = 1;
    ck_assert_uint_eq(assay_random(&first), assay_random(&second));
    ck_assert_uint_ne(assay_random(&first), assay_random(&other));
}
