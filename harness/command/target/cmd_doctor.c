/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay doctor: checks that this machine has everything that a run needs. One line per item.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "commands.h"
#include "data.h"
#include "file.h"
#include "interpreter.h"
#include "output.h"
#include "run_paths.h"

static const struct hn_option options[] = {
    {"build", NULL, "compile now what the first run on this torch would compile"},
    {"format", "text|json", "json: one document, schema assay/doctor/1"},
};

enum state { GOOD, POOR, BAD }; /* POOR: works with limits */

struct answer {
    const char *name; /* name of the item */
    enum state state;
    char text[512]; /* the observation, and the advice if it is not good */
};

static void __attribute__((__format__(__printf__, 3, 4)))
answer(struct answer *answer, enum state state, const char *format, ...)
{
    va_list arguments;
    answer->state = state;
    va_start(arguments, format);
    vsnprintf(answer->text, sizeof answer->text, format, arguments);
    va_end(arguments);
}

static void look_at_system(struct answer *out)
{
    struct utsname system;
    out->name = "system";
    if (uname(&system))
        answer(out, BAD, "cannot tell what system this is");
    else if (strcmp(system.sysname, "Linux") != 0)
        answer(out, BAD, "%s: assay runs on Linux only", system.sysname);
    else if (strcmp(system.machine, "x86_64") != 0 && strcmp(system.machine, "aarch64") != 0)
        answer(out, BAD, "%s: assay runs on x86-64 and aarch64 only", system.machine);
    else
        answer(out, GOOD, "Linux %s, %s, %ld processors", system.release, system.machine,
               sysconf(_SC_NPROCESSORS_ONLN));
}

static void look_at_contract(struct answer *out)
{
    struct hn_findings findings = {0};
    struct hn_catalogue *catalogue = NULL;
    char folder[HN_PATH_SIZE], faults[HN_PATH_SIZE], first[512];
    struct hn_error error;
    out->name = "contract";
    if (hn_data_folder(folder, &error) || hn_data_faults(faults, folder, &error)) {
        answer(out, BAD, "%s", error.text);
        return;
    }
    if (hn_catalogue_load(folder, faults, NULL, NULL, &catalogue, &findings)) {
        hn_error_format(&findings.items[0], first, sizeof first);
        answer(out, BAD, "%zu errors, the first: %.400s", findings.total, first);
    } else if (!catalogue->fault_count) {
        answer(out, POOR, "version %d, %zu checks; no faults.tsv, so names of faults are unchecked",
               catalogue->version, catalogue->check_count);
    } else {
        answer(out, GOOD, "version %d, %zu requirements, %zu checks, %zu faults, in %.300s",
               catalogue->version, catalogue->requirement_count, catalogue->check_count,
               catalogue->fault_count, folder);
    }
    hn_catalogue_destroy(catalogue);
    hn_findings_finish(&findings);
}

static void look_at_limits(struct answer *out)
{
    struct rlimit files, processes;
    out->name = "limits";
    if (getrlimit(RLIMIT_NOFILE, &files) || getrlimit(RLIMIT_NPROC, &processes))
        answer(out, BAD, "cannot read the limits of this process: %s", strerror(errno));
    else if (files.rlim_cur < 256)
        answer(out, BAD, "only %lu open files allowed; raise with ulimit -n 1024",
               (unsigned long)files.rlim_cur);
    else
        answer(out, GOOD, "%lu open files, core dumps decided by the target",
               (unsigned long)files.rlim_cur);
}

static void look_at_temporary(struct answer *out)
{
    const char *folder = getenv("TMPDIR");
    folder = folder && *folder ? folder : "/tmp";
    out->name = "scratch";
    if (access(folder, W_OK | X_OK))
        answer(out, BAD, "cannot write to %.300s: %s; set TMPDIR", folder, strerror(errno));
    else
        answer(out, GOOD, "%.300s", folder);
}

/* Searches PATH for a program, and does not start it. */
static int find_program(const char *name, char *path, size_t size)
{
    const char *rest = getenv("PATH");
    while (rest && *rest) {
        const size_t length = strcspn(rest, ":");
        const int written = snprintf(path, size, "%.*s/%s", (int)length, rest, name);
        if (written > 0 && (size_t)written < size && access(path, X_OK) == 0)
            return 1;
        rest += length + (rest[length] == ':');
    }
    return 0;
}

static void look_at_program(struct answer *out, const char *name, const char *program,
                            const char *without)
{
    char path[HN_PATH_SIZE];
    out->name = name;
    if (find_program(program, path, sizeof path))
        answer(out, GOOD, "%.400s", path);
    else
        answer(out, POOR, "no %s on the path: %s", program, without);
}

static void look_at_product(struct answer *out, const char *name,
                            const struct hn_torch_product *product, const char *how)
{
    out->name = name;
    if (strcmp(product->state, "missing") == 0)
        answer(out, POOR, "not compiled for this torch yet: done at first use, or now by %s", how);
    else if (strcmp(product->state, "absent") == 0)
        answer(out, POOR, "cannot be compiled without a torch");
    else
        answer(out, GOOD, "%s, %.400s", product->state, product->path);
}

/* If a build fails, the program that builds has printed the reason on stderr. */
static int build_what_is_missing(const char *python, struct hn_torch_version *torch,
                                 struct hn_error *error)
{
    int status = HN_OK;
    if (strcmp(torch->bridge.state, "missing") == 0)
        status = hn_interpreter_build(python, "bridge", 0, error);
    if (status == HN_OK && strcmp(torch->fake_device.state, "missing") == 0)
        status = hn_interpreter_build(python, "fake-device", 0, error);
    return status == HN_OK ? hn_interpreter_ask(python, torch, error) : status;
}

/* Fills up to three answers: one about the default interpreter, the others about the products that
 * are compiled for its torch. */
static size_t look_at_torch(struct answer *out, int building)
{
    char python[HN_PATH_SIZE];
    struct hn_torch_version torch;
    struct hn_error error;
    out[0].name = "torch";
    if (hn_run_python(python, "", "", &error) || hn_interpreter_ask(python, &torch, &error) ||
        (building && build_what_is_missing(python, &torch, &error))) {
        answer(&out[0], building ? BAD : POOR, "%s", error.text);
        return 1;
    }
    if (*torch.remark)
        answer(&out[0], POOR, "%s of %.100s: %.300s", torch.version, python, torch.remark);
    else if (*torch.version)
        answer(&out[0], GOOD, "%s of %.300s", torch.version, python);
    else
        answer(&out[0], POOR, "%.200s has no torch: a profile must name an interpreter with torch",
               python);
    look_at_product(&out[1], "bridge", &torch.bridge, "assay bridge build");
    look_at_product(&out[2], "fake device", &torch.fake_device, "assay bridge build --fake-device");
    return 3;
}

static void look_at_native(struct answer *out)
{
    char path[HN_PATH_SIZE];
    struct hn_error error;
    out->name = "native host";
    if (hn_data_installed(path, "bin/assay-host-native", &error))
        answer(out, BAD, "%s", error.text);
    else if (hn_path_exists(path))
        answer(out, GOOD, "%.400s", path);
    else
        answer(out, BAD, "%.300s is missing: this installation is incomplete", path);
}

static size_t look(struct answer *answers, int building)
{
    size_t count = 0;
    look_at_system(&answers[count++]);
    look_at_contract(&answers[count++]);
    look_at_limits(&answers[count++]);
    look_at_temporary(&answers[count++]);
    look_at_program(&answers[count++], "python", "python3",
                    "a profile must name the interpreter whose torch is meant");
    look_at_program(&answers[count++], "compiler", "c++",
                    "the bridge for another torch cannot be compiled; install g++");
    look_at_program(&answers[count++], "debugger", "gdb", "repro --gdb is not available");
    look_at_native(&answers[count++]);
    count += look_at_torch(&answers[count], building);
    return count;
}

static int run(const struct hn_invocation *invocation)
{
    static const char *const words[] = {"good", "poor", "bad"};
    struct answer answers[16] = {{0}};
    enum state worst = GOOD;
    const size_t count = look(answers, hn_option_value(invocation, "build") != NULL);
    for (size_t i = 0; i < count; i++)
        worst = answers[i].state > worst ? answers[i].state : worst;
    if (!hn_wants_json(invocation)) {
        for (size_t i = 0; i < count; i++)
            printf("%-5s %-12s %s\n", words[answers[i].state], answers[i].name, answers[i].text);
        return worst == BAD ? HN_EXIT_INPUT : HN_EXIT_OK;
    }
    struct hn_json_writer writer;
    struct hn_buffer buffer;
    hn_output_begin(&writer, &buffer, "assay/doctor/1");
    hn_write_text(&writer, "state", words[worst]);
    hn_write_array(&writer, "answers");
    for (size_t i = 0; i < count; i++) {
        hn_write_object(&writer, NULL);
        hn_write_text(&writer, "name", answers[i].name);
        hn_write_text(&writer, "state", words[answers[i].state]);
        hn_write_text(&writer, "text", answers[i].text);
        hn_write_object_end(&writer);
    }
    hn_write_array_end(&writer);
    const int status = hn_output_end(&writer);
    return status ? status : worst == BAD ? HN_EXIT_INPUT : HN_EXIT_OK;
}

const struct hn_command hn_cmd_doctor = {
    .name = "doctor",
    .summary = "check that this machine has everything that a run needs",
    .usage = "[OPTIONS]",
    .help = "Prints one line for each requirement of a run: good, poor (works with restrictions) "
            "or bad. Exit status 65 if something is bad. It starts only the interpreter and "
            "changes nothing, unless --build makes it compile what the first run on this torch "
            "needs, which takes some minutes.\n",
    HN_OPTIONS(options),
    .words = {0, 0, "doctor takes only --build and --format"},
    .run = run,
};
