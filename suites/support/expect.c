/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See expect.h. Formats the sentence with both values and passes it to the host. Prints nothing.
 */
#include "expect.h"
#include "assay/target.h"
#include "public_call.h"
#include "refusal.h"
#include "refused_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NEAR ((uintptr_t)1 << 20)

static void report(struct assay_line at, int32_t kind, const char *subject, const char *what,
                   const char *seen)
{
    const struct assay_finding finding = {
        .struct_size = sizeof finding,
        .kind = kind,
        .what = what,
        .seen = seen,
        .subject = subject,
        .file = at.file,
        .line = at.line,
    };
    at.check->host->report(at.check, &finding);
}

/* Writes the name of the missing thing and not the expectation, because a check that ends here has
 * shown nothing about the backend. */
static void name_what_is_missing(int32_t kind, const char *subject, char *text, size_t size)
{
    switch (kind) {
    case ASSAY_FINDING_SKIP:
        snprintf(text, size, "lacks %s", subject);
        break;
    case ASSAY_FINDING_NOTED:
        snprintf(text, size, "the capability %s is present", subject);
        break;
    case ASSAY_FINDING_UNOBSERVABLE:
        snprintf(text, size, "cannot be observed without %s", subject);
        break;
    default:
        snprintf(text, size, "the backend does not offer %s", subject);
    }
}

static const char *(*_Atomic reason_to_doubt)(struct assay_check *check);

void assay_doubt_failures(const char *(*doubt)(struct assay_check *check))
{
    reason_to_doubt = doubt;
}

void assay_say_unobservable(struct assay_line at, const char *instrument, const char *why)
{
    char what[256];
    name_what_is_missing(ASSAY_FINDING_UNOBSERVABLE, instrument, what, sizeof what);
    report(at, ASSAY_FINDING_UNOBSERVABLE, instrument, what, why);
}

static void found(struct assay_line at, int32_t kind, const char *subject, const char *what,
                  const char *seen)
{
    const char *(*const doubt)(struct assay_check *check) = reason_to_doubt;
    const char *const why = kind == ASSAY_FINDING_FAIL && doubt ? doubt(at.check) : NULL;
    if (why)
        assay_say_unobservable(at, ASSAY_GATE, why);
    else
        report(at, kind, subject, what, seen);
}

static void mark(struct assay_line at)
{
    at.check->host->mark(at.check, at.file, at.line);
}

/* Ends the check as blocked if `seen` is a clear refusal of a means, because the rest of the check
 * would be meaningless. If the clause is about the refused means, the check fails. */
static void block_if_refused(struct assay_line at, const char *seen)
{
    char means[256];
    if (!assay_refused_means(seen, means, sizeof means))
        return;
    if (assay_is_owed(at.check, means))
        found(at, ASSAY_FINDING_FAIL, means, "the backend offers what the clause is about", seen);
    else
        found(at, ASSAY_FINDING_BLOCKED, means,
              "the backend does not offer what the check relies on", seen);
    at.check->host->abandon(at.check);
}

/* Ends the check if the devices accept tensors of one kind and the check has only used others. */
static void end_if_of_another_kind(struct assay_line at, const char *seen)
{
    char why[512];
    const char *const kind = assay_unused_kind(at.check);
    if (!kind)
        return;
    snprintf(why, sizeof why, "the device takes tensors of %s, and the check needs others: %s",
             kind, seen);
    found(at, ASSAY_FINDING_SKIP, why, "the check does not apply", why);
    at.check->host->abandon(at.check);
}

static void fail(struct assay_line at, const char *what, const char *seen)
{
    block_if_refused(at, seen);
    found(at, ASSAY_FINDING_FAIL, NULL, what, seen);
}

struct words {
    char text[256];
};

/* Returns PyTorch's name of the call. */
static struct words words_for(const char *call)
{
    struct words words;
    if (!assay_public_call(call, words.text, sizeof words.text))
        snprintf(words.text, sizeof words.text, "the call");
    return words;
}

/* Returns the name of a value. */
static struct words subject_of(const char *expression)
{
    struct words words;
    if (!assay_public_call(expression, words.text, sizeof words.text))
        assay_subject(expression, words.text, sizeof words.text);
    return words;
}

void assay_end_unless(struct assay_line at, int holds)
{
    if (!holds)
        at.check->host->abandon(at.check);
}

/* Calls in which the dtype or the size of a tensor is a means. */
static const struct {
    const char *call, *means;
} of_a_kind[] = {
    {"bridge_tensor_empty(", "aten::empty.memory_format"},
    {"bridge_tensor_to(", "aten::_copy_from"},
    {"bridge_allocate(", NULL}, /* a refused size is a means only if there is one kind */
    {"bridge_raw_allocate(", NULL},
};

/* Ends the check if the backend refuses the dtype or the size of a tensor. */
static void block_if_kind_is_refused(struct assay_line at, int32_t status, const char *call,
                                     const char *seen)
{
    if (!assay_is_refused(at.check, status))
        return;
    for (size_t i = 0; i < sizeof of_a_kind / sizeof *of_a_kind; i++)
        if (strncmp(call, of_a_kind[i].call, strlen(of_a_kind[i].call)) == 0) {
            end_if_of_another_kind(at, seen);
            if (of_a_kind[i].means)
                assay_give_up(at, ASSAY_FINDING_BLOCKED, of_a_kind[i].means, seen);
        }
}

int assay_expect_ok(struct assay_line at, int32_t status, const char *call)
{
    char seen[1024];
    mark(at);
    if (status == ASSAY_OK)
        return 1;
    snprintf(seen, sizeof seen, "%s raised: %s", words_for(call).text, bridge_error_text());
    block_if_kind_is_refused(at, status, call, seen);
    fail(at, "the call succeeds", seen);
    return 0;
}

int assay_expect_works(struct assay_line at, int32_t status, const char *call, const char *what)
{
    char seen[1024];
    mark(at);
    if (status == ASSAY_OK)
        return 1;
    snprintf(seen, sizeof seen, "%s raised: %s", words_for(call).text, bridge_error_text());
    found(at, ASSAY_FINDING_FAIL, NULL, what, seen);
    return 0;
}

void assay_require_ok(struct assay_line at, int32_t status, const char *call)
{
    assay_end_unless(at, assay_expect_ok(at, status, call));
}

/* If the target claims the capability, a skip becomes a failure, because a skip would hide that the
 * capability does not work. If the refused means is the subject of the clause, a block becomes a
 * failure. */
static int32_t unless_owed(struct assay_line at, int32_t kind, const char *subject)
{
    if (kind == ASSAY_FINDING_BLOCKED && assay_is_owed(at.check, subject))
        return ASSAY_FINDING_FAIL;
    const struct assay_check_host *const host = at.check->host;
    const int there = kind == ASSAY_FINDING_SKIP && host->capability &&
                      host->capability(at.check, subject) == ASSAY_YES;
    return there ? ASSAY_FINDING_FAIL : kind;
}

void assay_give_up(struct assay_line at, int32_t kind, const char *subject, const char *why)
{
    char what[256];
    if (kind == ASSAY_FINDING_BLOCKED)
        end_if_of_another_kind(at, why);
    const int32_t kind_here = unless_owed(at, kind, subject);
    if (kind_here == kind)
        name_what_is_missing(kind, subject, what, sizeof what);
    else
        snprintf(what, sizeof what,
                 kind == ASSAY_FINDING_SKIP ? "the backend has %s, as it claims"
                                            : "the backend offers %s",
                 subject);
    found(at, kind_here, subject, what, why);
    at.check->host->abandon(at.check);
}

static void require_or(struct assay_line at, int32_t kind, const char *subject, int32_t status,
                       const char *call)
{
    mark(at);
    if (assay_is_refused(at.check, status))
        assay_give_up(at, kind, subject, bridge_error_text());
    assay_require_ok(at, status, call);
}

void assay_require_op(struct assay_line at, const char *op, int32_t status, const char *call)
{
    require_or(at, ASSAY_FINDING_BLOCKED, op, status, call);
}

void assay_require_capability(struct assay_line at, const char *capability, int32_t status,
                              const char *call)
{
    require_or(at, ASSAY_FINDING_SKIP, capability, status, call);
}

int assay_expect_absent(struct assay_line at, int32_t status, const char *call, const char *what)
{
    char seen[1024];
    mark(at);
    if (status < 0 && status != ASSAY_EINTERNAL)
        return 1;
    if (status == ASSAY_OK) {
        snprintf(seen, sizeof seen, "%s succeeded, expected an error", words_for(call).text);
    } else {
        snprintf(seen, sizeof seen, "%s hit an internal assert instead of a clear error: %s",
                 words_for(call).text, bridge_error_text());
    }
    found(at, ASSAY_FINDING_FAIL, NULL, what, seen);
    return 0;
}

int assay_expect_refused(struct assay_line at, int32_t status, const char *call, const char *what)
{
    if (status < 0)
        block_if_refused(at, bridge_error_text());
    return assay_expect_absent(at, status, call, what);
}

int assay_expect_refused_with(struct assay_line at, int32_t status, const char *call,
                              const char *argument, int64_t value, const char *what)
{
    char told[256];
    assay_with_value(call, argument, value, told, sizeof told);
    return assay_expect_refused(at, status, told, what);
}

int assay_expect_device(struct assay_line at, struct bridge_device seen, int32_t index,
                        const char *call, const char *what)
{
    char text[1024];
    const struct words words = words_for(call);
    mark(at);
    if (seen.status != ASSAY_OK)
        snprintf(text, sizeof text, "%s raised: %s", words.text, bridge_error_text());
    else if (seen.type != BRIDGE_PRIVATEUSE1)
        snprintf(text, sizeof text, "%s has device type %d, expected %d (PrivateUse1)", words.text,
                 (int)seen.type, BRIDGE_PRIVATEUSE1);
    else if (seen.index != index)
        snprintf(text, sizeof text, "%s is device %d, expected %d", words.text, (int)seen.index,
                 (int)index);
    else
        return 1;
    fail(at, what, text);
    return 0;
}

int assay_expect_stream(struct assay_line at, struct bridge_stream seen, int32_t index,
                        const char *call, const char *what)
{
    const struct bridge_device device = {seen.status, BRIDGE_PRIVATEUSE1, seen.device};
    return assay_expect_device(at, device, index, call, what);
}

int assay_expect_int(struct assay_line at, int64_t seen, int64_t expected, const char *call,
                     const char *what)
{
    char text[512];
    mark(at);
    if (seen == expected)
        return 1;
    snprintf(text, sizeof text, "%s is %" PRId64 ", expected %" PRId64, subject_of(call).text, seen,
             expected);
    fail(at, what, text);
    return 0;
}

/* Returns a text such as ", 28 bytes further on" if both pointers may be in one block. */
static struct words distance_to(const void *seen, const void *expected)
{
    const uintptr_t from = (uintptr_t)seen, to = (uintptr_t)expected;
    const uintptr_t bytes = from < to ? to - from : from - to;
    struct words words = {""};
    if (bytes < NEAR)
        snprintf(words.text, sizeof words.text, ", %zu bytes %s", (size_t)bytes,
                 from < to ? "further on" : "before");
    return words;
}

int assay_expect_pointer(struct assay_line at, const void *seen, const void *expected,
                         const char *call, const char *what)
{
    char text[512];
    mark(at);
    if (seen == expected)
        return 1;
    const struct words it = subject_of(call);
    if (!seen)
        snprintf(text, sizeof text, "%s is null, expected %p", it.text, expected);
    else if (!expected)
        snprintf(text, sizeof text, "%s is %p, expected null", it.text, seen);
    else
        snprintf(text, sizeof text, "%s is %p, expected %p%s", it.text, seen, expected,
                 distance_to(seen, expected).text);
    fail(at, what, text);
    return 0;
}

int assay_expect_that(struct assay_line at, int holds, const char *what, const char *seen, ...)
{
    char text[1024];
    va_list values;
    mark(at);
    if (holds)
        return 1;
    va_start(values, seen);
    vsnprintf(text, sizeof text, seen, values);
    va_end(values);
    fail(at, what, text);
    return 0;
}

int assay_expect_bytes(struct assay_line at, const void *seen, const void *expected, size_t size,
                       const char *what)
{
    const unsigned char *const left = seen, *const right = expected;
    char text[160];
    mark(at);
    for (size_t i = 0; i < size; i++) {
        if (left[i] != right[i]) {
            snprintf(text, sizeof text, "byte %zu of %zu is 0x%02x, expected 0x%02x", i, size,
                     left[i], right[i]);
            fail(at, what, text);
            return 0;
        }
    }
    return 1;
}

int assay_expect_true(struct assay_line at, int holds, const char *condition, const char *what)
{
    char text[512];
    mark(at);
    if (!holds) {
        snprintf(text, sizeof text, "not so: %s", condition);
        fail(at, what, text);
    }
    return holds;
}

void assay_require_means(struct assay_line at, int holds, const char *what)
{
    mark(at);
    if (!holds)
        found(at, ASSAY_FINDING_BROKEN, NULL, what, NULL);
    assay_end_unless(at, holds);
}

void assay_is_about_clause(struct assay_check *check, const char *clause)
{
    assay_owes_for(check, clause);
    if (ASSAY_HAS(check->host, struct assay_check_host, clause))
        check->host->clause(check, clause);
}

int32_t assay_device(struct assay_check *check, uint32_t number)
{
    require_means(check, number < check->device_count,
                  "the check uses more devices than its contract entry asks for");
    return check->devices[number];
}

void assay_note_int(struct assay_check *check, const char *key, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    check->host->note(check, key, text);
}

/* splitmix64: every seed, including zero, starts a different good sequence. */
uint64_t assay_random(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}
