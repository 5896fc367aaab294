/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Definition of a check: one struct for the contract, the plan, the supervisor and the process that
 * runs it, and one table of the members that are written down (check_fields.c). A new member is a
 * line here, a row there, and whoever uses it.
 */
#ifndef HN_CHECK_H
#define HN_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "level.h"
#include "texts.h"
#include "torch_range.h"

struct hn_module;
struct hn_requirement;
struct hn_yaml;

/* Words of a check for people, all texts: the same in the contract, in the plan and in a run that
 * is read (rp_check). A text that is added here is empty in HN_CHECK_PLAIN and needs a row in the table, nothing else. */
struct hn_check_words {
    const char *hint, /* what usually causes a failure; "" if not given */
        *hint_when,   /* the hint is shown only when this was seen; "": when a wrong value was */
        *other_hint, *other_hint_when, /* the hint in its place where this was seen */
        *summary;                      /* else the first requirement's text */
};

/* Words of the contract on a requirement of a check, for readers who do not know it. */
struct hn_clause {
    const char *id;
    enum hn_level level;
};

struct hn_check {
    const char *id;
    const struct hn_module *module;
    enum hn_level level;     /* strongest of what it covers */
    enum hn_subject subject; /* core only if all it covers is core */
    const struct hn_requirement **covers;
    size_t covers_count;
    const struct hn_clause *clauses; /* the same ones */
    size_t clause_count;
    int together; /* one observation decides all of them: it speaks of none in particular */
    const struct hn_check **builds_on;
    size_t builds_on_count;
    const struct hn_check *
        *fails_with; /* runs whatever they say, and follows from one that fails */
    size_t fails_with_count;
    struct hn_texts about; /* of all it covers */
    const char *
        owed; /* "DEV-009:guard.setDevice ...": what its musts are about, and no legal backend lacks */
    struct hn_torch_range torch;  /* likewise */
    struct hn_texts capabilities; /* its own, else those of what it covers */
    struct hn_texts operators, faults;
    int devices;     /* needed at once; 0: runs without any */
    unsigned needs;  /* HN_NEEDS_* */
    int fresh;       /* never shares a process */
    int normal_exit; /* leaves by exit() */
    int untouched;   /* finds the target as loading left it: its first use is the subject */
    int second_look; /* when it does not pass, a second job says why */
    int expect_signal, expect_status; /* of the process; 0 and -1: nothing special */
    int timeout;                      /* seconds, 0: the target's */
    struct hn_check_words words;
    enum hn_kind kind;
    const char *file; /* code, relative to the data folder: "suites/guard/check_exchange.c" */
    int line;
    const struct hn_yaml *source;
};

/* A check that shares its process and leaves it in order. */
#define HN_CHECK_PLAIN                                                                             \
    {                                                                                              \
        .id = "", .owed = "", .words = {"", "", "", "", ""}, .file = "", .torch = {"", ""},        \
        .devices = 1, .expect_status = -1                                                          \
    }

/* ---- the members that are written down */

enum hn_check_type {
    HN_CHECK_TEXT,   /* const char * */
    HN_CHECK_NUMBER, /* int from `lowest` to `highest` */
    HN_CHECK_WORD,   /* int or enum: the index of one of `words` */
    HN_CHECK_SET,    /* unsigned: a bit for each of `words` */
    HN_CHECK_TEXTS,  /* struct hn_texts */
};

#define HN_CHECK_GIVEN 1u  /* a key in contract.yaml; else it follows from something else */
#define HN_CHECK_NEEDED 2u /* a key that must be there */
#define HN_CHECK_SENT 4u   /* told to the process that runs the check */
#define HN_CHECK_SHOWN 8u  /* one of the words; the JSON report of a run has it */

struct hn_check_field {
    const char *name; /* in contract.yaml, in plan.json, on the wire */
    enum hn_check_type type;
    size_t offset;
    unsigned where;
    int lowest, highest;
    const char *const *words;
    int word_count;
};

extern const struct hn_check_field hn_check_fields[];
extern const size_t hn_check_field_count;

static inline void *hn_check_member(struct hn_check *check, const struct hn_check_field *field)
{
    return (char *)check + field->offset;
}

static inline const void *hn_check_value(const struct hn_check *check,
                                         const struct hn_check_field *field)
{
    return (const char *)check + field->offset;
}

/* One of the words of a check; NULL: the field is none of them. */
static inline const char **hn_check_word(struct hn_check_words *words,
                                         const struct hn_check_field *field)
{
    const size_t from = offsetof(struct hn_check, words);

    if (field->offset < from || field->offset >= from + sizeof *words)
        return NULL;
    return (const char **)(void *)((char *)words + (field->offset - from));
}

#endif
