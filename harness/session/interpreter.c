/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See interpreter.h. The interpreter runs in a process of its own; this program never loads it.
 */
#include "interpreter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "run_paths.h"
#include "safe_path.h"
#include "side_process.h"

#define ANSWER_SIZE (8 * HN_PATH_SIZE)
#define QUESTION_MS ((int64_t)300 * 1000)
#define BUILD_MS ((int64_t)3600 * 1000) /* compiling a bridge takes minutes, so an hour is enough */

/* Queries facts, or builds a product. The output of the script goes into `text`. If its exit status
 * is not 0, `ended` describes its end. */
static int run_script(const char *python, const char *product, int force, char text[ANSWER_SIZE],
                      char ended[HN_SIDE_ENDED], struct hn_error *error)
{
    char data[HN_PATH_SIZE], path[2 * HN_PATH_SIZE], libraries[HN_PATH_SIZE];
    const char *const users = getenv("PYTHONPATH");
    const char *const settings[] = {path, HN_SAFE_PATH};
    struct hn_progress progress;
    int status = hn_data_own(data, error);
    if (status == HN_OK)
        status = hn_run_libraries(libraries, "", error);
    if (status != HN_OK)
        return status;
    FILE *const answer = tmpfile();
    if (!answer)
        return hn_error_set(error, HN_ESYSTEM, "no temporary file can be made");
    hn_progress_wait(&progress, stderr, 0,
                     product ? "compiling for this torch" : "asking the interpreter");
    snprintf(path, sizeof path, "PYTHONPATH=%s/" HN_DATA_PYTHON "%s%s", data,
             users && *users ? ":" : "", users ? users : "");
    const char *const words[] = {python,
                                 "-m",
                                 "assay.builds.torch_builds",
                                 product ? "build" : "facts",
                                 data,
                                 libraries,
                                 product,
                                 ASSAY_VERSION,
                                 force ? "--force" : NULL,
                                 NULL};
    const struct hn_side_process process = {.words = words,
                                            .settings = settings,
                                            .setting_count = sizeof settings / sizeof *settings,
                                            .answer = fileno(answer),
                                            .deadline_ms = product ? BUILD_MS : QUESTION_MS,
                                            .progress = &progress};
    status = hn_side_process_run(&process, ended, error);
    rewind(answer);
    text[fread(text, 1, ANSWER_SIZE - 1, answer)] = '\0';
    fclose(answer);
    return status;
}

static int machine_is_full(const char *ended)
{
    return strstr(ended, strerror(EAGAIN)) || strstr(ended, strerror(ENOMEM));
}

/* Copies one line of the answer; returns the position after it. */
static const char *take_line(const char *text, char *line, size_t size)
{
    const size_t length = strcspn(text, "\n");
    snprintf(line, size, "%.*s", (int)length, text);
    return text + length + (text[length] == '\n');
}

int hn_interpreter_ask(const char *python, struct hn_torch_version *torch, struct hn_error *error)
{
    char text[ANSWER_SIZE], ended[HN_SIDE_ENDED];
    *torch = (struct hn_torch_version){0};
    const int status = run_script(python, NULL, 0, text, ended, error);
    if (status == HN_OK && machine_is_full(ended))
        return hn_error_set(error, HN_ESYSTEM, "the machine allows no new process: %s %s", python,
                            ended);
    if (status == HN_OK && *ended)
        return hn_error_set(error, HN_EINPUT,
                            "%s did not say which torch it has (it must be Python 3.10 or newer): "
                            "the interpreter %s",
                            python, ended);
    if (status != HN_OK)
        return status;
    const char *rest = take_line(text, torch->version, sizeof torch->version);
    rest = take_line(rest, torch->git, sizeof torch->git);
    rest = take_line(rest, torch->path, sizeof torch->path);
    rest = take_line(rest, torch->libpython, sizeof torch->libpython);
    rest = take_line(rest, torch->remark, sizeof torch->remark);
    for (int i = 0; i < 2; i++) {
        struct hn_torch_product *product = i ? &torch->fake_device : &torch->bridge;
        rest = take_line(rest, product->path, sizeof product->path);
        rest = take_line(rest, product->state, sizeof product->state);
    }
    /* A build folder contains the fake device as a package. Only an installation compiles the fake
     * device. */
    char built[HN_PATH_SIZE];
    if (hn_data_installed(built, "python", NULL) == HN_OK && hn_path_exists(built))
        torch->fake_device = (struct hn_torch_product){.state = "built"};
    if (strcmp(torch->fake_device.state, "built") == 0)
        return hn_path_join(torch->fake_device.path, HN_PATH_SIZE, "", built, error);
    return HN_OK;
}

int hn_interpreter_build(const char *python, const char *product, int force, struct hn_error *error)
{
    char text[ANSWER_SIZE], ended[HN_SIDE_ENDED];
    const int status = run_script(python, product, force, text, ended, error);
    if (status == HN_OK && *ended)
        return hn_error_set(
            error, HN_EINPUT,
            "the %s could not be built for the torch of %s; the reason is given above", product,
            python);
    return status;
}

int hn_wants_fake_device(const struct hn_profile *profile)
{
    for (size_t i = 0; i < profile->load_count; i++)
        if (profile->load[i].kind == HN_STEP_IMPORT &&
            strncmp(profile->load[i].what, ASSAY_EXAMPLE_PACKAGE, strlen(ASSAY_EXAMPLE_PACKAGE)) ==
                0) /* both builds of the fake device, with and without faults */
            return 1;
    return 0;
}

/* An installation compiles products at first use. A build folder already contains its products, or
 * was built without torch. In a build folder, only the bridge for another torch can be missing. */
static int compiles_at_first_use(const char *mark)
{
    char path[HN_PATH_SIZE];
    return hn_data_installed(path, mark, NULL) == HN_OK && hn_path_exists(path);
}

int hn_interpreter_places(const struct hn_profile *profile, struct hn_places *places,
                          struct hn_error *error)
{
    struct hn_torch_version *torch = &places->torch;
    int status = hn_data_folder(places->data, error);
    if (status == HN_OK)
        status = hn_data_own(places->own, error);
    if (status == HN_OK)
        status = hn_run_python(places->python, profile->folder, profile->python, error);
    if (status == HN_OK)
        status = hn_interpreter_ask(places->python, torch, error);
    const int installed = compiles_at_first_use("lib/assay");
    if (status == HN_OK && strcmp(torch->bridge.state, "missing") == 0 &&
        (installed || compiles_at_first_use("lib/assay_bridge.torch")))
        status = hn_interpreter_build(places->python, "bridge", 0, error);
    if (status == HN_OK && installed && hn_wants_fake_device(profile) &&
        strcmp(torch->fake_device.state, "missing") == 0)
        status = hn_interpreter_build(places->python, "fake-device", 0, error);
    return status;
}
