/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Expectations of native checks. expect_* records a violation with both values and continues.
 * require_* ends the check, because nothing after it would be meaningful. The macros only capture
 * file and line. `what` states the expectation in words, such as "exchange returns the previous
 * device".
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

/* Expects that a bridge status is 0. A failure shows the error text of the bridge. */
#define expect_ok(check, call) assay_expect_ok(ASSAY_LINE(check), (call), #call)
/* Like expect_ok, for a clause that requires this call. A refusal fails the check and does not
 * block it. `what` states the expectation. */
#define expect_works(check, call, what) assay_expect_works(ASSAY_LINE(check), (call), #call, (what))
#define require_ok(check, call) assay_require_ok(ASSAY_LINE(check), (call), #call)
/* Like require_ok, for a call with an operator as a means: a clear refusal blocks the check. */
#define require_op(check, op, call) assay_require_op(ASSAY_LINE(check), (op), (call), #call)
/* Like require_ok, for a call that is the capability itself: a clear refusal skips the check. */
#define require_capability(check, capability, call)                                                \
    assay_require_capability(ASSAY_LINE(check), (capability), (call), #call)
/* Expects that the call raises an ordinary error. Success and an internal assert are violations. If
 * the backend refuses the call for every argument, the check is blocked, because that refusal says
 * nothing about this argument. */
#define expect_refused(check, call, what)                                                          \
    assay_expect_refused(ASSAY_LINE(check), (call), #call, (what))

/* Like expect_refused. The finding contains the value of one argument: the requested index or
 * size. */
#define expect_refused_with(check, call, argument, what)                                           \
    assay_expect_refused_with(ASSAY_LINE(check), (call), #call, #argument, (int64_t)(argument),    \
                              (what))

/* Like expect_refused, for checks that test how the backend reports a missing capability. */
#define expect_absent(check, call, what)                                                           \
    assay_expect_absent(ASSAY_LINE(check), (call), #call, (what))

/* Expects that a bridge_device is valid, of type PrivateUse1, and has this index. */
#define expect_device(check, seen, index, what)                                                    \
    assay_expect_device(ASSAY_LINE(check), (seen), (index), #seen, (what))
#define require_device(check, seen, index, what)                                                   \
    assay_end_unless(ASSAY_LINE(check),                                                            \
                     assay_expect_device(ASSAY_LINE(check), (seen), (index), #seen, (what)))
/* Expects that a stream is valid and belongs to this device. */
#define expect_stream(check, seen, index, what)                                                    \
    assay_expect_stream(ASSAY_LINE(check), (seen), (index), #seen, (what))
#define expect_int(check, seen, expected, what)                                                    \
    assay_expect_int(ASSAY_LINE(check), (int64_t)(seen), (int64_t)(expected), #seen, (what))
#define require_int(check, seen, expected, what)                                                   \
    assay_end_unless(ASSAY_LINE(check), assay_expect_int(ASSAY_LINE(check), (int64_t)(seen),       \
                                                         (int64_t)(expected), #seen, (what)))
#define expect_pointer(check, seen, expected, what)                                                \
    assay_expect_pointer(ASSAY_LINE(check), (seen), (expected), #seen, (what))
#define expect_bytes(check, seen, expected, size, what)                                            \
    assay_expect_bytes(ASSAY_LINE(check), (seen), (expected), (size), (what))
/* For conditions that have no macro above. The seen value is formatted as with printf. */
#define expect_that(check, holds, what, ...)                                                       \
    assay_expect_that(ASSAY_LINE(check), (holds) ? 1 : 0, (what), __VA_ARGS__)
#define require_that(check, holds, what, ...)                                                      \
    assay_end_unless(ASSAY_LINE(check),                                                            \
                     assay_expect_that(ASSAY_LINE(check), (holds) ? 1 : 0, (what), __VA_ARGS__))
/* Reports only the condition, without values. Use this macro only if no other macro fits. */
#define expect_true(check, condition, what)                                                        \
    assay_expect_true(ASSAY_LINE(check), (condition) ? 1 : 0, #condition, (what))
#define require_true(check, condition, what)                                                       \
    assay_end_unless(ASSAY_LINE(check), assay_expect_true(ASSAY_LINE(check), (condition) ? 1 : 0,  \
                                                          #condition, (what)))

/* Ends the check because the check itself failed. There is no verdict on the backend. Does not
 * return. */
#define require_means(check, condition, what)                                                      \
    assay_require_means(ASSAY_LINE(check), (condition) ? 1 : 0, (what))
/* Ends the check because the capability is clearly refused. */
#define assay_skip(check, capability, reason)                                                      \
    assay_give_up(ASSAY_LINE(check), ASSAY_FINDING_SKIP, (capability), (reason))
/* Ends a refusal check because the capability is present, so no refusal can be tested. */
#define assay_have_all_the_same(check, capability, reason)                                         \
    assay_give_up(ASSAY_LINE(check), ASSAY_FINDING_NOTED, (capability), (reason))

/* Each function returns 1 if the expectation held. */
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
int assay_expect_int(struct assay_line at, int64_t seen, int64_t expected, const char *call,
                     const char *what);
int assay_expect_pointer(struct assay_line at, const void *seen, const void *expected,
                         const char *call, const char *what);
int assay_expect_bytes(struct assay_line at, const void *seen, const void *expected, size_t size,
                       const char *what);
int assay_expect_that(struct assay_line at, int holds, const char *what, const char *seen, ...)
    __attribute__((format(printf, 4, 5)));
int assay_expect_true(struct assay_line at, int holds, const char *condition, const char *what);
/* Ends the check if an expectation was violated. */
void assay_end_unless(struct assay_line at, int holds);
void assay_require_means(struct assay_line at, int holds, const char *what);
/* Records a finding of `kind` about `subject` and ends the check. */
void assay_give_up(struct assay_line at, int32_t kind, const char *subject, const char *why);
/* [any] Reports that the result is unobservable without the instrument. The check continues. */
void assay_say_unobservable(struct assay_line at, const char *instrument, const char *why);
/* [any] From now on a violated expectation is a failure only if `doubt` returns NULL. Otherwise the
 * expectation is unobservable without a gate, and `doubt` returns the reason. */
void assay_doubt_failures(const char *(*doubt)(struct assay_check *check));

/* Makes one of the covered clauses current. Later findings belong to this clause. A clause without
 * findings counts as held. NULL makes all clauses current again. */
void assay_is_about_clause(struct assay_check *check, const char *clause);

/* Returns the index of device number `number` of this target. The contract entry says how many
 * devices a check needs. */
int32_t assay_device(struct assay_check *check, uint32_t number);
/* Records a measured number beside the verdict. */
void assay_note_int(struct assay_check *check, const char *key, int64_t value);
/* Returns the next number of the check's own random sequence. The caller provides the state, which
 * starts with the check's seed. */
uint64_t assay_random(uint64_t *state);

#endif
