/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay repro: one check of one target in the foreground, alone. Prints the command, which works
 * when it is pasted into a shell, and becomes it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "file.h"
#include "host_message.h"
#include "host_settings.h"
#include "run_paths.h"
#include "session.h"

#define WORDS 256

static const struct hn_option options[] = {
    {"target", "TARGET", "the backend: a name in ci/targets or a profile (default fakedev)"},
    {"seed", "N", "that of the run, for what is random in the check (default 1)"},
    {"gdb", NULL, "under a debugger"},
    {"print", NULL, "print the command and do not run it"},
};

struct command {
    const char *words[WORDS + 1];
    size_t count;
};

static void add(struct command *command, const char *word)
{
    if (command->count < WORDS)
        command->words[command->count++] = word;
}

/* In single quotes, unless it plainly needs none. */
static void print_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./%@";
    if (*word && word[strspn(word, plain)] == '\0') {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*word);
    }
    putchar('\'');
}

static void print_command(const struct command *command)
{
    for (size_t i = 0; i < command->count; i++) {
        if (i > 0)
            putchar(' ');
        print_word(command->words[i]);
    }
    putchar('\n');
    fflush(stdout);
}

static void add_environment(struct command *command, const struct hn_run_target *target)
{
    add(command, "env");
    for (size_t i = 0; i < HN_HOST_SETTINGS; i++)
        add(command, hn_host_settings[i]);
    for (size_t i = 0; i < target->environment_count; i++)
        add(command, target->environment[i]);
}

static void add_target(struct command *command, const struct hn_run_target *target,
                       struct hn_arena *arena)
{
    for (size_t i = 0; i < target->step_count; i++) {
        add(command, "--step");
        add(command, target->steps[i].kind);
        add(command, target->steps[i].argument);
        add(command, target->steps[i].extra);
    }
    if (target->adapter) {
        add(command, "--adapter");
        add(command, target->adapter);
    }
    for (size_t i = 0; i < target->device_count; i++) {
        add(command, "--device");
        add(command, hn_arena_text(arena, "%d", (int)target->devices[i]));
    }
}

/* What the profile says of the backend: a check may demand more of what is claimed. */
static void add_claims(struct command *command, const struct hn_profile *profile)
{
    static const char *const answers[] = {[HN_CLAIM_NO] = "no", [HN_CLAIM_YES] = "yes"};
    for (size_t i = 0; i < profile->capability_count; i++) {
        const struct hn_profile_claim *said = &profile->capabilities[i];
        if (said->claim == HN_CLAIM_UNKNOWN)
            continue;
        add(command, "--claim");
        add(command, said->name);
        add(command, answers[said->claim]);
    }
}

/* Where the check's code is loaded from: the module's shared object, or its folder. */
static const char *module_of(const struct hn_check *check, const char *data, struct hn_arena *arena,
                             struct hn_error *error)
{
    char suites[HN_PATH_SIZE];
    if (check->kind == HN_PYTHON)
        return hn_arena_text(arena, "%s/suites/%s", data, check->module->name);
    if (hn_run_libraries(suites, "suites", error) != HN_OK)
        return NULL;
    return hn_arena_text(arena, "%s/%s.so", suites, check->module->name);
}

static int make_command(struct hn_session *session, const struct hn_invocation *invocation,
                        const struct hn_check *check, struct command *command)
{
    long seed = 1;
    const int status = hn_option_integer(invocation, "seed", 0, INT32_MAX, &seed);
    if (status)
        return status;
    const int64_t limit_s = check->timeout ? check->timeout : session->input.target.check_ms / 1000;
    const char *module = module_of(check, session->places.data, session->arena, &session->error);
    if (!module)
        return hn_print_error(&session->error);
    add_environment(command, &session->input.target);
    if (hn_option_value(invocation, "gdb")) {
        add(command, "gdb");
        add(command, "--args");
    }
    add(command, session->places.python);
    add(command, "-m");
    add(command, "assay_host.alone");
    add_target(command, &session->input.target, session->arena);
    add_claims(command, session->profile);
    add(command, "--seed");
    add(command, hn_arena_text(session->arena, "%llu",
                               (unsigned long long)hn_job_seed((uint64_t)seed, check->id)));
    if (!hn_option_value(invocation, "gdb")) { /* else somebody takes their time */
        add(command, "--deadline");
        add(command, hn_arena_text(session->arena, "%lld", (long long)limit_s));
    }
    if (check->hint && *check->hint) {
        add(command, "--likely");
        add(command, check->hint);
    }
    add(command, "--module");
    add(command, module);
    add(command, check->id);
    return HN_EXIT_OK;
}

/* Does not return when it succeeds. */
static int become(const struct command *command, struct hn_error *error)
{
    char *words[WORDS + 1] = {0};
    memcpy(words, command->words, command->count * sizeof *words);
    execvp(words[0], words);
    hn_error_errno(error, "cannot start %s", words[0]);
    return hn_print_error(error);
}

/* Why it may not come to the check at all; beside the command, which is on stdout. */
static int tell_preflight(struct hn_session *session)
{
    char folder[] = "/tmp/assay-repro-XXXXXX";
    if (!mkdtemp(folder)) {
        hn_error_errno(&session->error, "cannot make a folder for the preflight");
        return hn_findings_add_error(&session->findings, &session->error);
    }
    snprintf(session->folder, sizeof session->folder, "%s", folder);
    const int status = hn_session_read_files(session);
    rmdir(folder);
    hn_target_files_print(&session->files, stderr);
    return status;
}

static int repro(struct hn_session *session, const struct hn_invocation *invocation, const char *id)
{
    struct command command = {.count = 0};
    if (hn_session_read_contract(session) != HN_OK || hn_session_read_profile(session) != HN_OK ||
        hn_session_find_places(session) != HN_OK)
        return hn_print_findings(&session->findings);
    const struct hn_check *check = hn_catalogue_check(session->catalogue, id);
    if (!check)
        return hn_usage_error(invocation->command, "there is no check %s; see assay list", id);
    const int status = make_command(session, invocation, check, &command);
    if (status)
        return status;
    print_command(&command);
    if (hn_option_value(invocation, "print"))
        return HN_EXIT_OK;
    if (tell_preflight(session) != HN_OK)
        return hn_print_findings(&session->findings);
    return become(&command, &session->error);
}

static int run(const struct hn_invocation *invocation)
{
    struct hn_session session;
    const struct hn_asked asked = {.target = hn_option_value(invocation, "target")};
    if (invocation->word_count != 1)
        return hn_usage_error(invocation->command, "name one check");
    const int status = hn_session_begin(&session, &asked) == HN_OK
                           ? repro(&session, invocation, invocation->words[0])
                           : hn_print_findings(&session.findings);
    hn_session_finish(&session);
    return status;
}

const struct hn_command hn_cmd_repro = {
    .name = "repro",
    .summary = "one check alone, in the foreground",
    .usage = "CHECK [OPTIONS]",
    .help =
        "Prints the exact command, then runs it in the foreground without isolation. The command\n"
        "works when it is pasted into a shell.\n"
        "\n"
        "  assay repro guard.scope_restores --target foo.yaml --gdb\n"
        "\n"
        "Exit status 0: nothing found, 1: a violation, 2: another finding.\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
