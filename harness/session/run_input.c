/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_input.h. Called by session.c.
 */
#include "run_input.h"

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "file.h"
#include "run_paths.h"
#include "safe_path.h"

#define LOAD_MS 120000
#define WARM_UP_MS 600000
#define CHECK_MS 60000

struct maker {
    const struct hn_profile *profile;
    const struct hn_places *places;
    const char *setting;
    struct hn_arena *arena;
    struct hn_run_input *input;
    struct hn_error *error;
    int all_native; /* the native host can run all load steps */
};

/* Finds a file that the profile names: beside the profile, else in our library folder. */
static const char *resolve(struct maker *maker, const char *name)
{
    char path[HN_PATH_SIZE], library[HN_PATH_SIZE];
    if (hn_path_join(path, sizeof path, maker->profile->folder, name, NULL) == HN_OK &&
        hn_path_exists(path))
        return hn_arena_text(maker->arena, "%s", path);
    if (hn_run_libraries(library, name, NULL) == HN_OK && hn_path_exists(library))
        return hn_arena_text(maker->arena, "%s", library);
    /* the loader searches for it, and reports a missing file */
    return name;
}

static const char *const dlopen_flags[2][2] = {{"", "now"}, {"global", "global now"}};

static int make_steps(struct maker *maker)
{
    const struct hn_profile *profile = maker->profile;
    struct hn_load_step *steps =
        hn_arena_array(maker->arena, profile->load_count + 1, sizeof *steps);
    if (!steps)
        return hn_error_nomem(maker->error);
    maker->all_native = 1;
    for (size_t i = 0; i < profile->load_count; i++) {
        const struct hn_profile_step *step = &profile->load[i];
        const int library = step->kind == HN_STEP_DLOPEN;
        const int by_path = library || (step->kind == HN_STEP_IMPORT && strchr(step->what, '/'));
        steps[i].kind = hn_step_names[step->kind];
        steps[i].argument = by_path ? resolve(maker, step->what) : step->what;
        steps[i].extra = library       ? dlopen_flags[step->global != 0][step->now != 0]
                         : step->group ? step->group
                                       : "";
        if (!steps[i].argument)
            return hn_error_nomem(maker->error);
        maker->all_native &= library;
    }
    maker->input->target.steps = steps;
    maker->input->target.step_count = profile->load_count;
    return HN_OK;
}

/* Returns PYTHONPATH for the hosts: the value of the profile, the folders of the package assay and
 * of suites/, the value of the user. */
static const char *python_path(struct maker *maker, const char *profiles)
{
    const char *data = maker->places->data, *users = getenv("PYTHONPATH");
    /* Only the fake device needs its package in the path: other targets have their own
     * `torch.backends` entries. */
    const int fake = hn_wants_fake_device(maker->profile);
    const char *package = fake ? maker->places->torch.fake_device.path : "";
    return hn_arena_text(maker->arena, "PYTHONPATH=%s%s%s/" HN_DATA_PYTHON ":%s%s%s%s%s", profiles,
                         *profiles ? ":" : "", maker->places->own, data, fake ? ":" : "", package,
                         users ? ":" : "", users ? users : "");
}

/* Adds the folders of this installation that the hosts need. */
static int add_places(struct maker *maker, const char **list, size_t *count)
{
    const struct hn_torch_version *torch = &maker->places->torch;
    char libraries[HN_PATH_SIZE];
    const int status = hn_run_libraries(libraries, ".", maker->error);
    if (status != HN_OK)
        return status;
    libraries[strlen(libraries) - 2] = '\0';
    list[(*count)++] = hn_arena_text(maker->arena, "ASSAY_LIBRARIES=%s", libraries);
    if (*torch->path) {
        list[(*count)++] = hn_arena_text(maker->arena, "ASSAY_BRIDGE=%s", torch->bridge.path);
        list[(*count)++] = hn_arena_text(maker->arena, "ASSAY_TORCH_LIBRARIES=%s/lib", torch->path);
    }
    if (*torch->libpython)
        list[(*count)++] = hn_arena_text(maker->arena, "ASSAY_LIBPYTHON=%s", torch->libpython);
    return HN_OK;
}

/* Returns 1 if the profile does not decide whether Python imports from the current folder. */
static int leaves_path_open(const struct hn_profile *profile)
{
    for (size_t i = 0; i < profile->env_count; i++)
        if (strcmp(profile->env[i].name, "PYTHONSAFEPATH") == 0)
            return 0;
    return !getenv("PYTHONSAFEPATH");
}

static int make_environment(struct maker *maker)
{
    const struct hn_profile *profile = maker->profile;
    const char *paths = "";
    size_t count = 0;
    const char **list = hn_arena_array(maker->arena, profile->env_count + 9, sizeof *list);
    if (!list)
        return hn_error_nomem(maker->error);
    for (size_t i = 0; i < profile->env_count; i++) {
        const struct hn_setting *setting = &profile->env[i];
        if (strcmp(setting->name, "PYTHONPATH") == 0) {
            /* added below together with our paths, because a second entry would hide the first */
            paths = setting->value;
            continue;
        }
        list[count++] = hn_arena_text(maker->arena, "%s=%s", setting->name, setting->value);
    }
    if (*profile->marks)
        list[count++] = hn_arena_text(maker->arena, "ASSAY_MARKS=%s", profile->marks);
    if (maker->setting)
        list[count++] = maker->setting;
    list[count++] = python_path(maker, paths);
    if (leaves_path_open(profile))
        list[count++] = HN_SAFE_PATH;
    const int status = add_places(maker, list, &count);
    for (size_t i = 0; i < count; i++)
        if (!list[i])
            return hn_error_nomem(maker->error);
    maker->input->target.environment = list;
    maker->input->target.environment_count = count;
    return status;
}

static int make_programs(struct maker *maker)
{
    char native[HN_PATH_SIZE];
    const char **words = hn_arena_array(maker->arena, 4, sizeof *words);
    const char **native_words = hn_arena_array(maker->arena, 2, sizeof *native_words);
    int status = hn_data_installed(native, "bin/assay-host-native", maker->error);
    if (status != HN_OK || !words || !native_words)
        return status != HN_OK ? status : hn_error_nomem(maker->error);
    words[0] = maker->places->python;
    words[1] = "-m";
    words[2] = "assay.host";
    native_words[0] = hn_arena_text(maker->arena, "%s", native);
    maker->input->programs.python = words;
    /* If only Python can load a target, its native checks run in the Python host. */
    maker->input->programs.native = maker->all_native ? native_words : NULL;
    return HN_OK;
}

static int64_t milliseconds(int seconds, int64_t otherwise)
{
    return seconds > 0 ? (int64_t)seconds * 1000 : otherwise;
}

static int make_target(struct maker *maker)
{
    const struct hn_profile *profile = maker->profile;
    struct hn_run_target *target = &maker->input->target;
    target->name = profile->name;
    target->adapter = *profile->adapter ? resolve(maker, profile->adapter) : NULL;
    target->devices = profile->devices;
    target->device_count = profile->device_count;
    target->load_ms = milliseconds(profile->timeouts.load, LOAD_MS);
    target->warm_up_ms = milliseconds(profile->timeouts.warm_up, WARM_UP_MS);
    target->check_ms = milliseconds(profile->timeouts.check, CHECK_MS);
    return target->adapter || !*profile->adapter ? HN_OK : hn_error_nomem(maker->error);
}

int hn_run_input_target(const struct hn_run_sources *sources, struct hn_arena *arena,
                        struct hn_run_input *input, struct hn_error *error)
{
    static int (*const makers[])(struct maker *) = {make_target, make_steps, make_environment,
                                                    make_programs};
    struct maker maker = {.profile = sources->profile,
                          .places = sources->places,
                          .setting = sources->setting,
                          .arena = arena,
                          .input = input,
                          .error = error};
    int status = HN_OK;
    for (size_t i = 0; status == HN_OK && i < sizeof makers / sizeof *makers; i++)
        status = makers[i](&maker);
    return status;
}

/* ---- the checks ---- */

/* Returns a shared object for native checks, or a folder for Python checks. The files of a private
 * suite are directly in its folder. */
static const char *place_of_code(const struct hn_check *check, const char *data,
                                 const char *libraries, struct hn_arena *arena)
{
    const struct hn_module *module = check->module;
    const int is_private = module->place[0] == '/';
    if (check->kind == HN_PYTHON)
        return is_private ? module->place : hn_arena_text(arena, "%s/%s", data, module->place);
    return hn_arena_text(arena, "%s/%s.so", is_private ? module->place : libraries, module->name);
}

/* Lists the suites that the plan needs, without duplicates. */
static int make_modules(const struct hn_plan *plan, const char *data, struct hn_arena *arena,
                        struct hn_run_target *target, struct hn_error *error)
{
    char libraries[HN_PATH_SIZE];
    const char **list = hn_arena_array(arena, plan->count + 1, sizeof *list);
    size_t count = 0;
    int status = hn_run_libraries(libraries, "suites", error);
    if (status != HN_OK || !list)
        return status != HN_OK ? status : hn_error_nomem(error);
    for (size_t i = 0; i < plan->count; i++) {
        const char *place = place_of_code(plan->tasks[i].check, data, libraries, arena);
        size_t known = 0;
        while (place && known < count && strcmp(list[known], place) != 0)
            known++;
        if (known == count)
            list[count++] = place;
    }
    target->modules = list;
    target->module_count = count;
    return HN_OK;
}

int hn_run_input_plan(const struct hn_plan *plan, const char *data, struct hn_arena *arena,
                      struct hn_run_input *input, struct hn_error *error)
{
    const char **asked = hn_arena_array(arena, plan->capability_count + 1, sizeof *asked);
    if (!asked)
        return hn_error_nomem(error);
    for (size_t i = 0; i < plan->capability_count; i++)
        asked[i] = plan->capabilities[i].name;
    input->target.asked = asked;
    input->target.asked_count = plan->capability_count;
    input->tasks = plan->tasks;
    input->task_count = plan->count;
    input->capabilities = plan->capabilities;
    input->capability_count = plan->capability_count;
    return make_modules(plan, data, arena, &input->target, error);
}
