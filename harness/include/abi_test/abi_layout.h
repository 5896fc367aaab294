/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The layout of the public ABI as a table of (struct, field), used by the static asserts, the
 * golden file and the C++ compilations. A new field is a new row at the end of its struct.
 */
#ifndef ABI_LAYOUT_H
#define ABI_LAYOUT_H

#include "assay/check.h"
#include "assay/plugin.h"
#include "assay/target.h"

/* FIELD(type, field, offset on 64-bit) */
#define ABI_FIELDS(FIELD)                                                                          \
    FIELD(assay_build, struct_size, 0)                                                             \
    FIELD(assay_build, pointer_size, 4)                                                            \
    FIELD(assay_build, cxx11_abi, 8)                                                               \
    FIELD(assay_build, torch, 16)                                                                  \
    FIELD(assay_plugin_offer, struct_size, 0)                                                      \
    FIELD(assay_plugin_offer, major, 4)                                                            \
    FIELD(assay_plugin_offer, minor_lowest, 8)                                                     \
    FIELD(assay_plugin_offer, minor_highest, 12)                                                   \
    FIELD(assay_plugin_offer, build, 16)                                                           \
    FIELD(assay_plugin_offer, refusal, 24)                                                         \
    FIELD(assay_plugin_offer, refusal_size, 32)                                                    \
    FIELD(assay_plugin_host, struct_size, 0)                                                       \
    FIELD(assay_plugin_host, context, 8)                                                           \
    FIELD(assay_plugin_host, report, 16)                                                           \
    FIELD(assay_plugin, struct_size, 0)                                                            \
    FIELD(assay_plugin, minor, 4)                                                                  \
    FIELD(assay_plugin, name, 8)                                                                   \
    FIELD(assay_plugin, version, 16)                                                               \
    FIELD(assay_plugin, build, 24)                                                                 \
    FIELD(assay_plugin, init, 32)                                                                  \
    FIELD(assay_plugin, deinit, 40)                                                                \
    FIELD(assay_plugin, get_factory, 48)                                                           \
    FIELD(assay_finding, struct_size, 0)                                                           \
    FIELD(assay_finding, kind, 4)                                                                  \
    FIELD(assay_finding, what, 8)                                                                  \
    FIELD(assay_finding, seen, 16)                                                                 \
    FIELD(assay_finding, subject, 24)                                                              \
    FIELD(assay_finding, file, 32)                                                                 \
    FIELD(assay_finding, line, 40)                                                                 \
    FIELD(assay_check_host, struct_size, 0)                                                        \
    FIELD(assay_check_host, report, 8)                                                             \
    FIELD(assay_check_host, note, 16)                                                              \
    FIELD(assay_check_host, mark, 24)                                                              \
    FIELD(assay_check_host, abandon, 32)                                                           \
    FIELD(assay_check_host, milliseconds_left, 40)                                                 \
    FIELD(assay_check_host, extension, 48)                                                         \
    FIELD(assay_check_host, capability, 56)                                                        \
    FIELD(assay_check_host, clause, 64)                                                            \
    FIELD(assay_check, struct_size, 0)                                                             \
    FIELD(assay_check, device_count, 4)                                                            \
    FIELD(assay_check, host, 8)                                                                    \
    FIELD(assay_check, context, 16)                                                                \
    FIELD(assay_check, id, 24)                                                                     \
    FIELD(assay_check, device_name, 32)                                                            \
    FIELD(assay_check, devices, 40)                                                                \
    FIELD(assay_check, scratch, 48)                                                                \
    FIELD(assay_check, seed, 56)                                                                   \
    FIELD(assay_check, takes, 64)                                                                  \
    FIELD(assay_check, owed, 72)                                                                   \
    FIELD(assay_check_row, id, 0)                                                                  \
    FIELD(assay_check_row, run, 8)                                                                 \
    FIELD(assay_check_factory, struct_size, 0)                                                     \
    FIELD(assay_check_factory, count, 4)                                                           \
    FIELD(assay_check_factory, rows, 8)                                                            \
    FIELD(assay_target_options, struct_size, 0)                                                    \
    FIELD(assay_target_options, device_count, 4)                                                   \
    FIELD(assay_target_options, devices, 8)                                                        \
    FIELD(assay_target_options, device_name, 16)                                                   \
    FIELD(assay_target_factory, struct_size, 0)                                                    \
    FIELD(assay_target_factory, create, 8)                                                         \
    FIELD(assay_target_factory, destroy, 16)                                                       \
    FIELD(assay_target_factory, get_extension, 24)                                                 \
    FIELD(assay_target_factory, claim, 32)                                                         \
    FIELD(assay_reset, reset, 8)                                                                   \
    FIELD(assay_synchronize, synchronize, 8)                                                       \
    FIELD(assay_memory_probe, live, 8)                                                             \
    FIELD(assay_memory_probe, owner, 16)                                                           \
    FIELD(assay_gate, close, 8)                                                                    \
    FIELD(assay_gate, open, 16)                                                                    \
    FIELD(assay_gate, destroy, 24)                                                                 \
    FIELD(assay_driver_failures, lose_device, 8)                                                   \
    FIELD(assay_driver_failures, fail_task, 16)                                                    \
    FIELD(assay_switch, struct_size, 0)                                                            \
    FIELD(assay_switch, kind, 4)                                                                   \
    FIELD(assay_switch, time, 8)                                                                   \
    FIELD(assay_switch, name, 16)                                                                  \
    FIELD(assay_switch, violates, 24)                                                              \
    FIELD(assay_switch, means, 32)                                                                 \
    FIELD(assay_switch, environment, 40)                                                           \
    FIELD(assay_switch, summary, 48)                                                               \
    FIELD(assay_switch, source, 56)                                                                \
    FIELD(assay_switches, count, 8)                                                                \
    FIELD(assay_switches, get, 16)                                                                 \
    FIELD(assay_switches, arm, 24)                                                                 \
    FIELD(assay_switches, disarm, 32)                                                              \
    FIELD(assay_switches, watch, 40)                                                               \
    FIELD(assay_switches, asked, 48)                                                               \
    FIELD(assay_switches, hits, 56)                                                                \
    FIELD(assay_counters, read, 8)

#ifdef __cplusplus
#define ABI_ASSERT static_assert
#else
#define ABI_ASSERT _Static_assert
#endif

#define ABI_ASSERT_OFFSET(type, field, offset)                                                     \
    ABI_ASSERT(sizeof(void *) != 8 || offsetof(struct type, field) == (offset),                    \
               "ABI break: " #type "." #field " has moved");

ABI_FIELDS(ABI_ASSERT_OFFSET)

#endif
