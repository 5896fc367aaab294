/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Evaluates selection expressions. Called by run, list and prove; see select.h for the grammar.
 */
#include "select.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "failed_checks.h"
#include "nearest.h"

#define LONGEST_TERM 512
#define PROFILE_DEPTH 4 /* profiles may contain profiles */

struct selector {
    const struct hn_catalogue *catalogue;
    struct hn_error *error;
    int depth;
};

static int select_into(struct selector *selector, const char *expression, unsigned char *selected);

/* ---- one matcher per kind of word; returns 1 if `word` is of this kind, and fills `taken` ---- */

static int match_all(struct selector *selector, const char *word, unsigned char *taken)
{
    if (strcmp(word, "all") != 0)
        return 0;
    memset(taken, 1, selector->catalogue->check_count);
    return 1;
}

static int match_level(struct selector *selector, const char *word, unsigned char *taken)
{
    const int level = hn_word_index(hn_level_names, HN_LEVELS, word);
    for (size_t i = 0; level >= 0 && i < selector->catalogue->check_count; i++)
        taken[i] = (int)selector->catalogue->checks[i].level == level;
    return level >= 0;
}

static int match_heavy(struct selector *selector, const char *word, unsigned char *taken)
{
    const int is_heavy = strcmp(word, "heavy") == 0;
    for (size_t i = 0; is_heavy && i < selector->catalogue->check_count; i++)
        taken[i] = (unsigned char)selector->catalogue->checks[i].heavy;
    return is_heavy;
}

static int match_kind(struct selector *selector, const char *word, unsigned char *taken)
{
    const int kind = hn_word_index(hn_kind_names, HN_KINDS, word);
    for (size_t i = 0; kind >= 0 && i < selector->catalogue->check_count; i++)
        taken[i] = (int)selector->catalogue->checks[i].kind == kind;
    return kind >= 0;
}

static int match_module(struct selector *selector, const char *word, unsigned char *taken)
{
    const struct hn_module *module = hn_catalogue_module(selector->catalogue, word);
    for (size_t i = 0; module && i < selector->catalogue->check_count; i++)
        taken[i] = selector->catalogue->checks[i].module == module;
    return module != NULL;
}

static int match_check(struct selector *selector, const char *word, unsigned char *taken)
{
    int any = 0;
    for (size_t i = 0; i < selector->catalogue->check_count; i++) {
        taken[i] = fnmatch(word, selector->catalogue->checks[i].id, 0) == 0;
        any |= taken[i];
    }
    return any;
}

static int covers(const struct hn_check *check, const char *pattern)
{
    for (size_t i = 0; i < check->covers_count; i++)
        if (fnmatch(pattern, check->covers[i]->id, 0) == 0)
            return 1;
    return 0;
}

static int match_requirement(struct selector *selector, const char *word, unsigned char *taken)
{
    const struct hn_catalogue *catalogue = selector->catalogue;
    int any = 0;
    for (size_t i = 0; i < catalogue->requirement_count && !any; i++)
        any = fnmatch(word, catalogue->requirements[i].id, 0) == 0;
    for (size_t i = 0; any && i < catalogue->check_count; i++)
        taken[i] = (unsigned char)covers(&catalogue->checks[i], word);
    return any;
}

static int match_profile(struct selector *selector, const char *word, unsigned char *taken)
{
    const struct hn_catalogue *catalogue = selector->catalogue;
    for (size_t i = 0; i < catalogue->selection_count; i++)
        if (strcmp(catalogue->selections[i].name, word) == 0)
            return select_into(selector, catalogue->selections[i].select, taken) == HN_OK ? 1 : -1;
    return 0;
}

static int match_capability(struct selector *selector, const char *word, unsigned char *taken)
{
    const struct hn_catalogue *catalogue = selector->catalogue;
    const struct hn_contract_capability *capability = hn_catalogue_capability(catalogue, word);
    for (size_t i = 0; capability && i < catalogue->check_count; i++)
        taken[i] = (unsigned char)hn_texts_contain(&catalogue->checks[i].capabilities, word);
    return capability != NULL;
}

/* Matches "needs:gate": checks that need this instrument of the target's adapter. */
static int match_needs(struct selector *selector, const char *word, unsigned char *taken)
{
    const int needed = hn_word_index(hn_needs_names, HN_NEEDS_COUNT, word);
    for (size_t i = 0; needed >= 0 && i < selector->catalogue->check_count; i++)
        taken[i] = selector->catalogue->checks[i].needs >> needed & 1u;
    return needed >= 0;
}

static int match_fault(struct selector *selector, const char *word, unsigned char *taken)
{
    const struct hn_catalogue *catalogue = selector->catalogue;
    int any = hn_catalogue_fault(catalogue, word) != NULL;
    for (size_t i = 0; i < catalogue->check_count; i++) {
        taken[i] = (unsigned char)hn_texts_contain(&catalogue->checks[i].faults, word);
        any |= taken[i];
    }
    return any;
}

static int match_file(struct selector *selector, const char *word, unsigned char *taken)
{
    int any = 0;
    for (size_t i = 0; i < selector->catalogue->check_count; i++) {
        taken[i] = (unsigned char)hn_check_is_anchored(&selector->catalogue->checks[i], word);
        any |= taken[i];
    }
    return any;
}

static int has_incident(const struct hn_check *check, const char *id)
{
    for (size_t i = 0; i < check->covers_count; i++) {
        const char *at = strstr(check->covers[i]->why, id);
        if (at && !isdigit((unsigned char)at[strlen(id)]))
            return 1;
    }
    return 0;
}

/* Matches "INC-019": checks of clauses whose `why` names this incident. */
static int match_incident(struct selector *selector, const char *word, unsigned char *taken)
{
    const int is_one = strncmp(word, "INC-", 4) == 0 && isdigit((unsigned char)word[4]);
    int any = 0;
    for (size_t i = 0; is_one && i < selector->catalogue->check_count; i++) {
        taken[i] = (unsigned char)has_incident(&selector->catalogue->checks[i], word);
        any |= taken[i];
    }
    return any;
}

static int match_failed(struct selector *selector, const char *word, unsigned char *taken)
{
    return hn_failed_checks(selector->catalogue, word, taken, selector->error) == HN_OK ? 1 : -1;
}

static const struct {
    const char *prefix;
    int bare; /* the prefix may be omitted */
    int (*match)(struct selector *, const char *, unsigned char *);
} matchers[] = {
    {"all:", 1, match_all},         {"level:", 1, match_level},
    {"kind:", 1, match_kind},       {"module:", 1, match_module},
    {"profile:", 1, match_profile}, {"requirement:", 1, match_requirement},
    {"check:", 1, match_check},     {"capability:", 0, match_capability},
    {"fault:", 0, match_fault},     {"file:", 0, match_file},
    {"failed:", 0, match_failed},   {"incident:", 1, match_incident},
    {"needs:", 0, match_needs},     {"cost:", 1, match_heavy},
};

static int complain_word(const struct selector *selector, const char *word)
{
    const struct hn_catalogue *catalogue = selector->catalogue;
    struct hn_nearest search;
    if (!*word)
        return hn_error_set(selector->error, HN_EUSAGE,
                            "a name is missing in the selection: write a name between two commas, "
                            "and on both sides of &");
    hn_nearest_begin(&search, word);
    HN_NEAREST_OFFER_ALL(&search, hn_level_names, HN_LEVELS);
    HN_NEAREST_OFFER_ALL(&search, catalogue->modules, catalogue->module_count);
    HN_NEAREST_OFFER_ALL(&search, catalogue->selections, catalogue->selection_count);
    HN_NEAREST_OFFER_ALL(&search, catalogue->checks, catalogue->check_count);
    HN_NEAREST_OFFER_ALL(&search, catalogue->requirements, catalogue->requirement_count);
    return hn_error_set(
        selector->error, HN_EUSAGE,
        "\"%.80s\" names no check, module, level, profile, incident or requirement%s", word,
        hn_nearest_hint(&search));
}

/* A word with a prefix is matched as this kind only. For a word without a prefix, the first kind
 * that matches is used. */
static int match_word(struct selector *selector, const char *word, unsigned char *taken)
{
    for (size_t i = 0; i < sizeof matchers / sizeof *matchers; i++) {
        const size_t length = strlen(matchers[i].prefix);
        const int prefixed = strncmp(word, matchers[i].prefix, length) == 0;
        if (!prefixed && !matchers[i].bare)
            continue;
        const int found = matchers[i].match(selector, prefixed ? word + length : word, taken);
        if (found)
            return found > 0 ? HN_OK : HN_EUSAGE;
    }
    return complain_word(selector, word);
}

/* Matches words that are joined by "&". Modifies `term`. */
static int match_term(struct selector *selector, char *term, unsigned char *taken)
{
    const size_t count = selector->catalogue->check_count;
    unsigned char *more = calloc(count + 1, 1);
    int status = more ? HN_OK : hn_error_nomem(selector->error);
    char *word;
    memset(taken, 1, count);
    while (!status && (word = strsep(&term, "&"))) {
        status = match_word(selector, word, more);
        for (size_t i = 0; !status && i < count; i++)
            taken[i] &= more[i];
    }
    free(more);
    return status;
}

static int apply_term(struct selector *selector, const char *start, size_t length, int first,
                      unsigned char *selected)
{
    const size_t count = selector->catalogue->check_count;
    const int removes = start[0] == '-';
    char term[LONGEST_TERM];
    if (length >= sizeof term)
        return hn_error_set(selector->error, HN_EUSAGE, "a term of the selection is too long");
    memcpy(term, start + removes, length - (size_t)removes);
    term[length - (size_t)removes] = '\0';
    unsigned char *taken = calloc(count + 1, 1);
    if (!taken)
        return hn_error_nomem(selector->error);
    const int status = match_term(selector, term, taken);
    if (first && removes)
        memset(selected, 1, count);
    for (size_t i = 0; !status && i < count; i++)
        selected[i] = removes ? selected[i] && !taken[i] : selected[i] || taken[i];
    free(taken);
    return status;
}

static int select_into(struct selector *selector, const char *expression, unsigned char *selected)
{
    const char *rest = expression;
    int first = 1, status = HN_OK;
    if (++selector->depth > PROFILE_DEPTH)
        return hn_error_set(selector->error, HN_EINPUT,
                            "profiles of conformance.yaml name each other in a cycle");
    memset(selected, 0, selector->catalogue->check_count);
    for (;;) {
        rest += strspn(rest, ", \n");
        const size_t length = strcspn(rest, ", \n");
        if (length == 0 || status)
            break;
        status = apply_term(selector, rest, length, first, selected);
        rest += length;
        first = 0;
    }
    selector->depth--;
    if (!status && first)
        status = hn_error_set(selector->error, HN_EUSAGE, "the selection is empty");
    return status;
}

int hn_select(const struct hn_catalogue *catalogue, const char *expression, unsigned char *selected,
              struct hn_error *error)
{
    struct selector selector = {.catalogue = catalogue, .error = error};
    const int status = select_into(&selector, expression, selected);
    if (status)
        return status;
    for (size_t i = 0; i < catalogue->check_count; i++)
        if (selected[i])
            return HN_OK;
    return hn_error_set(error, HN_EUSAGE, "the selection \"%.200s\" matches no check", expression);
}
