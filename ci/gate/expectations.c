/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads ci/expectations/<target>.yaml, and matches an entry with the result of a check. People
 * write these files, so all errors of a file are reported at once. See expectations.h.
 */
#include "expectations.h"

#include <string.h>

#include "arena.h"
#include "cause_words.h"
#include "clean_text.h"
#include "clock.h"
#include "file.h"
#include "yaml_tree.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MEMORY ((size_t)16 << 20)
/* A signature of fewer bytes must equal the whole text; a longer one may equal a part. */
#define SIGNATURE_PART_MIN 8
#define SIGNATURE_MAX 120

struct owner {
    /* must be the first member, because the pointer to it is cast back */
    struct ci_expectations expectations;
    struct hn_arena *arena;
    struct hn_yaml_document *document; /* owns the texts of the entries */
};

static const char *const verdict_names[] = {"crash", "timeout", "fail", "flaky"};
static const enum hn_verdict verdicts[] = {HN_CRASH, HN_TIMEOUT, HN_FAIL, HN_FLAKY};

/* Reports an invalid pattern. A star is valid only at the end of a name: "guard.exchange_*". */
static void check_pattern(const struct hn_yaml *entry, const char *pattern,
                          struct hn_findings *findings)
{
    const char *star = strchr(pattern, '*'), *dot = strchr(pattern, '.');
    const struct hn_yaml *node = hn_yaml_find(entry, "check");
    if (!pattern[0])
        return;
    if (!star && !ci_is_check_id(pattern))
        hn_yaml_complain(node, findings, "\"%.80s\" cannot be the id of a check", pattern);
    else if (star && star[1])
        hn_yaml_complain(node, findings, "\"%.80s\" has a star before its end", pattern);
    else if (star && (!dot || star - dot < 4))
        hn_yaml_complain(node, findings,
                         "\"%.80s\" is too broad: name a module and the beginning of a name",
                         pattern);
}

static void check_issue(const struct hn_yaml *entry, const char *issue,
                        struct hn_findings *findings)
{
    if (issue[0] && strncmp(issue, "https://", 8) != 0)
        hn_yaml_complain(hn_yaml_find(entry, "issue"), findings,
                         "\"%.80s\" is not a link, which begins with https://", issue);
}

/* Reads the fields that every entry has. */
static void read_tracking(const struct hn_yaml *node, const char **reason, const char **issue,
                          const char **expires, struct hn_findings *findings)
{
    *reason = *issue = *expires = "";
    hn_yaml_need_text(node, "reason", reason, findings);
    hn_yaml_need_text(node, "issue", issue, findings);
    hn_yaml_need_text(node, "expires", expires, findings);
    check_issue(node, *issue, findings);
    if (**expires && !hn_is_date(*expires))
        hn_yaml_complain(hn_yaml_find(node, "expires"), findings,
                         "\"%.20s\" is not a day: write it like 2027-01-31", *expires);
}

static void read_entry(const struct hn_yaml *node, struct ci_expectation *entry,
                       struct hn_findings *findings)
{
    static const char *const keys[] = {"check", "verdict", "reason",
                                       "issue", "expires", "signature"};
    size_t verdict = 0;
    *entry = (struct ci_expectation){.check = "", .signature = "", .line = node->line};
    if (hn_yaml_is_map(node, findings))
        return;
    hn_yaml_only_keys(node, keys, COUNT(keys), findings);
    hn_yaml_need_text(node, "check", &entry->check, findings);
    read_tracking(node, &entry->reason, &entry->issue, &entry->expires, findings);
    const struct hn_yaml *kind;
    if (hn_yaml_need(node, "verdict", &kind, findings) == HN_OK)
        hn_yaml_as_choice(kind, verdict_names, COUNT(verdict_names), &verdict, findings);
    entry->verdict = verdicts[verdict];
    if (entry->verdict != HN_FLAKY)
        hn_yaml_need_text(node, "signature", &entry->signature, findings);
    check_pattern(node, entry->check, findings);
}

static void read_cluster(const struct hn_yaml *node, struct ci_cluster_expectation *entry,
                         struct hn_findings *findings)
{
    static const char *const keys[] = {"cause",  "subject", "tests",  "signature",
                                       "reason", "issue",   "expires"};
    *entry = (struct ci_cluster_expectation){
        .cause = "", .subject = "", .tests = "", .signature = "", .line = node->line};
    if (hn_yaml_is_map(node, findings))
        return;
    hn_yaml_only_keys(node, keys, COUNT(keys), findings);
    hn_yaml_need_text(node, "cause", &entry->cause, findings);
    hn_yaml_need_text(node, "subject", &entry->subject, findings);
    hn_yaml_need_text(node, "tests", &entry->tests, findings);
    hn_yaml_text(node, "signature", &entry->signature, findings);
    read_tracking(node, &entry->reason, &entry->issue, &entry->expires, findings);
    if (entry->tests[0] && strncmp(entry->tests, "upstream.", 9) != 0)
        hn_yaml_complain(hn_yaml_find(node, "tests"), findings,
                         "\"%.80s\" is not a test of PyTorch: begin it with upstream.",
                         entry->tests);
}

static int patterns_meet(const char *a, const char *b)
{
    const size_t first = strcspn(a, "*"), second = strcspn(b, "*");
    if (a[first] && b[second])
        return strncmp(a, b, first < second ? first : second) == 0;
    if (a[first])
        return strncmp(a, b, first) == 0;
    return b[second] ? strncmp(a, b, second) == 0 : strcmp(a, b) == 0;
}

static void find_contradictions(struct ci_expectations *all)
{
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = 0; j < i; j++)
            if (all->items[i].check[0] && patterns_meet(all->items[i].check, all->items[j].check))
                hn_findings_add(&all->findings, all->file, all->items[i].line, 0,
                                "%.80s contradicts line %d: one check, one entry",
                                all->items[i].check, all->items[j].line);
}

/* Returns 0 for an empty list: "expected: []", or nothing after the colon. */
static int has_entries(const struct hn_yaml *list, struct hn_findings *findings)
{
    return (list->kind != HN_YAML_SCALAR || list->text[0]) &&
           hn_yaml_is_list(list, findings) == HN_OK;
}

static int read_clusters(struct owner *owner, const struct hn_yaml *list)
{
    struct ci_expectations *all = &owner->expectations;
    if (!list || !has_entries(list, &all->findings))
        return HN_OK;
    struct ci_cluster_expectation *items =
        hn_arena_array(owner->arena, list->count + 1, sizeof *items);
    if (!items)
        return HN_ENOMEM;
    all->clusters = items;
    for (const struct hn_yaml *node = list->first; node; node = node->next)
        read_cluster(node, &items[all->cluster_count++], &all->findings);
    return HN_OK;
}

static int read_checks(struct owner *owner, const struct hn_yaml *list)
{
    struct ci_expectations *all = &owner->expectations;
    if (!has_entries(list, &all->findings))
        return HN_OK;
    struct ci_expectation *items = hn_arena_array(owner->arena, list->count + 1, sizeof *items);
    if (!items)
        return HN_ENOMEM;
    all->items = items;
    for (const struct hn_yaml *node = list->first; node; node = node->next)
        read_entry(node, &items[all->count++], &all->findings);
    find_contradictions(all);
    return HN_OK;
}

static int read_root(struct owner *owner, const struct hn_yaml *root)
{
    static const char *const keys[] = {"target", "expected", "clusters"};
    struct ci_expectations *all = &owner->expectations;
    const struct hn_yaml *list = NULL;
    if (hn_yaml_is_map(root, &all->findings))
        return HN_OK;
    hn_yaml_only_keys(root, keys, COUNT(keys), &all->findings);
    hn_yaml_need_text(root, "target", &all->target, &all->findings);
    if (hn_yaml_need(root, "expected", &list, &all->findings) != HN_OK)
        return HN_OK;
    const int status = read_checks(owner, list);
    return status ? status : read_clusters(owner, hn_yaml_find(root, "clusters"));
}

/* Reads the text, or the file if `text` is NULL. */
static int read_document(const char *text, size_t length, const char *path,
                         struct ci_expectations **expectations, struct hn_error *error)
{
    struct hn_arena *arena;
    struct owner *owner = hn_arena_owner(sizeof *owner, MEMORY, &arena);
    const struct hn_yaml *root;
    int status = HN_OK;
    *expectations = NULL;
    if (!owner)
        return hn_error_nomem(error);
    owner->arena = arena;
    owner->expectations.target = "";
    if (!text && !hn_path_exists(path))
        status = hn_error_at(error, HN_ENOTFOUND, path, 0, 0, "is not there");
    if (!status && !(owner->expectations.file = hn_arena_copy(owner->arena, path, strlen(path))))
        status = hn_error_nomem(error);
    struct hn_findings *findings = &owner->expectations.findings;
    if (!status &&
        (text ? hn_yaml_parse(text, length, path, &owner->document, &root, findings)
              : hn_yaml_read(path, &owner->document, &root, findings)) == HN_OK &&
        read_root(owner, root))
        status = hn_error_nomem(error);
    if (status)
        ci_expectations_destroy(&owner->expectations);
    else
        *expectations = &owner->expectations;
    return status;
}

int ci_expectations_read(const char *path, struct ci_expectations **expectations,
                         struct hn_error *error)
{
    return read_document(NULL, 0, path, expectations, error);
}

int ci_expectations_parse(const char *text, size_t length, const char *path,
                          struct ci_expectations **expectations, struct hn_error *error)
{
    return read_document(text, length, path, expectations, error);
}

void ci_expectations_destroy(struct ci_expectations *expectations)
{
    struct owner *owner = (struct owner *)expectations;
    if (!owner)
        return;
    hn_findings_finish(&owner->expectations.findings);
    hn_yaml_destroy(owner->document);
    hn_arena_destroy(owner->arena);
}

int ci_has_expired(const char *expires, const char *day)
{
    return strncmp(day, expires, 10) > 0;
}

int ci_pattern_fits(const char *pattern, const char *text)
{
    const size_t length = strcspn(pattern, "*");
    return pattern[length] ? strncmp(pattern, text, length) == 0 : strcmp(pattern, text) == 0;
}

/* Replaces numbers, which change from run to run: addresses, counts, lines. */
static void normalise(const char *from, char *text, size_t size)
{
    struct hn_buffer clean;
    size_t used = 0;
    hn_buffer_init(&clean, 4096);
    ci_clean(&clean, from, 1000);
    for (const char *at = clean.text; *at && used + 1 < size;) {
        const size_t number = hn_cause_number(at);
        text[used++] = number ? '#' : *at;
        at += number ? number : 1;
    }
    text[used] = '\0';
    hn_buffer_finish(&clean);
}

/* Returns a placeholder for a failure without a text, so that it has a signature too. */
static const char *words_of(const struct rp_check *check)
{
    if (check->reason[0])
        return check->reason;
    return check->seen[0] ? check->seen : "(no words)";
}

void ci_expectation_signature(const struct rp_check *check, char *text, size_t size)
{
    normalise(words_of(check), text, size < SIGNATURE_MAX + 1 ? size : SIGNATURE_MAX + 1);
}

int ci_expectation_matches(const struct ci_expectation *entry, const struct rp_check *check)
{
    const char *const places[] = {words_of(check), check->seen};
    const int part = strlen(entry->signature) >= SIGNATURE_PART_MIN;
    char text[1024];
    if (entry->verdict != check->verdict)
        return 0;
    for (size_t i = 0; i < COUNT(places); i++) {
        normalise(places[i], text, sizeof text);
        if (part ? strstr(text, entry->signature) != NULL : strcmp(text, entry->signature) == 0)
            return 1;
    }
    return 0;
}
