/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the text of a cause: the rule's sentence, the checks to which it applies, and the interface
 * that they test. Called by all parts that judge.
 */
#include <string.h>

#include "clean_text.h"
#include "gate_internal.h"

#define REASON_MAX 240
#define CLAUSE_MAX 32

/* Adds one element to a growing list; the old array stays in the arena. */
static struct ci_cause *append(struct ci_judge *judge, struct ci_cause **list, size_t *count,
                               size_t *room)
{
    if (*count == *room) {
        const size_t more = *room ? *room * 2 : 32;
        struct ci_cause *grown = hn_arena_array(judge->arena, more, sizeof *grown);
        if (!grown)
            return NULL;
        if (*count)
            memcpy(grown, *list, *count * sizeof *grown);
        *list = grown;
        *room = more;
    }
    return &(*list)[(*count)++];
}

static struct ci_cause *new_cause(struct ci_judge *judge, enum ci_rule_id rule, int decisive)
{
    struct ci_cause *cause =
        decisive ? append(judge, &judge->causes, &judge->cause_count, &judge->cause_room)
                 : append(judge, &judge->warnings, &judge->warning_count, &judge->warning_room);
    if (!cause)
        return NULL;
    *cause = (struct ci_cause){.rule = rule,
                               .decides = decisive ? ci_rules[rule].decides : CI_PASS,
                               .target = judge->target->target,
                               .option = judge->target->option,
                               .order = judge->cause_count};
    if (judge->target->decision < cause->decides)
        judge->target->decision = cause->decides;
    return cause;
}

static int keep_text(struct ci_judge *judge, struct hn_buffer *text, struct ci_cause *cause)
{
    /* A text that does not fit ends after its last whole piece. */
    cause->text = hn_arena_copy(judge->arena, text->text, text->length);
    hn_buffer_finish(text);
    return cause->text ? HN_OK : hn_error_nomem(judge->error);
}

/* Causes that neither decide nor attribute anything are remarks. */
static int is_remark(enum ci_rule_id rule)
{
    return ci_rules[rule].decides == CI_PASS && ci_rules[rule].kind != CI_BASE &&
           ci_rules[rule].kind != CI_ADAPTATION;
}

int ci_add_cause(struct ci_judge *judge, enum ci_rule_id rule, const char *interface_name,
                 const char *more)
{
    struct hn_buffer text;
    struct ci_cause *cause = new_cause(judge, rule, !is_remark(rule));
    if (!cause)
        return hn_error_nomem(judge->error);
    hn_buffer_init(&text, CI_TEXT_LIMIT);
    hn_buffer_puts(&text, ci_rules[rule].text);
    if (interface_name && *interface_name) {
        hn_buffer_printf(&text, " The interface is %s.", interface_name);
        cause->interface_name = hn_arena_copy(judge->arena, interface_name, strlen(interface_name));
    }
    if (more && *more)
        hn_buffer_printf(&text, " %s", more);
    return keep_text(judge, &text, cause);
}

const char *ci_said(struct ci_judge *judge, const char *text, size_t most)
{
    const char *said = ci_clean_copy(judge->arena, text, most);
    return said ? said : "";
}

/* Writes "guard.x (crash: SIGSEGV in stage ...; it tests PyTorch alone)". */
static void tell_check(struct hn_buffer *text, const struct ci_told *told)
{
    hn_buffer_puts(text, told->id);
    if (!told->verdict)
        return;
    hn_buffer_printf(text, " (%s", told->verdict);
    if (told->seen)
        hn_buffer_printf(text, ": %s", told->seen);
    if (told->clause)
        hn_buffer_printf(text, "; it is about %s", told->clause);
    if (told->root)
        hn_buffer_printf(text, "; its cause is %s", told->root);
    hn_buffer_puts(text, told->subject == HN_CORE ? "; it tests PyTorch, not a backend)" : ")");
}

/* Adds an interface to the interfaces of the first checks, separated by "; ". */
static void add_interface(struct hn_buffer *interfaces, struct ci_cause *cause, const char *anchor)
{
    if (!anchor[0] || strstr(interfaces->text, anchor))
        return;
    hn_buffer_printf(interfaces, "%s%s", interfaces->length ? "; " : " Interface: ", anchor);
    if (!cause->interface_name)
        cause->interface_name = anchor;
}

struct group {
    enum ci_rule_id rule;
    int decisive; /* checks that count for the policy, or checks that do not */
    int (*belongs)(const struct ci_line *line, enum ci_rule_id rule);
    const struct rp_check *(*shown)(const struct ci_line *line);
};

int ci_is_decisive(const struct ci_policy *policy, size_t index)
{
    return policy->checks[index].level <= policy->fail_on;
}

static int is_in(const struct ci_judge *judge, const struct group *group, size_t index)
{
    return group->belongs(&judge->lines[index], group->rule) &&
           ci_is_decisive(judge->policy, index) == group->decisive &&
           judge->policy->checks[index].level != HN_ADVISORY;
}

static struct ci_told keep_told(const struct ci_judge *judge, const struct group *group,
                                size_t index)
{
    const struct ci_line *line = &judge->lines[index];
    const struct rp_check *check = group->shown(line);
    const struct ci_promise *promise = &judge->policy->checks[index];
    struct ci_told told = {.id = promise->id,
                           .demand = promise->demand,
                           .why = promise->why,
                           .subject = promise->subject,
                           .verdict = check ? hn_verdict_table[check->verdict].name : NULL};
    if (line->clause)
        told.clause = ci_clean_copy(judge->arena, line->clause, CLAUSE_MAX);
    if (check && (check->reason[0] || check->seen[0]))
        told.seen =
            ci_clean_copy(judge->arena, check->reason[0] ? check->reason : check->seen, REASON_MAX);
    if (check && check->root && ci_is_check_id(check->root->id))
        told.root = ci_clean_copy(judge->arena, check->root->id, REASON_MAX);
    return told;
}

static int tell_group(struct ci_judge *judge, const struct group *group, struct ci_cause *cause)
{
    struct hn_buffer text, interfaces;
    const size_t more = cause->check_count > CI_SHOWN ? cause->check_count - CI_SHOWN : 0;
    struct ci_told *const kept = hn_arena_array(judge->arena, CI_SHOWN, sizeof *kept);
    size_t told = 0;
    if (!kept)
        return hn_error_nomem(judge->error);
    hn_buffer_init(&text, CI_TEXT_LIMIT);
    hn_buffer_init(&interfaces, CI_TEXT_LIMIT);
    hn_buffer_printf(&text, "%s", ci_rules[group->rule].text);
    for (size_t i = 0; i < judge->policy->check_count && told < CI_SHOWN; i++) {
        if (!is_in(judge, group, i))
            continue;
        kept[told] = keep_told(judge, group, i);
        hn_buffer_puts(&text, told ? ", " : " ");
        tell_check(&text, &kept[told++]);
        add_interface(&interfaces, cause, judge->policy->checks[i].anchor);
    }
    cause->told = kept;
    cause->told_count = told;
    if (more)
        hn_buffer_printf(&text, " and %zu more", more);
    hn_buffer_putc(&text, '.');
    if (interfaces.length)
        hn_buffer_printf(&text, "%s.", interfaces.text);
    hn_buffer_finish(&interfaces);
    return keep_text(judge, &text, cause);
}

static int add_group(struct ci_judge *judge, const struct group *group)
{
    size_t count = 0, used = 0;
    for (size_t i = 0; i < judge->policy->check_count; i++)
        count += (size_t)is_in(judge, group, i);
    if (!count)
        return HN_OK;
    const char **ids = hn_arena_array(judge->arena, count, sizeof *ids);
    if (!ids)
        return hn_error_nomem(judge->error);
    for (size_t i = 0; i < judge->policy->check_count; i++)
        if (is_in(judge, group, i))
            ids[used++] = judge->policy->checks[i].id;
    struct ci_cause *cause =
        new_cause(judge, group->rule, group->decisive && !is_remark(group->rule));
    if (!cause)
        return hn_error_nomem(judge->error);
    cause->checks = ids;
    cause->check_count = count;
    return tell_group(judge, group, cause);
}

int ci_add_check_causes(struct ci_judge *judge, enum ci_rule_id rule,
                        int (*belongs)(const struct ci_line *line, enum ci_rule_id rule),
                        const struct rp_check *(*shown)(const struct ci_line *line))
{
    int status = HN_OK;
    for (int decisive = 1; !status && decisive >= 0; decisive--) {
        const struct group group = {rule, decisive, belongs, shown};
        status = add_group(judge, &group);
    }
    return status;
}
