/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Joins each failure to the first reported failure with the same cause, across modules. Called
 * after the cause keys and the blocking checks are known.
 */
#include <stdlib.h>
#include <string.h>

#include "cause_words.h"
#include "model_internal.h"

static int name_cause(struct rp_builder *builder, struct rp_check *check)
{
    char key[HN_CAUSE_KEY];
    const struct hn_failure failure = {.verdict = check->verdict,
                                       .expected = check->expected,
                                       .seen = check->seen,
                                       .subject = check->about,
                                       .signal = check->signal,
                                       .stage = check->stage,
                                       .frames = check->frames,
                                       .said = check->said};
    check->joins = hn_cause_key(&failure, key);
    check->cause_key = rp_copy(builder, key);
    return check->cause_key ? HN_OK : HN_ENOMEM;
}

/* Gives each failure its cause. A check that follows from another check gets the cause of that
 * check. */
static int name_causes(struct rp_builder *builder)
{
    int status = HN_OK;
    for (size_t i = 0; !status && i < builder->check_count; i++)
        if (hn_verdict_table[builder->checks[i].verdict].fails)
            status = name_cause(builder, &builder->checks[i]);
    for (size_t i = 0; !status && i < builder->check_count; i++)
        if (builder->checks[i].follows && builder->checks[i].root)
            builder->checks[i].cause_key = builder->checks[i].root->cause_key;
    return status;
}

struct keyed {
    struct rp_check *check;
    size_t order; /* the failure's position in reports */
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *one = a, *other = b;
    const int order = strcmp(one->check->cause_key, other->check->cause_key);
    return order ? order : one->order < other->order ? -1 : 1;
}

static size_t list_joining(struct rp_builder *builder, size_t *indices, struct keyed *keyed)
{
    const size_t count = rp_run_troubles(builder->run, indices);
    size_t joining = 0;
    for (size_t i = 0; i < count; i++)
        if (builder->checks[indices[i]].joins)
            keyed[joining++] = (struct keyed){&builder->checks[indices[i]], i};
    return joining;
}

static int join_causes(struct rp_builder *builder)
{
    size_t *indices = calloc(builder->check_count + 1, sizeof *indices);
    struct keyed *keyed = calloc(builder->check_count + 1, sizeof *keyed);
    const int ready = indices && keyed;
    const size_t count = ready ? list_joining(builder, indices, keyed) : 0;
    if (count)
        qsort(keyed, count, sizeof *keyed, by_key);
    for (size_t i = 1, first = 0; i < count; i++)
        if (strcmp(keyed[i].check->cause_key, keyed[first].check->cause_key) == 0) {
            keyed[i].check->joined = keyed[first].check;
            keyed[first].check->joined_count++;
        } else {
            first = i;
        }
    free(indices);
    free(keyed);
    return ready ? HN_OK : hn_error_nomem(builder->error);
}

int rp_find_causes(struct rp_builder *builder)
{
    const int status = name_causes(builder);
    return status ? status : join_causes(builder);
}
