/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay coverage: prints which requirements have a check, and which checks have a fault.
 */
#include <string.h>

#include "commands.h"
#include "nearest.h"
#include "output.h"
#include "read_contract.h"

static const struct hn_option options[] = {
    {"module", "NAME", "show only this module"},
    {"format", "text|json", "json: one document, schema assay/coverage/1"},
};

struct tally {
    size_t total, checked, excused; /* excused: no check, but a reason */
};

static int is_asked(const struct hn_requirement *requirement)
{
    return requirement->checks > 0 || requirement->listed;
}

static void count(const struct hn_catalogue *catalogue, const struct hn_module *module,
                  struct tally tallies[HN_LEVELS])
{
    for (size_t i = 0; i < catalogue->requirement_count; i++) {
        const struct hn_requirement *requirement = &catalogue->requirements[i];
        if (module && requirement->module != module)
            continue;
        struct tally *tally = &tallies[requirement->level];
        tally->total++;
        if (is_asked(requirement))
            tally->checked++;
        tally->excused += requirement->untested != NULL;
    }
}

static int is_unproven(const struct hn_check *check)
{
    return check->subject == HN_BACKEND && check->level != HN_ADVISORY && check->faults.count == 0;
}

static void write_requirement(struct hn_json_writer *writer, const struct hn_catalogue *catalogue,
                              const struct hn_requirement *requirement)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "id", requirement->id);
    hn_write_text(writer, "module", requirement->module->name);
    hn_write_text(writer, "level", hn_level_names[requirement->level]);
    hn_write_text(writer, "subject", hn_subject_names[requirement->subject]);
    hn_write_text(writer, "text", requirement->text);
    hn_write_array(writer, "checks");
    for (size_t i = 0; requirement->checks && i < catalogue->check_count; i++)
        if (hn_check_covers(&catalogue->checks[i], requirement))
            hn_write_text(writer, NULL, catalogue->checks[i].id);
    hn_write_array_end(writer);
    hn_write_text(writer, "listed_by", requirement->listed);
    hn_write_text(writer, "untested_reason", requirement->untested);
    hn_write_object_end(writer);
}

static int print_json(const struct hn_catalogue *catalogue, const struct hn_module *module,
                      const struct tally tallies[HN_LEVELS])
{
    struct hn_buffer buffer;
    struct hn_json_writer writer;
    hn_output_begin(&writer, &buffer, "assay/coverage/1");
    hn_write_array(&writer, "requirements");
    for (size_t i = 0; i < catalogue->requirement_count; i++)
        if (!module || catalogue->requirements[i].module == module)
            write_requirement(&writer, catalogue, &catalogue->requirements[i]);
    hn_write_array_end(&writer);
    hn_write_array(&writer, "checks_without_fault");
    for (size_t i = 0; i < catalogue->check_count; i++)
        if ((!module || catalogue->checks[i].module == module) &&
            is_unproven(&catalogue->checks[i]))
            hn_write_text(&writer, NULL, catalogue->checks[i].id);
    hn_write_array_end(&writer);
    hn_write_object(&writer, "summary");
    for (int level = 0; level < HN_LEVELS; level++) {
        hn_write_object(&writer, hn_level_names[level]);
        hn_write_integer(&writer, "total", (int64_t)tallies[level].total);
        hn_write_integer(&writer, "checked", (int64_t)tallies[level].checked);
        hn_write_integer(&writer, "untested_with_reason", (int64_t)tallies[level].excused);
        hn_write_object_end(&writer);
    }
    hn_write_object_end(&writer);
    return hn_output_end(&writer);
}

static void print_tallies(const char *name, const struct tally tallies[HN_LEVELS])
{
    printf("%-16s", name);
    for (int level = 0; level < HN_LEVELS; level++)
        if (tallies[level].total)
            printf("  %3zu of %-3zu", tallies[level].checked, tallies[level].total);
        else
            printf("  %3s    %-3s", "", "");
    putchar('\n');
}

static void print_gaps(const struct hn_catalogue *catalogue, const struct hn_module *module)
{
    for (size_t i = 0; i < catalogue->requirement_count; i++) {
        const struct hn_requirement *requirement = &catalogue->requirements[i];
        if ((module && requirement->module != module) || is_asked(requirement))
            continue;
        printf("%s %s, no check%s%s\n", requirement->id, hn_level_names[requirement->level],
               requirement->untested ? ": " : "",
               requirement->untested ? requirement->untested : "");
        hn_output_wrapped("", 4, requirement->text);
    }
    for (size_t i = 0; i < catalogue->check_count; i++)
        if ((!module || catalogue->checks[i].module == module) &&
            is_unproven(&catalogue->checks[i]))
            printf("%s: no fault shows that it can fail\n", catalogue->checks[i].id);
}

static int print_text(const struct hn_catalogue *catalogue, const struct hn_module *module,
                      const struct tally tallies[HN_LEVELS])
{
    printf("%-16s", "with a check");
    for (int level = 0; level < HN_LEVELS; level++)
        printf("  %-10s", hn_level_names[level]);
    putchar('\n');
    for (size_t i = 0; i < catalogue->module_count; i++) {
        struct tally own[HN_LEVELS] = {{0}};
        if (module && module != &catalogue->modules[i])
            continue;
        count(catalogue, &catalogue->modules[i], own);
        print_tallies(catalogue->modules[i].name, own);
    }
    if (module)
        print_gaps(catalogue, module);
    else
        print_tallies("all", tallies);
    return HN_EXIT_OK;
}

static int complain(const struct hn_command *command, const struct hn_catalogue *catalogue,
                    const char *name)
{
    struct hn_nearest search;
    hn_nearest_begin(&search, name);
    HN_NEAREST_OFFER_ALL(&search, catalogue->modules, catalogue->module_count);
    return hn_usage_error(command, "there is no module \"%.60s\"%s", name,
                          hn_nearest_hint(&search));
}

static int run(const struct hn_invocation *invocation)
{
    const char *name = hn_option_value(invocation, "module");
    const struct hn_module *module = NULL;
    struct tally tallies[HN_LEVELS] = {{0}};
    struct hn_catalogue *catalogue;
    int status = hn_read_contract(NULL, &catalogue);
    if (!status && name && !(module = hn_catalogue_module(catalogue, name)))
        status = complain(invocation->command, catalogue, name);
    if (!status) {
        count(catalogue, module, tallies);
        status = hn_wants_json(invocation) ? print_json(catalogue, module, tallies)
                                           : print_text(catalogue, module, tallies);
    }
    hn_catalogue_destroy(catalogue);
    return status;
}

const struct hn_command hn_cmd_coverage = {
    .name = "coverage",
    .summary = "show which requirements have a check",
    .usage = "[--module NAME] [OPTIONS]",
    .help = "Prints for each module how many requirements of each level have a check. With "
            "--module it also lists each requirement without a check, with the reason if there "
            "is one, and each check that no known fault makes fail.\n",
    HN_OPTIONS(options),
    .words = {0, 0, "choose a module with --module"},
    .run = run,
};
