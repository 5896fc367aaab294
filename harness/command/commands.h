/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sub-commands; each is defined by its cmd_<name>.c.
 */
#ifndef HN_COMMANDS_H
#define HN_COMMANDS_H

#include "command.h"

/* In the order of assay --help. */
/* clang-format off */
#define HN_COMMANDS(each) \
    each(run) each(merge) each(submit) each(probe) each(repro) each(causes) each(ops) \
    each(programs) each(watch) each(clients) each(prove) each(list) each(explain) each(coverage) \
    each(report) each(diff) each(history) each(dashboard) each(bisect) each(gate) each(bridge) \
    each(expectations) each(drift) each(uses) each(new) each(next) each(bench) each(doctor) \
    each(completion) each(manual)
/* clang-format on */
#define HN_DECLARE(name) extern const struct hn_command hn_cmd_##name;
HN_COMMANDS(HN_DECLARE)

extern const struct hn_command *const hn_commands[];
extern const size_t hn_command_count;

#endif
