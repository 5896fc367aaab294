/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See expect.h. Builds the sentence that shows both values and hands it to the host. Prints
 * nothing.
 */
#include "expect.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void found(struct assay_line at, int32_t kind, const char *subject, const char *what,
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

static void mark(struct assay_line at)
{
    at.check->host->mark(at.check, at.file, at.line);
}

static void fail(struct assay_line at, const char *what, const char *seen)
{
    found(at, ASSAY_FINDING_FAIL, NULL, what, seen);
}

static void end_unless(int holds, struct assay_line at)
{
    if (!holds) {
        at.check->host->abandon(at.check);
    }
}

/* PyTorch's words for an operator without a kernel: "Could not run 'aten::x' with arguments". */
static int name_missing_operator(const char *text, char *name, size_t size)
{
    static const char opening[] = "Could not run '";
    const char *const found_at = strstr(text, opening);
    if (found_at == NULL) {
        return 0;
    }
    const char *const begin = found_at + strlen(opening);
    snprintf(name, size, "%.*s", (int)strcspn(begin, "'"), begin);
    return 1;
}

int assay_expect_ok(struct assay_line at, int32_t status, const char *call)
{
    char seen[1024];
    mark(at);
    if (status == ASSAY_OK) {
        return 1;
    }
    if (name_missing_operator(bridge_error_text(), seen, 256)) {
        found(at, ASSAY_FINDING_BLOCKED, seen, "the backend offers the operator",
              bridge_error_text());
        return 0;
    }
    snprintf(seen, sizeof seen, "%s raised: %s", call, bridge_error_text());
    fail(at, "the call succeeds", seen);
    return 0;
}

void assay_require_ok(struct assay_line at, int32_t status, const char *call)
{
    end_unless(assay_expect_ok(at, status, call), at);
}

static void require_or(struct assay_line at, int32_t kind, const char *subject, int32_t status,
                       const char *call)
{
    mark(at);
    if (status == ASSAY_EUNSUPPORTED) {
        found(at, kind, subject, "the backend offers it", bridge_error_text());
        at.check->host->abandon(at.check);
    }
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

int assay_expect_refused(struct assay_line at, int32_t status, const char *call, const char *what)
{
    char seen[1024];
    mark(at);
    if (status < 0 && status != ASSAY_EINTERNAL) {
        return 1;
    }
    if (status == ASSAY_OK) {
        snprintf(seen, sizeof seen, "%s succeeded, expected an error", call);
    } else {
        snprintf(seen, sizeof seen, "%s hit an internal assert instead of a clear error: %s", call,
                 bridge_error_text());
    }
    fail(at, what, seen);
    return 0;
}

int assay_expect_device(struct assay_line at, struct bridge_device seen, int32_t index,
                        const char *call, const char *what)
{
    char text[1024];
    mark(at);
    if (seen.status != ASSAY_OK) {
        snprintf(text, sizeof text, "%s raised: %s", call, bridge_error_text());
    } else if (seen.type != BRIDGE_PRIVATEUSE1) {
        snprintf(text, sizeof text, "%s has device type %d, expected %d (PrivateUse1)", call,
                 (int)seen.type, BRIDGE_PRIVATEUSE1);
    } else if (seen.index != index) {
        snprintf(text, sizeof text, "%s is device %d, expected %d", call, (int)seen.index,
                 (int)index);
    } else {
        return 1;
    }
    fail(at, what, text);
    return 0;
}

void assay_require_device(struct assay_line at, struct bridge_device seen, int32_t index,
                          const char *call, const char *what)
{
    end_unless(assay_expect_device(at, seen, index, call, what), at);
}

int assay_expect_int(struct assay_line at, int64_t seen, int64_t expected, const char *call,
                     const char *what)
{
    char text[512];
    mark(at);
    if (seen == expected) {
        return 1;
    }
    snprintf(text, sizeof text, "%s is %" PRId64 ", expected %" PRId64, call, seen, expected);
    fail(at, what, text);
    return 0;
}

void assay_require_int(struct assay_line at, int64_t seen, int64_t expected, const char *call,
                       const char *what)
{
    end_unless(assay_expect_int(at, seen, expected, call, what), at);
}

int assay_expect_pointer(struct assay_line at, const void *seen, const void *expected,
                         const char *call, const char *what)
{
    char text[512];
    mark(at);
    if (seen == expected) {
        return 1;
    }
    snprintf(text, sizeof text, "%s is %p, expected %p", call, seen, expected);
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

void assay_require_true(struct assay_line at, int holds, const char *condition, const char *what)
{
    end_unless(assay_expect_true(at, holds, condition, what), at);
}

void assay_require_means(struct assay_line at, int holds, const char *what)
{
    mark(at);
    if (!holds) {
        assay_give_up(at, ASSAY_FINDING_BROKEN, NULL, what);
    }
}

void assay_give_up(struct assay_line at, int32_t kind, const char *subject, const char *what)
{
    found(at, kind, subject, what, NULL);
    at.check->host->abandon(at.check);
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

/* splitmix64: every seed, zero too, starts a different good sequence. */
uint64_t assay_random(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}
