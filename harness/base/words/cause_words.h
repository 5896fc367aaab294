/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Words of a failure that stay from run to run, and the key of its cause: the one place that decides
 * whether two failures have one cause. Used where a run is judged, by reports and by the expectations of the gate.
 */
#ifndef HN_CAUSE_WORDS_H
#define HN_CAUSE_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "verdict.h"

#define HN_CAUSE_KEY 17 /* 16 hexadecimal digits and the end */
#define HN_CAUSE_NONE                                                                              \
    0u /* of a failure without an exception: a wrong value says nothing of its cause */

/* Bytes of the number that begins at `text`, "0x7f3a" or "12"; 0: none does. */
size_t hn_cause_number(const char *text);

/* The first sentence, with "#" for each number and address and "<path>" for each path; cut to `size`. */
void hn_cause_words(const char *text, char *words, size_t size);

/* Words of an exception behind the call or the kind of exception, "raised RuntimeError: "; NULL: `seen` shows none. */
const char *hn_cause_exception(const char *seen);

/* A number for the words of the exception that was seen, or HN_CAUSE_NONE. */
uint64_t hn_cause_of(const char *seen);
/* The same for the words of a refusal, which may stand there without the kind of exception. */
uint64_t hn_cause_of_refusal(const char *seen);

struct hn_failure { /* texts may be "" */
    enum hn_verdict verdict;
    const char *expected, *seen;
    const char *subject; /* operator or capability that the finding names */
    const char *signal, *stage;
    const char *frames; /* "inner (library.so) < outer (library.so)" */
};

/* The key of its cause, the same in every run and on every machine. Returns 1 when others with the same key have the
 * same cause; 0: it tells this failure from others, and no more. */
int hn_cause_key(const struct hn_failure *failure, char key[HN_CAUSE_KEY]);

#endif
