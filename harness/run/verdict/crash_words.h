/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Traces of a job that died, or had to be killed: the functions it was in, the exception or the
 * last line of its standard error, and whether it had used up its stack or called nothing. Called by judge.c.
 */
#ifndef HN_CRASH_WORDS_H
#define HN_CRASH_WORDS_H

#define HN_CRASH_FRAMES 1024
#define HN_CRASH_SAID 400

struct hn_crash_words { /* texts are "" when there is none */
    int overflow, null_call;
    char frames
        [HN_CRASH_FRAMES]; /* "inner (library.so) < outer (library.so) < f (file.py:3)"; of an endless
                                     recursion "caller (library.so) > called (library.so) > caller (library.so) ..." */
    char said[HN_CRASH_SAID];
};

void hn_crash_words_read(const char *folder, struct hn_crash_words *words);

#endif
