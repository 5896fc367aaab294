/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The words of a failure that are equal in every run, and the key of its cause. This is the only
 * place that decides whether two failures have one cause. Used when a run is judged, by reports
 * and by the expectations of the gate.
 */
#ifndef HN_CAUSE_WORDS_H
#define HN_CAUSE_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "verdict.h"

#define HN_CAUSE_KEY 17 /* 16 hexadecimal digits and the terminator */
#define HN_CAUSE_NONE                                                                              \
    0u /* for a failure without an exception, because a wrong value does not identify its cause */

/* Returns the length of the number at `text`, such as "0x7f3a" or "12"; 0: no number. */
size_t hn_cause_number(const char *text);

/* Writes the first sentence, truncated to `size`, with "#" for each number and address and "<path>"
 * for each path. */
void hn_cause_words(const char *text, char *words, size_t size);

/* Returns the message of an exception without the words before it, such as "raised RuntimeError: ";
 * NULL if `seen` has no exception. */
const char *hn_cause_exception(const char *seen);

/* Returns a hash of the words of the exception in `seen`, or HN_CAUSE_NONE. */
uint64_t hn_cause_of(const char *seen);
/* Like hn_cause_of, for the message of a refusal, which need not begin with an exception type. */
uint64_t hn_cause_of_refusal(const char *seen);

struct hn_failure { /* texts may be "" */
    enum hn_verdict verdict;
    const char *expected, *seen;
    const char *subject; /* operator or capability in the finding */
    const char *signal, *stage;
    const char *frames; /* "inner (library.so) < outer (library.so)" */
    const char *said;   /* if the process died: the uncaught exception or the last line of stderr */
};

/* Writes the key of the cause, which is equal in every run on every machine. Returns 1 if failures
 * with this key have one cause, 0 if the key only distinguishes this failure from other
 * failures. */
int hn_cause_key(const struct hn_failure *failure, char key[HN_CAUSE_KEY]);

#endif
