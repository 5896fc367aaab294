/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Definition of a check: one struct for the contract, the plan, the supervisor and the process
 * that runs it, and one table of the members that are serialized (check_fields.c). To add a
 * member, add a line to the struct and a row to the table.
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

/* Texts of a check for people. Contract, plan and a run that is read back (rp_check) have the same
 * texts. To add a text, make it empty in HN_CHECK_PLAIN, and add a row to the table. */
struct hn_check_words {
    const char *hint, /* the usual cause of a failure; "" if not given */
        /* condition: `hint` is shown only if this was seen; "": only if a wrong value was seen */
        *hint_when, *other_hint,
        *other_hint_when, /* shown instead of `hint` if `other_hint_when` was seen */
        *summary;         /* by default the text of the first requirement */
};

/* Texts of a requirement that a check covers, for readers who do not know the contract. */
struct hn_clause {
    const char *id;
    enum hn_level level;
};

struct hn_check {
    const char *id;
    const struct hn_module *module;
    enum hn_level level;     /* the strongest level of the covered requirements */
    enum hn_subject subject; /* core only if every covered requirement is core */
    const struct hn_requirement **covers;
    size_t covers_count;
    const struct hn_clause *clauses; /* the covered requirements again, with their texts */
    size_t clause_count;
    int together; /* one observation decides all requirements, so a finding names none of them */
    const struct hn_check **builds_on;
    size_t builds_on_count;
    const struct hn_check *
        /* this check runs after these checks, whatever their verdicts; a failure of such a check
         * can explain a failure of this check */
        *fails_with;
    size_t fails_with_count, fails_with_own; /* the entry names the first `fails_with_own` */
    struct hn_texts about;                   /* subjects of all covered requirements */
    const char *
        /* "DEV-009:guard.setDevice ...": the subjects of its musts, which every legal backend
         * has */
        owed;
    struct hn_torch_range torch; /* releases of torch to which the check applies */
    /* capabilities of the check itself; if there are none, the capabilities of the covered
     * requirements */
    struct hn_texts capabilities;
    struct hn_texts operators, faults;
    int devices;     /* number of devices used at the same time; 0: runs without a device */
    unsigned needs;  /* HN_NEEDS_* */
    int fresh;       /* always runs in a process of its own */
    int normal_exit; /* the process ends by calling exit() */
    /* the first use of the device is the subject, so the job must not use the device before the
     * check */
    int untouched;
    int second_look;                  /* if the check does not pass, a second job finds out why */
    int heavy;                        /* takes more than about two seconds of processor time */
    int expect_signal, expect_status; /* expected end of the process; 0 and -1: the normal end */
    int timeout;                      /* in seconds; 0: the deadline of the target */
    struct hn_check_words words;
    enum hn_kind kind;
    /* source file, relative to the data folder: "suites/guard/check_exchange.c" */
    const char *file;
    int line;
    const struct hn_yaml *source;
};

/* The defaults describe a check that restores all state and may therefore share its process. */
#define HN_CHECK_PLAIN                                                                             \
    {                                                                                              \
        .id = "", .owed = "", .words = {"", "", "", "", ""}, .file = "", .torch = {"", ""},        \
        .devices = 1, .expect_status = -1                                                          \
    }

/* ---- the members that are serialized */

enum hn_check_type {
    HN_CHECK_TEXT,   /* const char * */
    HN_CHECK_NUMBER, /* int from `lowest` to `highest` */
    HN_CHECK_WORD,   /* int or enum: an index into `words` */
    HN_CHECK_SET,    /* unsigned: one bit for each of `words` */
    HN_CHECK_TEXTS,  /* struct hn_texts */
};

#define HN_CHECK_GIVEN 1u  /* a key of contract.yaml; without this flag the member is derived */
#define HN_CHECK_NEEDED 2u /* a key that is required */
#define HN_CHECK_SENT 4u   /* sent to the process that runs the check */
/* one of the texts (hn_check_words) that the JSON report of a run contains */
#define HN_CHECK_SHOWN 8u

struct hn_check_field {
    const char *name; /* the key in contract.yaml, in plan.json and on the wire */
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

/* Returns the text of a check that `field` describes, or NULL if the field is no such text. */
static inline const char **hn_check_word(struct hn_check_words *words,
                                         const struct hn_check_field *field)
{
    const size_t from = offsetof(struct hn_check, words);
    if (field->offset < from || field->offset >= from + sizeof *words)
        return NULL;
    return (const char **)(void *)((char *)words + (field->offset - from));
}

#endif
