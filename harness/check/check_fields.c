/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of the members of a check that are serialized. See hn_check.h.
 */
#include "hn_check.h"

static const char *const processes[] = {"shared", "fresh"};
static const char *const exits[] = {"quick", "normal"};
static const char *const clauses[] = {"each", "together"};
static const char *const beginnings[] = {"started", "untouched"};
static const char *const no_yes[] = {"no", "yes"};

/* Initializes one row: the flags, then the members that only some types need. */
#define ROW(text, kind, member, ...)                                                               \
    {                                                                                              \
        .name = (text), .type = (kind), .offset = offsetof(struct hn_check, member),               \
        .where = __VA_ARGS__                                                                       \
    }
#define WORDS(list) .words = (list), .word_count = sizeof(list) / sizeof *(list)
#define RANGE(from, to) .lowest = (from), .highest = (to)

/* clang-format off */
const struct hn_check_field hn_check_fields[] = {
    ROW("id", HN_CHECK_TEXT, id, HN_CHECK_GIVEN | HN_CHECK_NEEDED),
    ROW("kind", HN_CHECK_WORD, kind, HN_CHECK_SENT, WORDS(hn_kind_names)),
    ROW("level", HN_CHECK_WORD, level, 0, WORDS(hn_level_names)),
    ROW("subject", HN_CHECK_WORD, subject, 0, WORDS(hn_subject_names)),
    ROW("file", HN_CHECK_TEXT, file, HN_CHECK_SENT),
    ROW("line", HN_CHECK_NUMBER, line, 0, RANGE(0, 10000000)),
    ROW("about", HN_CHECK_TEXTS, about, 0),
    ROW("owed", HN_CHECK_TEXT, owed, HN_CHECK_SENT),
    ROW("operators", HN_CHECK_TEXTS, operators, HN_CHECK_GIVEN),
    ROW("capability", HN_CHECK_TEXTS, capabilities, HN_CHECK_GIVEN),
    ROW("faults", HN_CHECK_TEXTS, faults, HN_CHECK_GIVEN),
    ROW("devices", HN_CHECK_NUMBER, devices, HN_CHECK_GIVEN | HN_CHECK_SENT, RANGE(0, 16)),
    ROW("needs", HN_CHECK_SET, needs, HN_CHECK_GIVEN, WORDS(hn_needs_names)),
    ROW("process", HN_CHECK_WORD, fresh, HN_CHECK_GIVEN, WORDS(processes)),
    ROW("exit", HN_CHECK_WORD, normal_exit, HN_CHECK_GIVEN | HN_CHECK_SENT, WORDS(exits)),
    ROW("begins", HN_CHECK_WORD, untouched, HN_CHECK_GIVEN | HN_CHECK_SENT, WORDS(beginnings)),
    ROW("clauses", HN_CHECK_WORD, together, HN_CHECK_GIVEN, WORDS(clauses)),
    ROW("second_look", HN_CHECK_WORD, second_look, HN_CHECK_GIVEN, WORDS(no_yes)),
    ROW("heavy", HN_CHECK_WORD, heavy, HN_CHECK_GIVEN, WORDS(no_yes)),
    ROW("timeout", HN_CHECK_NUMBER, timeout, HN_CHECK_GIVEN, RANGE(1, 3600)),
    ROW("hint", HN_CHECK_TEXT, words.hint, HN_CHECK_GIVEN | HN_CHECK_SHOWN),
    ROW("hint_when", HN_CHECK_TEXT, words.hint_when, HN_CHECK_GIVEN),
    ROW("other_hint", HN_CHECK_TEXT, words.other_hint, HN_CHECK_GIVEN),
    ROW("other_hint_when", HN_CHECK_TEXT, words.other_hint_when, HN_CHECK_GIVEN),
    ROW("summary", HN_CHECK_TEXT, words.summary, HN_CHECK_GIVEN),
};
/* clang-format on */
const size_t hn_check_field_count = sizeof hn_check_fields / sizeof *hn_check_fields;
