/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See describe.h. This file uses only the callbacks, so both hosts give the same description.
 */
#include "describe.h"

#include <stdio.h>
#include <string.h>

#include "assay/target.h"

#define TEXT_SIZE 1024

static const char *const known_extensions[] = {
    ASSAY_RESET,           ASSAY_SYNCHRONIZE, ASSAY_MEMORY_PROBE, ASSAY_GATE,
    ASSAY_DRIVER_FAILURES, ASSAY_COUNTERS,    ASSAY_SWITCHES,
};

static void add_word(char *text, const char *word)
{
    const size_t used = strlen(text);
    snprintf(text + used, TEXT_SIZE - used, "%s%s", used ? " " : "", word);
}

static void note_words(struct hn_evidence *evidence, const char *key, const char *text)
{
    if (*text)
        hn_evidence_note(evidence, key, text);
}

static void describe_devices(const struct hn_host_target *target, struct hn_evidence *evidence)
{
    char text[TEXT_SIZE] = "", number[16];
    for (uint32_t i = 0; i < target->device_count; i++) {
        snprintf(number, sizeof number, "%d", (int)target->devices[i]);
        add_word(text, number);
    }
    hn_evidence_note(evidence, HN_NOTE_DEVICE, target->device_name);
    hn_evidence_note(evidence, HN_NOTE_DEVICES, text);
}

static void describe_offers(const struct hn_host_callbacks *callbacks, struct hn_evidence *evidence)
{
    char text[TEXT_SIZE] = "";
    void *handle = NULL;
    for (size_t i = 0; i < sizeof known_extensions / sizeof *known_extensions; i++)
        if (callbacks->extension(callbacks->context, known_extensions[i], &handle))
            add_word(text, known_extensions[i]);
    note_words(evidence, HN_NOTE_OFFERS, text);
}

static void describe_switches(const struct hn_host_callbacks *callbacks,
                              struct hn_evidence *evidence)
{
    char text[TEXT_SIZE];
    void *target = NULL;
    const struct assay_switches *board =
        callbacks->extension(callbacks->context, ASSAY_SWITCHES, &target);
    for (uint32_t i = 0; board && i < board->count(target); i++) {
        const struct assay_switch *one = board->get(target, i);
        if (!one || one->time != ASSAY_SWITCH_AT_LOAD || !one->environment)
            continue;
        snprintf(text, sizeof text, "%s %s", one->name, one->environment);
        hn_evidence_note(evidence, HN_NOTE_AT_LOAD, text);
    }
}

static void describe_claims(const struct hn_setup *setup, const struct hn_host_callbacks *callbacks,
                            struct hn_evidence *evidence)
{
    char yes[TEXT_SIZE] = "", no[TEXT_SIZE] = "";
    for (size_t i = 0; i < setup->asked_count; i++) {
        const int32_t answer = callbacks->claim(callbacks->context, setup->asked[i]);
        if (answer == ASSAY_YES)
            add_word(yes, setup->asked[i]);
        else if (answer == ASSAY_NO)
            add_word(no, setup->asked[i]);
    }
    note_words(evidence, HN_NOTE_YES, yes);
    note_words(evidence, HN_NOTE_NO, no);
}

void hn_describe_target(const struct hn_setup *setup, const struct hn_host_callbacks *callbacks,
                        const struct hn_host_target *target, struct hn_evidence *evidence)
{
    describe_devices(target, evidence);
    if (!setup->host.adapter)
        return;
    if (callbacks->extension) {
        describe_offers(callbacks, evidence);
        describe_switches(callbacks, evidence);
    }
    if (callbacks->claim)
        describe_claims(setup, callbacks, evidence);
}
