/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See proof_refusals.h. The folder of a job has means.txt (host/target/means.h): "used NAME",
 * "refused NAME".
 */
#include "proof_refusals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "verdict.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MEANS_FILE "means.txt"
#define MEANS_LIMIT ((size_t)1 << 20)
#define NAMES_MAX 2000

/* Means that every legal backend has. Without the listed operators there are no tensors (OPS-001).
 * _lazy_init is listed because a module that lacks only this name is no legal backend. The list has
 * no pure virtual methods, because no adapter offers to refuse them. */
static const char *const required_names[] = {
    "aten::empty.memory_format",
    "aten::empty_strided",
    "aten::as_strided",
    "aten::view",
    "aten::_reshape_alias",
    "aten::resize_",
    "aten::_copy_from",
    "aten::_copy_from_and_resize",
    "aten::_local_scalar_dense",
    "aten::set_.source_Storage",
    "aten::set_.source_Storage_storage_offset",
    "aten::set_.source_Tensor",
    "module._lazy_init",
};
static const struct hn_texts required = {required_names, COUNT(required_names)};

/* Methods that refuse with the sentence of another method, so a check names the other method. */
static const struct {
    const char *refused, *named;
} same_words[] = {
    {"guard.block", "guard.record"},
    {"guard.queryEvent", "guard.record"},
};

/* ---- reading the records ---- */

/* Reads a job's means.txt, or "" if the job wrote none. The caller frees the text. */
static int read_means(const struct hn_proof *proof, const struct hn_case *one, const char *check,
                      char **text, struct hn_error *error)
{
    char path[HN_PATH_SIZE], file[600];
    const int pair = one->kind == HN_CASE_REFUSAL;
    snprintf(file, sizeof file, "%s/jobs/%s%s%s/" MEANS_FILE, one->folder, check, pair ? "@" : "",
             pair ? one->name : "");
    int status = hn_path_join(path, sizeof path, proof->options->folder, file, error);
    *text = NULL;
    if (status == HN_OK && hn_path_exists(path))
        status = hn_file_read(path, MEANS_LIMIT, text, NULL, error);
    if (status == HN_OK && !*text)
        *text = calloc(1, 1);
    return status == HN_OK && !*text ? hn_error_nomem(error) : status;
}

/* Sets *reached to 1 if the check reached the means that this case refuses. */
static int is_reached(const struct hn_proof *proof, const struct hn_case *one, const char *check,
                      int *reached, struct hn_error *error)
{
    char *text = NULL, line[300];
    const int status = read_means(proof, one, check, &text, error);
    snprintf(line, sizeof line, "refused %s\n", one->name);
    *reached = status == HN_OK && strstr(text, line) != NULL;
    free(text);
    return status;
}

/* ---- the cases ---- */

static int came_to_its_end(unsigned char verdict)
{
    return verdict == HN_PASS || verdict == HN_NOTED || verdict == HN_FALLBACK;
}

static int want(struct hn_proof *proof, size_t check, const char *name, struct hn_error *error)
{
    if (hn_texts_contain(&required, name) || !hn_proof_is_sampled(proof, check, name))
        return HN_OK;
    struct hn_case *one = hn_proof_case_of(proof, HN_CASE_REFUSAL, name);
    if (!one)
        return hn_error_nomem(error);
    one->wanted[check] = 1;
    return HN_OK;
}

static int want_all_of(struct hn_proof *proof, size_t check, struct hn_error *error)
{
    char *text = NULL, *rest, *line;
    int status =
        read_means(proof, &proof->cases[0], proof->catalogue->checks[check].id, &text, error);
    rest = text;
    while (status == HN_OK && (line = strsep(&rest, "\n")))
        if (strncmp(line, "used ", 5) == 0)
            status = want(proof, check, line + 5, error);
    free(text);
    if (status == HN_OK && proof->catalogue->checks[check].devices > 1)
        status = want(proof, check, "device.second", error);
    return status == HN_OK ? want(proof, check, HN_PROOF_LATE, error) : status;
}

int hn_proof_add_refusals(struct hn_proof *proof, struct hn_error *error)
{
    int status = HN_OK;
    struct hn_case *cases = hn_arena_array(proof->arena, NAMES_MAX, sizeof *cases);
    if (!cases)
        return hn_error_nomem(error);
    memcpy(cases, proof->cases, proof->count * sizeof *cases);
    proof->cases = cases;
    /* A check that did not end normally on the clean device gets no case. */
    for (size_t i = 0; status == HN_OK && i < proof->catalogue->check_count; i++)
        if (proof->selected[i] && came_to_its_end(proof->cases[0].verdicts[i]))
            status = want_all_of(proof, i, error);
    return status;
}

/* ---- judging ---- */

/* Returns 1 if the check tests the refusal itself. */
static int is_refusal_check(const struct hn_catalogue *catalogue, const struct hn_check *check)
{
    for (size_t i = 0; i < catalogue->capability_count; i++)
        if (catalogue->capabilities[i].refusal == check)
            return 1;
    return 0;
}

static int names_means(const char *subject, const char *refused)
{
    if (strcmp(subject, refused) == 0)
        return 1;
    for (size_t i = 0; i < COUNT(same_words); i++)
        if (strcmp(same_words[i].refused, refused) == 0 &&
            strcmp(same_words[i].named, subject) == 0)
            return 1;
    return 0;
}

/* Returns 1 if no optional capability covers this means. `owed` is "CLAUSE:MEANS CLAUSE:MEANS". */
static int is_owed(const struct hn_check *check, const char *name)
{
    char entry[300];
    const char *const end = check->owed + strlen(check->owed);
    const size_t length = (size_t)snprintf(entry, sizeof entry, ":%s", name);
    for (const char *at = check->owed; (at = strstr(at, entry)); at += length)
        if (at + length == end || at[length] == ' ')
            return 1;
    return 0;
}

static int is_defect(const struct hn_proof *proof, const struct hn_case *one, size_t index,
                     int reached)
{
    const struct hn_check *check = &proof->catalogue->checks[index];
    const int about = hn_texts_contain(&check->about, one->name);
    const char *subject = one->subjects[index] ? one->subjects[index] : "";
    switch (one->verdicts[index]) {
    case HN_SKIP:
    case HN_UNOBSERVABLE:
        return 0;
    case HN_PASS:
    case HN_NOTED:
    case HN_FALLBACK:
        return about && reached && !is_refusal_check(proof->catalogue, check);
    case HN_BLOCKED:
        return strcmp(one->name, HN_PROOF_LATE) != 0 &&
               (!names_means(subject, one->name) || (reached && is_owed(check, one->name)));
    case HN_FAIL:
        return !about;
    default:
        return 1;
    }
}

/* A delay and the second device write no line "refused". */
static int leaves_mark(const struct hn_case *one)
{
    return strcmp(one->name, HN_PROOF_LATE) != 0 && strcmp(one->name, "device.second") != 0;
}

int hn_proof_count_refusals(const struct hn_proof *proof, hn_refusal_defect defect, void *context,
                            struct hn_refusal_count *count, struct hn_error *error)
{
    *count = (struct hn_refusal_count){0};
    for (size_t i = 1; i < proof->count; i++) {
        const struct hn_case *one = &proof->cases[i];
        for (size_t k = 0; k < proof->catalogue->check_count; k++) {
            const struct hn_check *check = &proof->catalogue->checks[k];
            int reached = 0;
            if (one->kind != HN_CASE_REFUSAL || !one->wanted[k])
                continue;
            if (is_reached(proof, one, check->id, &reached, error) != HN_OK)
                return HN_EINPUT;
            if (!reached && leaves_mark(one) && came_to_its_end(one->verdicts[k])) {
                count->not_reached++;
                continue;
            }
            count->tried++;
            if (!is_defect(proof, one, k, reached))
                continue;
            count->defects++;
            if (defect)
                defect(context, check, one->name, one->verdicts[k]);
        }
    }
    return HN_OK;
}
