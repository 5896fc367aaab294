/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of sub-commands, in assay_main.c; each is defined by its cmd_<name>.c.
 */
#ifndef HN_COMMANDS_H
#define HN_COMMANDS_H

#include "command.h"

extern const struct hn_command hn_cmd_list;
extern const struct hn_command hn_cmd_explain;
extern const struct hn_command hn_cmd_coverage;
extern const struct hn_command hn_cmd_report;
extern const struct hn_command hn_cmd_diff;
extern const struct hn_command hn_cmd_history;
extern const struct hn_command hn_cmd_dashboard;
extern const struct hn_command hn_cmd_bisect;
extern const struct hn_command hn_cmd_doctor;
extern const struct hn_command hn_cmd_completion;
extern const struct hn_command hn_cmd_manual;
extern const struct hn_command hn_cmd_run;
extern const struct hn_command hn_cmd_merge;
extern const struct hn_command hn_cmd_submit;
extern const struct hn_command hn_cmd_probe;
extern const struct hn_command hn_cmd_repro;
extern const struct hn_command hn_cmd_ops;
extern const struct hn_command hn_cmd_programs;
extern const struct hn_command hn_cmd_prove;
extern const struct hn_command hn_cmd_gate;
extern const struct hn_command hn_cmd_bridge;
extern const struct hn_command hn_cmd_expectations;
extern const struct hn_command hn_cmd_drift;
extern const struct hn_command hn_cmd_uses;
extern const struct hn_command hn_cmd_causes;
extern const struct hn_command hn_cmd_watch;
extern const struct hn_command hn_cmd_clients;
extern const struct hn_command hn_cmd_new;
extern const struct hn_command hn_cmd_next;
extern const struct hn_command hn_cmd_bench;

extern const struct hn_command *const hn_commands[];
extern const size_t hn_command_count;

#endif
