/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See prove_refusals.h.
 */
#include "prove_refusals.h"

#include "proof_refusals.h"
#include "verdict.h"

static void print_defect(void *context, const struct hn_check *check, const char *means,
                         unsigned char verdict)
{
    fprintf(context, "  %-36s %-52s %s\n", means, check->id, hn_verdict_table[verdict].name);
}

void hn_prove_print_refusals(const struct hn_proof *proof, FILE *out)
{
    struct hn_refusal_count count;
    struct hn_error error;
    if (hn_proof_count_refusals(proof, print_defect, out, &count, &error) != HN_OK) {
        fprintf(out, "%s\n", error.text);
        return;
    }
    fprintf(out, "%zu refusals tried, %zu never reached, %zu defects\n", count.tried,
            count.not_reached, count.defects);
}

static void write_defect(void *context, const struct hn_check *check, const char *means,
                         unsigned char verdict)
{
    struct hn_json_writer *writer = context;
    hn_write_object(writer, NULL);
    hn_write_text(writer, "check", check->id);
    hn_write_text(writer, "means", means);
    hn_write_text(writer, "verdict", hn_verdict_table[verdict].name);
    hn_write_object_end(writer);
}

void hn_prove_write_refusals(const struct hn_proof *proof, struct hn_json_writer *writer)
{
    struct hn_refusal_count count;
    struct hn_error error;
    hn_write_object(writer, "refusals");
    hn_write_array(writer, "defects");
    const int status = hn_proof_count_refusals(proof, write_defect, writer, &count, &error);
    hn_write_array_end(writer);
    if (status == HN_OK) {
        hn_write_integer(writer, "tried", (int64_t)count.tried);
        hn_write_integer(writer, "not_reached", (int64_t)count.not_reached);
    }
    hn_write_object_end(writer);
}

int hn_prove_refusals_status(const struct hn_proof *proof)
{
    struct hn_refusal_count count;
    struct hn_error error;
    for (size_t i = 0; i < proof->count; i++)
        if (!proof->cases[i].finished)
            return HN_EXIT_UNDECIDED;
    if (hn_proof_count_refusals(proof, NULL, NULL, &count, &error) != HN_OK)
        return HN_EXIT_UNDECIDED;
    return count.defects ? HN_EXIT_FAILED : HN_EXIT_OK;
}
