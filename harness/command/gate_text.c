/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See gate_text.h. Called by assay gate and by assay run --expectations.
 */
#include "gate_text.h"

#include <stdio.h>

void hn_gate_print(const struct ci_result *result)
{
    printf("%s\n", result->summary);
    for (size_t i = 0; i < result->cause_count; i++)
        printf("  %-9s %-10s %s\n", ci_decision_names[result->causes[i].decides],
               ci_kind_names[ci_rules[result->causes[i].rule].kind], result->causes[i].text);
    for (size_t i = 0; i < result->warning_count; i++)
        printf("  remark    %-10s %s\n", ci_kind_names[ci_rules[result->warnings[i].rule].kind],
               result->warnings[i].text);
}
