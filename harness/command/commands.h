/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sub-commands; each is defined by its cmd_<name>.c.
 */
#ifndef HN_COMMANDS_H
#define HN_COMMANDS_H

#include "command.h"

/* In the order of assay --help, one line per group. HN_GROUPS has the first command of each
 * group. */
/* clang-format off */
#define HN_COMMANDS(each) \
    each(new) each(probe) each(next) each(explain) each(guide) \
    each(run) each(repro) each(ops) each(programs) each(clients) each(watch) each(bench) \
    each(report) each(diff) each(causes) each(bisect) each(history) each(dashboard) \
    each(gate) each(expectations) each(submit) each(merge) \
    each(drift) each(uses) \
    each(list) each(coverage) each(prove) \
    each(doctor) each(bridge) each(completion) each(manual)
/* clang-format on */
#define HN_GROUPS                                                                                  \
    {"new", "Write a backend"}, {"run", "Test a backend"}, {"report", "Read results"},             \
        {"gate", "Test in CI and on many machines"}, {"drift", "Follow changes of PyTorch"},       \
        {"list", "Read and verify the contract"},                                                  \
    {                                                                                              \
        "doctor", "Set up assay"                                                                   \
    }

#define HN_DECLARE(name) extern const struct hn_command hn_cmd_##name;
HN_COMMANDS(HN_DECLARE)

extern const struct hn_command *const hn_commands[];
extern const size_t hn_command_count;

#endif
