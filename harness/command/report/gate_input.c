/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See gate_input.h. The contract (levels, ids, labels) is trusted; the runs are not.
 */
#include "gate_input.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "changed_files.h"
#include "clean_text.h"
#include "clock.h"
#include "drift_intake.h"
#include "file.h"
#include "outside_run.h"
#include "run_intake.h"
#include "select.h"

#define MEMORY ((size_t)1 << 30)
#define LIST_MAX ((size_t)16 << 20)

/* The contract does not contain the checks of watched programs and of clients. */
static int is_outside(const char *select)
{
    return select &&
           (strcmp(select, HN_WATCHED_SELECT) == 0 || strcmp(select, HN_CLIENTS_SELECT) == 0);
}

static int read_policy(const struct hn_catalogue *catalogue, const char *select,
                       struct hn_gate *gate, struct hn_error *error)
{
    const struct hn_policy *policy = &catalogue->policy;
    struct ci_promise *checks =
        hn_arena_array(gate->arena, catalogue->check_count + 1, sizeof *checks);
    unsigned char *selected = hn_arena_alloc(gate->arena, catalogue->check_count + 1);
    if (!checks || !selected)
        return hn_error_nomem(error);
    const int status =
        hn_select(catalogue, select && !is_outside(select) ? select : "all", selected, error);
    for (size_t i = 0; !status && i < catalogue->check_count; i++) {
        const struct hn_check *check = &catalogue->checks[i];
        checks[i] =
            (struct ci_promise){.id = check->id,
                                .anchor = check->covers_count ? check->covers[0]->anchor : "",
                                .level = check->level,
                                .subject = check->subject,
                                .promised = selected[i],
                                .torch = check->torch,
                                .demand = check->covers_count ? check->covers[0]->text : NULL,
                                .why = check->covers_count ? check->covers[0]->why : NULL};
    }
    gate->policy = (struct ci_policy){.contract = catalogue->version,
                                      .fail_on = policy->fail_on,
                                      .checks = checks,
                                      .check_count = catalogue->check_count,
                                      .label_adaptation = policy->label_adaptation,
                                      .label_override = policy->label_override,
                                      .label_hint = policy->label_hint};
    return status;
}

static int read_change(const struct hn_gate_paths *paths, const struct hn_policy *policy,
                       struct hn_gate *gate, struct hn_error *error)
{
    char *text;
    size_t length, lines;
    int status = HN_OK;
    if (paths->changed_files) {
        status = hn_file_list(paths->changed_files, LIST_MAX, gate->arena, &text, &lines, error);
        const char *file = status ? NULL
                                  : ci_changed_file(text, policy->reference_files.items,
                                                    policy->reference_files.count, &length);
        if (file && !(gate->change.reference_file = hn_arena_copy(gate->arena, file, length)))
            status = hn_error_nomem(error);
    }
    if (!status && paths->drift)
        status = ci_drift_read(paths->drift, gate->arena, &gate->change.drift, error);
    if (!status && paths->labels) {
        status = hn_file_list(paths->labels, LIST_MAX, gate->arena, &text, &lines, error);
        gate->change.overridden = !status && ci_has_line(text, policy->label_override);
    }
    return status;
}

struct sides { /* the runs below one of the paths */
    struct ci_side side[HN_GATE_TARGETS];
    int taken[HN_GATE_TARGETS];
    size_t count;
};

static int read_sides(const char *folder, struct hn_gate *gate, struct sides *sides,
                      struct hn_error *error)
{
    const char *paths[HN_GATE_TARGETS];
    size_t count = 0;
    int status = HN_OK;
    sides->count = 0;
    if (folder)
        status = ci_find_runs(folder, gate->arena, paths, HN_GATE_TARGETS, &count, error);
    for (size_t i = 0; !status && i < count; i++) {
        status = ci_side_read(paths[i], gate->arena, &sides->side[i], error);
        sides->taken[i] = 0;
        sides->count += !status;
    }
    return status;
}

static const char *target_of(const struct ci_side *side)
{
    return side->run ? side->run->target : "";
}

static int refuse(struct hn_gate *gate, const char *what, const char *target, struct ci_side *side,
                  struct hn_error *error)
{
    struct hn_buffer text;
    hn_buffer_init(&text, 1024);
    hn_buffer_printf(&text, "There is no %s of target ", what);
    ci_clean(&text, target, 100);
    hn_buffer_putc(&text, '.');
    *side =
        (struct ci_side){.given = 1, .refusal = hn_arena_copy(gate->arena, text.text, text.length)};
    hn_buffer_finish(&text);
    return side->refusal ? HN_OK : hn_error_nomem(error);
}

/* Takes the run of the same target out of `sides`. If there are only one head run and one other
 * run, takes the other run even if its target differs; the gate then compares the two targets. */
static int take(struct hn_gate *gate, struct sides *sides, const char *what,
                const struct ci_side *head, int alone, struct ci_side *side, struct hn_error *error)
{
    for (size_t i = 0; i < sides->count; i++) {
        const int same = head->run && sides->side[i].run &&
                         strcmp(target_of(head), target_of(&sides->side[i])) == 0;
        if (sides->taken[i] || !((alone && sides->count == 1) || same))
            continue;
        sides->taken[i] = 1;
        *side = sides->side[i];
        return HN_OK;
    }
    return sides->count ? refuse(gate, what, target_of(head), side, error) : HN_OK;
}

/* If a target ran on base but not on head, its head run is missing. */
static int add_missing_heads(struct hn_gate *gate, struct sides *base, struct hn_error *error)
{
    int status = HN_OK;
    for (size_t i = 0; !status && i < base->count; i++) {
        if (base->taken[i])
            continue;
        if (gate->count == HN_GATE_TARGETS)
            return hn_error_set(error, HN_ELIMIT, "more than %d targets", HN_GATE_TARGETS);
        struct ci_case *now = &gate->cases[gate->count++];
        base->taken[i] = 1;
        now->base = base->side[i];
        status = refuse(gate, "head run", target_of(&now->base), &now->head, error);
    }
    return status;
}

static void finish_rest(struct sides *sides)
{
    for (size_t i = 0; i < sides->count; i++)
        if (!sides->taken[i])
            ci_side_finish(&sides->side[i]);
}

static int read_cases(const struct hn_gate_paths *paths, struct hn_gate *gate,
                      struct hn_error *error)
{
    static const char *const unadapted_words = "run of the unadapted backend";
    struct sides head = {.count = 0}, base = {.count = 0}, unadapted = {.count = 0};
    int status = read_sides(paths->head, gate, &head, error);
    if (!status)
        status = read_sides(paths->base, gate, &base, error);
    if (!status)
        status = read_sides(paths->unadapted, gate, &unadapted, error);
    const int alone = head.count == 1;
    for (size_t i = 0; !status && i < head.count; i++) {
        struct ci_case *now = &gate->cases[gate->count++];
        head.taken[i] = 1;
        now->head = head.side[i];
        status = take(gate, &base, "base run", &now->head, alone, &now->base, error);
        if (!status)
            status =
                take(gate, &unadapted, unadapted_words, &now->head, alone, &now->unadapted, error);
    }
    if (!status)
        status = add_missing_heads(gate, &base, error);
    finish_rest(&head);
    finish_rest(&base);
    finish_rest(&unadapted);
    return status;
}

/* ---- runs of watched programs: the contract does not list the operators of a program */

static int is_in(const struct rp_run *const *runs, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (rp_run_check(runs[i], id))
            return 1;
    return 0;
}

/* Adds each operator that occurs in a run to the policy. Only the check of the program itself must
 * be in every complete run. */
static int take_watched(struct hn_gate *gate, struct hn_error *error)
{
    static const char demand[] = "the device's results equal the CPU's results";
    const struct rp_run *runs[2 * HN_GATE_TARGETS];
    size_t run_count = 0, most = 0, count = 0;
    for (size_t i = 0; i < gate->count; i++) {
        const struct ci_side *sides[] = {&gate->cases[i].base, &gate->cases[i].head};
        for (size_t j = 0; j < 2; j++)
            if (sides[j]->run)
                runs[run_count++] = sides[j]->run;
    }
    for (size_t i = 0; i < run_count; i++)
        most += runs[i]->check_count;
    struct ci_promise *checks = hn_arena_array(gate->arena, most + 1, sizeof *checks);
    if (!checks)
        return hn_error_nomem(error);
    for (size_t i = 0; i < run_count; i++)
        for (size_t j = 0; j < runs[i]->check_count; j++) {
            const char *id = runs[i]->checks[j].id;
            if (!is_in(runs, i, id))
                checks[count++] =
                    (struct ci_promise){.id = id,
                                        .anchor = "",
                                        .level = HN_MUST,
                                        .promised = strcmp(id, HN_WATCHED_PROGRAM) == 0,
                                        .demand = demand};
        }
    gate->policy.checks = checks;
    gate->policy.check_count = count;
    return HN_OK;
}

static int is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

int hn_gate_check_expectations(const char *path, struct hn_findings *findings)
{
    struct ci_expectations *read = NULL;
    struct hn_error error;
    if (is_folder(path))
        return HN_OK;
    if (ci_expectations_read(path, &read, &error) != HN_OK)
        return hn_findings_add_error(findings, &error);
    for (size_t i = 0; i < read->findings.count; i++)
        hn_findings_add_error(findings, &read->findings.items[i]);
    const int status = read->findings.total ? HN_EINPUT : HN_OK;
    ci_expectations_destroy(read);
    return status;
}

/* A folder contains one file per target. The name of a target is untrusted: it becomes part of a
 * path only if it consists of letters, digits, "-" and "_". */
static int expectations_path(const char *given, const char *target, char *path,
                             struct hn_error *error)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    char name[128];
    path[0] = '\0';
    if (!is_folder(given))
        return hn_path_join(path, HN_PATH_SIZE, "", given, error);
    const size_t length = strlen(target);
    if (length == 0 || length > 100 || strspn(target, allowed) != length)
        return HN_OK;
    memcpy(name, target, length);
    memcpy(name + length, ".yaml", sizeof ".yaml");
    const int status = hn_path_join(path, HN_PATH_SIZE, given, name, error);
    if (!status && !hn_path_exists(path))
        path[0] = '\0';
    return status;
}

static int read_list_of(const char *given, const char *target, struct ci_expectations **list,
                        struct hn_error *error)
{
    char path[HN_PATH_SIZE] = "";
    const int status = given ? expectations_path(given, target, path, error) : HN_OK;
    return !status && path[0] ? ci_expectations_read(path, list, error) : status;
}

static int read_expectations(const struct hn_gate_paths *paths, struct hn_gate *gate,
                             struct hn_error *error)
{
    int status = HN_OK;
    for (size_t i = 0; !status && i < gate->count; i++) {
        struct ci_case *now = &gate->cases[i];
        const char *target = target_of(&now->head);
        status = read_list_of(paths->expectations, target, &gate->expectations[i], error);
        if (!status)
            status = read_list_of(paths->proposed, target, &gate->proposed[i], error);
        now->expectations = gate->expectations[i];
        now->proposed = gate->proposed[i];
        now->is_proposed = paths->proposed != NULL;
    }
    return status;
}

/* Reads causes of PyTorch's own tests, with both lists of expectations for their target. */
static int read_causes(const struct hn_gate_paths *paths, struct hn_gate *gate,
                       struct hn_error *error)
{
    struct ci_clusters *clusters = &gate->change.clusters;
    struct ci_expectations **expected = &gate->expectations[HN_GATE_TARGETS],
                           **proposed = &gate->proposed[HN_GATE_TARGETS];
    if (!paths->causes)
        return HN_OK;
    int status = rp_cause_list_read(paths->causes, gate->arena, &gate->causes, error);
    if (!status && paths->base_causes)
        status = rp_cause_list_read(paths->base_causes, gate->arena, &gate->base_causes, error);
    if (!status)
        status = read_list_of(paths->expectations, gate->causes.target, expected, error);
    if (!status)
        status = read_list_of(paths->proposed, gate->causes.target, proposed, error);
    *clusters = (struct ci_clusters){.head = &gate->causes,
                                     .base = paths->base_causes ? &gate->base_causes : NULL,
                                     .expectations = *expected,
                                     .is_proposed = paths->proposed != NULL,
                                     .proposed = *proposed};
    return status;
}

int hn_gate_judge(const struct hn_gate_paths *paths, const struct hn_catalogue *catalogue,
                  struct hn_gate *gate, struct hn_error *error)
{
    *gate = (struct hn_gate){.arena = hn_arena_create(MEMORY)};
    if (!gate->arena)
        return hn_error_nomem(error);
    hn_clock_date(gate->change.today, sizeof gate->change.today);
    int status = read_policy(catalogue, paths->select, gate, error);
    if (!status)
        status = read_change(paths, &catalogue->policy, gate, error);
    if (!status)
        status = read_cases(paths, gate, error);
    if (!status && is_outside(paths->select))
        status = take_watched(gate, error);
    if (!status)
        status = read_expectations(paths, gate, error);
    if (!status)
        status = read_causes(paths, gate, error);
    return status ? status
                  : ci_gate_decide(&gate->policy, &gate->change, gate->cases, gate->count,
                                   gate->arena, &gate->result, error);
}

void hn_gate_finish(struct hn_gate *gate)
{
    for (size_t i = 0; i < gate->count; i++) {
        ci_side_finish(&gate->cases[i].head);
        ci_side_finish(&gate->cases[i].base);
        ci_side_finish(&gate->cases[i].unadapted);
    }
    for (size_t i = 0; i <= HN_GATE_TARGETS; i++) {
        ci_expectations_destroy(gate->expectations[i]);
        ci_expectations_destroy(gate->proposed[i]);
    }
    hn_arena_destroy(gate->arena);
}

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
