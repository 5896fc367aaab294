/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See probe_text.h.
 */
#include "probe_text.h"

#include <string.h>

#include "buffer.h"
#include "file.h"

#define PROFILE_LIMIT ((size_t)1 << 20)

static const char *text_of(const struct hn_json *object, const char *key)
{
    const char *text = "";
    if (hn_json_has(object, key))
        hn_json_text(object, key, &text, NULL);
    return text;
}

static int print_steps(const struct hn_json *answer, FILE *out, struct hn_error *error)
{
    struct hn_json steps, step;
    int status = hn_json_array(answer, "steps", &steps, error), ok = 0;
    for (size_t i = 0; status == HN_OK && i < hn_json_count(&steps); i++) {
        hn_json_item(&steps, i, &step);
        status = hn_json_boolean(&step, "ok", &ok, error);
        fprintf(out, "  %zu. %s: %s%s\n", i + 1, text_of(&step, "step"),
                ok ? "" : "FAILED: ", text_of(&step, "message"));
    }
    return status;
}

/* Prints the counts of devices if the guard, the hooks and the device module count differently. */
static void print_counts(const struct hn_json *device, FILE *out)
{
    static const char *const who[] = {"guard", "hooks", "module"};
    struct hn_json counts;
    int64_t count[3], low = INT32_MAX, high = -1;
    if (!hn_json_has(device, "counts") || hn_json_object(device, "counts", &counts, NULL) != HN_OK)
        return;
    for (size_t i = 0; i < 3; i++) {
        count[i] = -1; /* null: the call fails */
        hn_json_integer(&counts, who[i], 0, INT32_MAX, &count[i], NULL);
        low = count[i] >= 0 && count[i] < low ? count[i] : low;
        high = count[i] > high ? count[i] : high;
    }
    if (high <= low)
        return;
    fputs("  the counts of devices disagree:", out);
    for (size_t i = 0; i < 3; i++)
        if (count[i] >= 0)
            fprintf(out, " %s %lld", who[i], (long long)count[i]);
    fputs("; checks use the devices that the guard counts\n", out);
}

static void print_device(const struct hn_json *answer, FILE *out)
{
    struct hn_json device, names, module;
    int64_t count = 0;
    if (hn_json_object(answer, "device", &device, NULL) != HN_OK || !*text_of(&device, "name"))
        return;
    hn_json_integer(&device, "count", 0, INT32_MAX, &count, NULL);
    fprintf(out, "device \"%s\", %lld device%s", text_of(&device, "name"), (long long)count,
            count == 1 ? "" : "s");
    if (hn_json_has(&device, "names") && hn_json_object(&device, "names", &names, NULL) == HN_OK)
        fprintf(out, "; \"%s\" gives %s, with an index %s", text_of(&device, "name"),
                text_of(&names, "bare"), text_of(&names, "explicit"));
    if (hn_json_has(&device, "module") && hn_json_object(&device, "module", &module, NULL) == HN_OK)
        fprintf(out, "; device module: %s", text_of(&module, "kind"));
    fputc('\n', out);
    print_counts(&device, out);
    if (hn_json_has(&device, "refusal"))
        fprintf(out, "  no device is usable: %s\n", text_of(&device, "refusal"));
    if (hn_json_has(&device, "takes"))
        fprintf(out, "  accepts only tensors of %s, not float32 in all sizes\n",
                text_of(&device, "takes"));
}

static void print_capabilities(const struct hn_json *answer, FILE *out)
{
    struct hn_json capabilities, one;
    void *iterator = NULL;
    if (hn_json_object(answer, "capabilities", &capabilities, NULL) != HN_OK)
        return;
    while (hn_json_member(&capabilities, &iterator, &one)) {
        const char *claim = text_of(&one, "claim"), *probed = text_of(&one, "probed");
        fprintf(out, "  %-20s %-8s%s%s %s\n", one.key, probed,
                strcmp(claim, "unknown") != 0 ? " claimed " : "",
                strcmp(claim, "unknown") != 0 ? claim : "",
                strcmp(probed, "yes") != 0 ? text_of(&one, "evidence") : "");
    }
}

static void print_list(const struct hn_json *answer, const char *key, const char *label, FILE *out)
{
    struct hn_json list, item;
    const char *text;
    if (!hn_json_has(answer, key) || hn_json_array(answer, key, &list, NULL) != HN_OK)
        return;
    for (size_t i = 0; i < hn_json_count(&list); i++) {
        hn_json_item(&list, i, &item);
        if (hn_json_as_text(&item, &text, NULL) == HN_OK)
            fprintf(out, "%s: %s\n", label, text);
    }
}

static void print_preflight(const struct hn_json *answer, FILE *out)
{
    struct hn_json list, item;
    if (hn_json_array(answer, "preflight", &list, NULL) != HN_OK)
        return;
    for (size_t i = 0; i < hn_json_count(&list); i++) {
        hn_json_item(&list, i, &item);
        fprintf(out, "preflight %s: %s\n", text_of(&item, "severity"), text_of(&item, "message"));
    }
    if (hn_json_count(&list) == 0)
        fputs("preflight: ok\n", out);
}

int hn_probe_print(const struct hn_json *answer, FILE *out, struct hn_error *error)
{
    struct hn_json torch;
    int status = hn_json_object(answer, "torch", &torch, error);
    if (status != HN_OK)
        return status;
    fprintf(out, "%s on torch %s (%s) in %s\n", text_of(answer, "target"),
            text_of(&torch, "version"), text_of(&torch, "git"), text_of(&torch, "path"));
    status = print_steps(answer, out, error);
    print_device(answer, out);
    fputs("capabilities\n", out);
    print_capabilities(answer, out);
    print_list(answer, "changes", "loading changed torch", out);
    print_preflight(answer, out);
    return status;
}

/* ---- profile ---- */

/* Writes a YAML scalar in double quotes between two trusted texts. YAML accepts JSON's escapes. */
static void put_quoted(struct hn_buffer *out, const char *before, const char *text,
                       const char *after)
{
    hn_buffer_printf(out, "%s\"", before);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            hn_buffer_putc(out, '\\');
        if (*text == '\n')
            hn_buffer_puts(out, "\\n");
        else
            hn_buffer_putc(out, *text);
    }
    hn_buffer_printf(out, "\"%s", after);
}

static void put_given(struct hn_buffer *out, const char *key, const char *text)
{
    if (*text)
        put_quoted(out, key, text, "\n");
}

static void write_step(struct hn_buffer *out, const struct hn_profile_step *step)
{
    hn_buffer_printf(out, "  - %s: ", hn_step_names[step->kind]);
    if (step->kind == HN_STEP_ENTRY_POINT) {
        put_quoted(out, "{group: ", step->group, ", name: ");
        put_quoted(out, "", step->what, "}");
    } else {
        put_quoted(out, "", step->what, "");
    }
    if (step->global || step->now)
        hn_buffer_printf(out, "\n    flags: [%s%s%s]", step->global ? "global" : "",
                         step->global && step->now ? ", " : "", step->now ? "now" : "");
    hn_buffer_putc(out, '\n');
}

static void write_devices(struct hn_buffer *out, const struct hn_json *answer)
{
    struct hn_json device, usable, item;
    int64_t index;
    if (hn_json_object(answer, "device", &device, NULL) != HN_OK ||
        !hn_json_has(&device, "usable") ||
        hn_json_array(&device, "usable", &usable, NULL) != HN_OK || !hn_json_count(&usable))
        return;
    hn_buffer_puts(out, "devices: [");
    for (size_t i = 0; i < hn_json_count(&usable); i++) {
        hn_json_item(&usable, i, &item);
        if (hn_json_as_integer(&item, 0, 127, &index, NULL) == HN_OK)
            hn_buffer_printf(out, "%s%d", i ? ", " : "", (int)index);
    }
    hn_buffer_puts(out, "]\n");
}

/* Writes the results as comments: claims would replace the probes of later runs. */
static void write_capabilities(struct hn_buffer *out, const struct hn_json *answer)
{
    struct hn_json capabilities, one;
    void *iterator = NULL;
    if (hn_json_object(answer, "capabilities", &capabilities, NULL) != HN_OK)
        return;
    hn_buffer_puts(out, "# Seen by assay probe. A line without # under `capabilities:` is a "
                        "binding claim.\n# capabilities:\n");
    while (hn_json_member(&capabilities, &iterator, &one))
        hn_buffer_printf(out, "#   %s: %s\n", one.key, text_of(&one, "probed"));
}

int hn_probe_write_profile(const struct hn_profile *profile, const struct hn_json *answer,
                           const char *path, struct hn_error *error)
{
    struct hn_buffer out;
    hn_buffer_init(&out, PROFILE_LIMIT);
    put_quoted(&out, "name: ", profile->name, "\n");
    put_given(&out, "python: ", profile->python);
    for (size_t i = 0; i < profile->env_count; i++) {
        hn_buffer_printf(&out, "%s  %s", i ? "" : "env:\n", profile->env[i].name);
        put_quoted(&out, ": ", profile->env[i].value, "\n");
    }
    hn_buffer_puts(&out, "load:\n");
    for (size_t i = 0; i < profile->load_count; i++)
        write_step(&out, &profile->load[i]);
    write_devices(&out, answer);
    put_given(&out, "adapter: ", profile->adapter);
    put_given(&out, "marks: ", profile->marks);
    write_capabilities(&out, answer);
    int status = out.status == HN_OK ? hn_file_output(path, out.text, out.length, error)
                                     : hn_error_nomem(error);
    hn_buffer_finish(&out);
    return status;
}
