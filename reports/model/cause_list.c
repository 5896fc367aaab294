/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See cause_list.h.
 */
#include "cause_list.h"

#include "json_fields.h"

#define FILE_LIMIT ((size_t)64 << 20)
#define DEPTH 6

#define OF_CAUSE(member) offsetof(struct rp_cause, member)
static const struct hn_field cause_fields[] = {
    HN_ALWAYS("cause", HN_FIELD_TEXT, OF_CAUSE(cause)),
    HN_ALWAYS("subject", HN_FIELD_TEXT, OF_CAUSE(subject)),
    HN_ALWAYS("words", HN_FIELD_TEXT, OF_CAUSE(words)),
    HN_ALWAYS("example", HN_FIELD_TEXT, OF_CAUSE(example)),
    HN_ALWAYS("clause", HN_FIELD_TEXT, OF_CAUSE(clause)),
    HN_ALWAYS("script", HN_FIELD_TEXT, OF_CAUSE(script)),
    HN_ALWAYS("shown", HN_FIELD_FLAG, OF_CAUSE(shown)),
    HN_TEXTS("tests", struct rp_cause, tests),
    HN_TEXTS("kept_by", struct rp_cause, kept_by),
    HN_ALWAYS("left_out", HN_FIELD_COUNT, OF_CAUSE(left_out)),
    HN_END_OF_TABLE,
};

#define AT(member) offsetof(struct rp_cause_list, member)
static const char *const schema[] = {"assay/causes/1"};
static const struct hn_field fields[] = {
    {"schema", HN_FIELD_SCHEMA, .always = 1, .words = schema},
    HN_ALWAYS("target", HN_FIELD_TEXT, AT(target)),
    HN_LIST("clusters", AT(items), AT(count), cause_fields, struct rp_cause, 1),
    HN_TEXTS("classes", struct rp_cause_list, classes),
    HN_TEXTS("no_longer", struct rp_cause_list, no_longer),
    HN_END_OF_TABLE,
};

int rp_cause_list_read(const char *path, struct hn_arena *arena, struct rp_cause_list *list,
                       struct hn_error *error)
{
    static const struct hn_json_limits limits = {FILE_LIMIT, DEPTH};
    *list = (struct rp_cause_list){.target = ""};
    return hn_fields_read_file(path, &limits, fields, list, arena, error);
}

const struct rp_cause *rp_cause_list_find(const struct rp_cause_list *list,
                                          const struct rp_cause *cause)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct rp_cause *other = &list->items[i];
        if (strcmp(other->cause, cause->cause) == 0 &&
            strcmp(other->subject, cause->subject) == 0 && strcmp(other->words, cause->words) == 0)
            return other;
    }
    return NULL;
}
