/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See means.h. The bridge records and refuses operators and generators. The Python host does this
 * for names of the device module (assay/host/means.py), job.c for a second device, and the adapter
 * for the backend's own methods.
 */
#include "means.h"
#include "bridge.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file[4096];
static int recording;

/* Opens the file again for each line, and writes it by one call: see evidence.c. */
static void write_down(const char *how, const char *name)
{
    char line[512];
    const int length = snprintf(line, sizeof line, "%s %s\n", how, name);
    const int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0 || length < 0 || (size_t)length >= sizeof line)
        return;
    const ssize_t written = write(fd, line, (size_t)length);
    (void)written;
    close(fd);
}

void hn_means_used(const char *name)
{
    write_down("used", name);
}

void hn_means_refused(const char *name)
{
    write_down("refused", name);
}

/* ---- the adapter's switchboard ---- */

static const struct assay_switches *switches;
static void *switched_target;

static void open_switches(struct hn_adapter *adapter)
{
    switches = hn_adapter_extension(adapter, ASSAY_SWITCHES, &switched_target);
}

/* Returns the switch that refuses this means, or NULL. */
static const struct assay_switch *find_refusal(const char *name)
{
    const uint32_t count = switches->count(switched_target);
    for (uint32_t i = 0; i < count; i++) {
        const struct assay_switch *const one = switches->get(switched_target, i);
        if (one->kind == ASSAY_SWITCH_REFUSAL && strcmp(one->means, name) == 0)
            return one;
    }
    return NULL;
}

static int is_asked(const struct assay_switch *one)
{
    return one->kind == ASSAY_SWITCH_REFUSAL &&
           switches->asked(switched_target, one->name) == ASSAY_YES;
}

static void write_asked(void)
{
    const uint32_t count = switches->count(switched_target);
    for (uint32_t i = 0; i < count; i++) {
        const struct assay_switch *const one = switches->get(switched_target, i);
        if (is_asked(one))
            hn_means_used(one->means);
    }
}

static const struct assay_switch *armed;

void hn_means_end(void)
{
    uint64_t hits = 0;
    if (!switches)
        return;
    if (recording)
        write_asked();
    if (armed && switches->hits(switched_target, armed->name, &hits) == ASSAY_OK && hits > 0)
        hn_means_refused(armed->means);
}

/* ---- beginning ---- */

static int begins_with(const char *text, const char *head)
{
    return strncmp(text, head, strlen(head)) == 0;
}

/* Returns ASSAY_EUNSUPPORTED if no component can refuse the means. */
static int32_t refuse(const char *name)
{
    armed = switches ? find_refusal(name) : NULL;
    if (armed)
        return switches->arm(switched_target, armed->name);
    if (begins_with(name, "module.") || begins_with(name, "device."))
        return ASSAY_OK; /* refused by the Python host or by job.c */
    return bridge_means_refuse(name, hn_means_refused);
}

static int32_t refuse_or_say(const char *name, char *text, size_t size)
{
    const int32_t status = refuse(name);
    if (status == ASSAY_EUNSUPPORTED) {
        snprintf(text, size,
                 "assay itself cannot refuse %s, and the target's adapter does not offer it", name);
    } else if (status != ASSAY_OK) {
        snprintf(text, size, "cannot refuse %s: %s", name, bridge_error_text());
    }
    return status;
}

static void arm_delays(void)
{
    for (uint32_t i = 0; i < switches->count(switched_target); i++) {
        const struct assay_switch *const one = switches->get(switched_target, i);
        if (one->kind == ASSAY_SWITCH_DELAY)
            switches->arm(switched_target, one->name);
    }
}

/* Starts to record means: the bridge records operators, the switchboard methods of the backend. */
static int32_t record(int64_t late_ms)
{
    recording = 1;
    if (switches)
        switches->watch(switched_target);
    if (switches && late_ms > 0)
        arm_delays();
    return bridge_means_record(hn_means_used, late_ms);
}

int32_t hn_means_begin(const struct hn_means_asked *asked, struct hn_adapter *adapter, char *text,
                       size_t size)
{
    const int records = asked->recorded || asked->late_ms > 0;
    if (!records && !asked->refused)
        return ASSAY_OK;
    snprintf(file, sizeof file, "%s/means.txt", asked->folder);
    open_switches(adapter);
    if (records && record(asked->late_ms) != ASSAY_OK) {
        snprintf(text, size, "cannot record means: %s", bridge_error_text());
        return ASSAY_EFAILED;
    }
    return asked->refused ? refuse_or_say(asked->refused, text, size) : ASSAY_OK;
}
