/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a native check says what it expects. expect_* records a violation with both values and goes
 * on; require_* ends the check, because nothing after it would mean anything. The macros only
 * capture file and line. `what` is the demand in words: "exchange returns what was current".
 */
#ifndef ASSAY_EXPECT_H
#define ASSAY_EXPECT_H

#include "assay/check.h"
#include "bridge.h"

struct assay_line {
    struct assay_check *check;
    const char *file;
    int32_t line;
};
#define ASSAY_LINE(check) ((struct assay_line){(check), __FILE__, __LINE__})

/* A bridge status is 0. The text of a failure is the bridge's. */
#define expect_ok(check, call) assay_expect_ok(ASSAY_LINE(check), (call), #call)
/* The same where the clause is that the call works: a refusal of it does not block, and `what` is the demand. */
#define expect_works(check, call, what) assay_expect_works(ASSAY_LINE(check), (call), #call, (what))
#define require_ok(check, call) assay_require_ok(ASSAY_LINE(check), (call), #call)
/* As require_ok, for a call that leans on an operator: a clear refusal blocks instead of failing.
 */
#define require_op(check, op, call) assay_require_op(ASSAY_LINE(check), (op), (call), #call)
/* The same for a call that is the capability itself: a clear refusal skips. */
#define require_capability(check, capability, call)                                                \
    assay_require_capability(ASSAY_LINE(check), (capability), (call), #call)
/* The call is refused with an ordinary error: neither success nor an internal assert. A backend that
 * refuses such calls altogether blocks the check: that says nothing of this argument. */
#define expect_refused(check, call, what)                                                          \
    assay_expect_refused(ASSAY_LINE(check), (call), #call, (what))

/* The same, where the call is told with the value of one of its arguments: the index or the size that was asked for. */
#define expect_refused_with(check, call, argument, what)                                           \
    assay_expect_refused_with(ASSAY_LINE(check), (call), #call, #argument, (int64_t)(argument),    \
                              (what))

/* The same for the refusal of the thing itself: a check of how its absence is said. */
#define expect_absent(check, call, what)                                                           \
    assay_expect_absent(ASSAY_LINE(check), (call), #call, (what))

/* A bridge_device is good, of PrivateUse1 and has this index. */
#define expect_device(check, seen, index, what)                                                    \
    assay_expect_device(ASSAY_LINE(check), (seen), (index), #seen, (what))
#define require_device(check, seen, index, what)                                                   \
    assay_require_device(ASSAY_LINE(check), (seen), (index), #seen, (what))
/* A stream is good and of this device. */
#define expect_stream(check, seen, index, what)                                                    \
    assay_expect_stream(ASSAY_LINE(check), (seen), (index), #seen, (what))
#define expect_int(check, seen, expected, what)                                                    \
    assay_expect_int(ASSAY_LINE(check), (int64_t)(seen), (int64_t)(expected), #seen, (what))
#define require_int(check, seen, expected, what)                                                   \
    assay_require_int(ASSAY_LINE(check), (int64_t)(seen), (int64_t)(expected), #seen, (what))
#define expect_pointer(check, seen, expected, what)                                                \
    assay_expect_pointer(ASSAY_LINE(check), (seen), (expected), #seen, (what))
#define expect_bytes(check, seen, expected, size, what)                                            \
    assay_expect_bytes(ASSAY_LINE(check), (seen), (expected), (size), (what))
/* For what no other shows: the words of what was seen, as printf takes them. */
#define expect_that(check, holds, what, ...)                                                       \
    assay_expect_that(ASSAY_LINE(check), (holds) ? 1 : 0, (what), __VA_ARGS__)
#define require_that(check, holds, what, ...)                                                      \
    assay_require_that(ASSAY_LINE(check), (holds) ? 1 : 0, (what), __VA_ARGS__)
/* Last resort: shows the condition, and no value. */
#define expect_true(check, condition, what)                                                        \
    assay_expect_true(ASSAY_LINE(check), (condition) ? 1 : 0, #condition, (what))
#define require_true(check, condition, what)                                                       \
    assay_require_true(ASSAY_LINE(check), (condition) ? 1 : 0, #condition, (what))

/* The check's own means failed: no verdict on the backend. Does not return. */
#define require_means(check, condition, what)                                                      \
    assay_require_means(ASSAY_LINE(check), (condition) ? 1 : 0, (what))
/* The capability is clearly refused. Ends the check. */
#define assay_skip(check, capability, reason)                                                      \
    assay_give_up(ASSAY_LINE(check), ASSAY_FINDING_SKIP, (capability), (reason))
/* For a refusal check: there is nothing to refuse, the capability is there. Ends the check. */
#define assay_have_all_the_same(check, capability, reason)                                         \
    assay_give_up(ASSAY_LINE(check), ASSAY_FINDING_NOTED, (capability), (reason))

/* Each returns 1 when the expectation held. */
int assay_expect_ok(struct assay_line at, int32_t status, const char *call);
int assay_expect_works(struct assay_line at, int32_t status, const char *call, const char *what);
void assay_require_ok(struct assay_line at, int32_t status, const char *call);
void assay_require_op(struct assay_line at, const char *op, int32_t status, const char *call);
void assay_require_capability(struct assay_line at, const char *capability, int32_t status,
                              const char *call);
int assay_expect_refused(struct assay_line at, int32_t status, const char *call, const char *what);
int assay_expect_refused_with(struct assay_line at, int32_t status, const char *call,
                              const char *argument, int64_t value, const char *what);
int assay_expect_absent(struct assay_line at, int32_t status, const char *call, const char *what);
int assay_expect_device(struct assay_line at, struct bridge_device seen, int32_t index,
                        const char *call, const char *what);
int assay_expect_stream(struct assay_line at, struct bridge_stream seen, int32_t index,
                        const char *call, const char *what);
void assay_require_device(struct assay_line at, struct bridge_device seen, int32_t index,
                          const char *call, const char *what);
int assay_expect_int(struct assay_line at, int64_t seen, int64_t expected, const char *call,
                     const char *what);
void assay_require_int(struct assay_line at, int64_t seen, int64_t expected, const char *call,
                       const char *what);
int assay_expect_pointer(struct assay_line at, const void *seen, const void *expected,
                         const char *call, const char *what);
int assay_expect_bytes(struct assay_line at, const void *seen, const void *expected, size_t size,
                       const char *what);
int assay_expect_that(struct assay_line at, int holds, const char *what, const char *seen, ...)
    __attribute__((format(printf, 4, 5)));
void assay_require_that(struct assay_line at, int holds, const char *what, const char *seen, ...)
    __attribute__((format(printf, 4, 5)));
int assay_expect_true(struct assay_line at, int holds, const char *condition, const char *what);
void assay_require_true(struct assay_line at, int holds, const char *condition, const char *what);
void assay_require_means(struct assay_line at, int holds, const char *what);
/* Records a finding of `kind` about `subject` and ends the check. */
void assay_give_up(struct assay_line at, int32_t kind, const char *subject, const char *why);
/* [any] Nothing can be said without the instrument. The check goes on. */
void assay_say_unobservable(struct assay_line at, const char *instrument, const char *why);
/* From now on what breaks an expectation counts only where `doubt` answers NULL; else it is unobservable without a gate,
 * and this is why. [any] */
void assay_doubt_failures(const char *(*doubt)(struct assay_check *check));

/* From here on the check is about this clause of those that it covers: what is found belongs to it, and it has
 * held if nothing is. NULL: about all of them again. */
void assay_is_about_clause(struct assay_check *check, const char *clause);

/* Device number `number` of this target. The contract entry says how many a check needs. */
int32_t assay_device(struct assay_check *check, uint32_t number);
/* Records a measured number beside the verdict. */
void assay_note_int(struct assay_check *check, const char *key, int64_t value);
/* Next number of the check's own sequence, which starts at its seed: state is the caller's. */
uint64_t assay_random(uint64_t *state);

#endif
