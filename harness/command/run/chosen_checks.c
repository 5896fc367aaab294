/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See chosen_checks.h.
 */
#include "chosen_checks.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failed_checks.h"
#include "read_contract.h"
#include "touched_files.h"

static int out_of_memory(void)
{
    fputs("assay: out of memory\n", stderr);
    return HN_EXIT_SYSTEM;
}

static int select_failed(const struct hn_catalogue *catalogue, const char *run,
                         struct hn_buffer *expression)
{
    unsigned char *failed = calloc(catalogue->check_count + 1, 1);
    struct hn_error error;
    if (!failed)
        return out_of_memory();
    const int status = hn_failed_checks(catalogue, run, failed, &error);
    for (size_t i = 0; status == HN_OK && i < catalogue->check_count; i++)
        if (failed[i])
            hn_buffer_printf(expression, "%scheck:%s", expression->length ? "," : "",
                             catalogue->checks[i].id);
    free(failed);
    /* If no check failed in the earlier run, there is nothing to run again, which is a success. */
    const int told = status == HN_OK ? 0 : hn_print_error(&error);
    return status == HN_EUSAGE ? 0 : told;
}

/* Adds "&check:*word*" to every term of the selection. A "-term" only excludes checks, so it needs
 * no addition. */
static void narrow(const char *select, const char *word, struct hn_buffer *expression)
{
    if (!select || *select == '-')
        hn_buffer_printf(expression, "check:*%s*", word);
    for (const char *rest = select ? select : ""; *rest;) {
        rest += strspn(rest, ", \n");
        const size_t length = strcspn(rest, ", \n");
        if (length)
            hn_buffer_printf(expression, "%s%.*s", expression->length ? "," : "", (int)length,
                             rest);
        if (length && *rest != '-')
            hn_buffer_printf(expression, "&check:*%s*", word);
        rest += length;
    }
}

int hn_chooses_checks(const struct hn_invocation *invocation)
{
    return hn_option_value(invocation, "changed") || hn_option_value(invocation, "last-failed") ||
           hn_option_value(invocation, "match");
}

/* The number of options that choose checks. More than one would be ambiguous. */
static int choices(const struct hn_invocation *invocation)
{
    return (hn_option_value(invocation, "changed") != NULL) +
           (hn_option_value(invocation, "last-failed") != NULL) +
           (hn_option_value(invocation, "select") != NULL);
}

static int choose(const struct hn_invocation *invocation, struct hn_buffer *chosen, int *unknown)
{
    const char *changed = hn_option_value(invocation, "changed");
    const char *last = hn_option_value(invocation, "last-failed");
    const char *select = hn_option_value(invocation, "select");
    struct hn_catalogue *catalogue;
    int status = HN_EXIT_OK;
    if (!changed && !last)
        return hn_buffer_puts(chosen, select ? select : "all") == HN_OK ? 0 : out_of_memory();
    status = hn_read_contract(hn_option_value(invocation, "suite"), &catalogue);
    if (!status)
        status = changed ? hn_touched_files(catalogue, changed, chosen, unknown)
                         : select_failed(catalogue, last, chosen);
    hn_catalogue_destroy(catalogue);
    return status;
}

/* A word that no check's id contains is a mistake of the user, and is reported. */
static int expect_some(const struct hn_invocation *invocation, const char *word)
{
    struct hn_catalogue *catalogue;
    char pattern[256];
    int found = 0;
    const int status = hn_read_contract(hn_option_value(invocation, "suite"), &catalogue);
    snprintf(pattern, sizeof pattern, "*%s*", word);
    for (size_t i = 0; !status && i < catalogue->check_count && !found; i++)
        found = fnmatch(pattern, catalogue->checks[i].id, 0) == 0;
    hn_catalogue_destroy(catalogue);
    /* Checks that a program lists are not known yet. */
    if (status || found || hn_option_value(invocation, "ops") ||
        hn_option_value(invocation, "upstream"))
        return status;
    return hn_usage_error(invocation->command, "no check's id contains \"%.60s\" (-k)", word);
}

int hn_chosen_checks(const struct hn_invocation *invocation, struct hn_buffer *expression,
                     int *unknown)
{
    const char *word = hn_option_value(invocation, "match");
    struct hn_buffer chosen;
    if (choices(invocation) > 1)
        return hn_usage_error(invocation->command,
                              "--changed, --last-failed and --select each choose the checks: give "
                              "one of them");
    if (word && (!*word || word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_.*?")]))
        return hn_usage_error(invocation->command,
                              "-k takes a part of a check's id, such as exchange, not \"%.60s\"",
                              word);
    hn_buffer_init(&chosen, expression->limit / 2);
    *unknown = 0;
    int status = choose(invocation, &chosen, unknown);
    if (!status && word)
        status = expect_some(invocation, word);
    if (!status && word && chosen.length)
        narrow(chosen.text, word, expression);
    else if (!status)
        hn_buffer_puts(expression, chosen.text);
    if (!status && (chosen.status || expression->status))
        status = out_of_memory();
    hn_buffer_finish(&chosen);
    return status;
}
