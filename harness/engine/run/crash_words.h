/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Traces of a job that died, or had to be killed: the functions it was in, the last line of
 * its standard error, and whether it had used up its stack. Called by judge.c.
 */
#ifndef HN_CRASH_WORDS_H
#define HN_CRASH_WORDS_H

#define HN_CRASH_FRAMES 1024
#define HN_CRASH_SAID 200

struct hn_crash_words { /* texts are "" when there is none */
    int overflow;
    char frames[HN_CRASH_FRAMES]; /* "inner (library.so) < outer (library.so) < f (file.py:3)" */
    char said[HN_CRASH_SAID];
};

void hn_crash_words_read(const char *folder, struct hn_crash_words *words);

#endif
