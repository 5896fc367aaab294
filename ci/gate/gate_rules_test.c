/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of the table of rules: every pair of verdicts has a row, undecided is never a pass, and the
 * README agrees with the table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "gate_rules.h"
#include "unit_test.h"

TEST(rule_of_pair_every_pair_has_a_row)
{
    for (int head = 0; head < HN_VERDICTS; head++)
        for (int base = 0; base <= CI_NOT_IN_BASE; base++) {
            const enum ci_rule_id rule = ci_rule_of_pair((enum hn_verdict)head, base);
            ck_assert_msg(ci_rules[rule].head & CI_BIT(head), "%d on %d", head, base);
            ck_assert_msg(ci_rules[rule].base & CI_BIT(base), "%d on %d", head, base);
        }
}

TEST(rule_of_pair_agrees_with_the_table_of_verdicts)
{
    for (int head = 0; head < HN_VERDICTS; head++)
        for (int base = 0; base <= CI_NOT_IN_BASE; base++) {
            const enum ci_decision decides =
                ci_rules[ci_rule_of_pair((enum hn_verdict)head, base)].decides;
            const enum hn_gate_rule gate = hn_verdict_table[head].gate;
            if (gate == HN_GATE_UNDECIDED)
                ck_assert_int_eq(decides, CI_UNDECIDED);
            if (base == HN_PASS && gate == HN_GATE_SLOW)
                ck_assert_int_eq(decides, CI_UNDECIDED);
            else if (base == HN_PASS && gate <= HN_GATE_CAPABILITY && gate != HN_GATE_UNDECIDED)
                ck_assert_int_eq(decides, CI_BLOCKED);
            if (base == HN_FAIL && gate == HN_GATE_SLOW)
                ck_assert_int_eq(decides, CI_PASS);
            if (gate >= HN_GATE_IGNORED)
                ck_assert_int_eq(decides, CI_PASS);
        }
}

TEST(rules_have_names_of_their_own_and_words)
{
    for (int i = 0; i < CI_RULES; i++) {
        ck_assert_ptr_nonnull(ci_rules[i].name);
        ck_assert_uint_gt(strlen(ci_rules[i].text), 10);
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(ci_rules[i].name, ci_rules[j].name);
    }
}

/* The line of the README about a rule must contain the rule's decision, kind and text. */
TEST(rules_stand_in_the_readme)
{
    char *readme, begin[80], cell[40];
    size_t length;
    ck_assert_int_eq(hn_file_read(GATE_README, 1 << 20, &readme, &length, NULL), 0);
    for (int i = 0; i < CI_RULES; i++) {
        const struct ci_rule *rule = &ci_rules[i];
        snprintf(begin, sizeof begin, "| `%s` |", rule->name);
        char *row = strstr(readme, begin);
        ck_assert_msg(row != NULL, "the README does not speak of %s", rule->name);
        char *line = strndup(row, strcspn(row, "\n"));
        snprintf(cell, sizeof cell, "| %s | %s |", ci_decision_names[rule->decides],
                 rule->silent ? "–" : ci_kind_names[rule->kind]);
        ck_assert_msg(strstr(line, cell) && strstr(line, rule->text),
                      "the README is wrong about %s", rule->name);
        free(line);
    }
    free(readme);
}
