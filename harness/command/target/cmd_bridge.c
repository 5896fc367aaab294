/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay bridge build: compiles the bridge for the torch of one interpreter now, not at first use.
 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "interpreter.h"
#include "run_paths.h"

static const struct hn_option options[] = {
    {"python", "PYTHON", "build for the torch of this interpreter (default: that of assay run)"},
    {"fake-device", NULL, "build this installation's fake device instead of the bridge"},
    {"force", NULL, "build again even if it exists"},
    {"where", NULL, "build nothing; print the path, which is a key for the cache of a CI"},
};

static int build(const struct hn_invocation *invocation, struct hn_error *error)
{
    char python[HN_PATH_SIZE];
    const char *wanted = hn_option_value(invocation, "python");
    const int fake = hn_option_value(invocation, "fake-device") != NULL;
    const int force = hn_option_value(invocation, "force") != NULL;
    const int where = hn_option_value(invocation, "where") != NULL;
    struct hn_torch_version torch;
    int status = hn_run_python(python, "", wanted ? wanted : "", error);
    if (status == HN_OK)
        status = hn_interpreter_ask(python, &torch, error);
    if (status != HN_OK)
        return status;
    const struct hn_torch_product *product = fake ? &torch.fake_device : &torch.bridge;
    if (strcmp(product->state, "absent") == 0 ||
        (!where && (force || strcmp(product->state, "built") != 0)))
        status = hn_interpreter_build(python, fake ? "fake-device" : "bridge", force, error);
    if (status == HN_OK)
        status = hn_interpreter_ask(python, &torch, error);
    if (status == HN_OK)
        printf("torch %s  %s\n", torch.version, product->path);
    return status;
}

static int run(const struct hn_invocation *invocation)
{
    struct hn_error error;
    if (invocation->word_count != 1 || strcmp(invocation->words[0], "build") != 0)
        return hn_usage_error(invocation->command,
                              "the only bridge command is: assay bridge build");
    return build(invocation, &error) == HN_OK ? HN_EXIT_OK : hn_print_error(&error);
}

const struct hn_command hn_cmd_bridge = {
    .name = "bridge",
    .summary = "compile the library through which checks call torch",
    .usage = "build [OPTIONS]",
    .help = "The bridge is compiled against torch's headers, so each torch needs its own. It is "
            "compiled at first use and cached in $XDG_CACHE_HOME/assay (default ~/.cache/assay) "
            "by torch's headers and libraries, compiler, flags and sources. This command "
            "compiles it now. $CXX names the compiler (default c++).\n"
            "\n"
            "  assay bridge build --python /opt/nightly/bin/python\n"
            "\n"
            "Exit status 65 if torch or a compiler is missing, or the compilation fails.\n",
    HN_OPTIONS(options),
    .run = run,
};
