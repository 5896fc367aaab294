/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Describes a job that died or was killed: its last functions, the exception or the last line of
 * its standard error, and whether its stack overflowed or had no calls. Called by judge.c.
 */
#ifndef HN_CRASH_WORDS_H
#define HN_CRASH_WORDS_H

#define HN_CRASH_FRAMES 1024
#define HN_CRASH_SAID 400

struct hn_crash_words { /* a text is "" if there is nothing to report */
    int overflow, null_call;
    char frames
        /* "inner (library.so) < outer (library.so) < f (file.py:3)"; for an endless recursion
         * "caller (library.so) > called (library.so) > caller (library.so) ..." */
        [HN_CRASH_FRAMES];
    char said[HN_CRASH_SAID];
};

void hn_crash_words_read(const char *folder, struct hn_crash_words *words);

#endif
