/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The faults of quantized, sparse, nested and similar tensors, sorted by name. The other faults of
 * the layer are in fault_table_integration.c and the files next to it.
 */
#include "fakedev_faults.h"
#include "fault_table.h"

static const struct fd_fault_info rows[] = {
    {"nested.clone_ends_the_process", "integration", "Copying a nested tensor ends the process.",
     "QSN-013", "", FD_AT_CALL},
    {"nested.padding_is_zero", "integration",
     "Jagged tensors are padded with zeros, whichever padding was requested.", "QSN-012", "",
     FD_AT_CALL},
    {"nested.pieces_backwards", "integration",
     "The components of a strided nested tensor are in the wrong order.", "QSN-011", "",
     FD_AT_CALL},
    {"quantized.arrives_as_floats", "integration",
     "quantize_per_tensor returns its input unchanged.", "QSN-001,QSN-003", "", FD_AT_CALL},
    {"quantized.channels_share_one_scale", "integration",
     "All channels are quantized with the scale of the first.", "QSN-004", "", FD_AT_CALL},
    {"quantized.copy_is_empty", "integration",
     "A quantized tensor has other numbers after it was copied to the device.", "QSN-001,QSN-005",
     "", FD_AT_CALL},
    {"quantized.empty_ends_the_process", "integration",
     "Allocating a quantized tensor ends the process.", "QSN-013", "", FD_AT_CALL},
    {"quantized.zero_point_lost", "integration", "The zero point of a quantized tensor is 0.",
     "QSN-001,QSN-005,QSN-006", "", FD_AT_CALL},
    {"quantized.zero_point_not_subtracted", "integration",
     "dequantize multiplies by the scale and does not subtract the zero point.", "QSN-002", "",
     FD_AT_CALL},
    {"sparse.arrives_dense", "integration", "A sparse COO tensor becomes a dense tensor of zeros.",
     "QSN-008,QSN-010", "", FD_AT_CALL},
    {"sparse.coordinates_end_the_process", "integration",
     "Creating a sparse COO tensor ends the process.", "QSN-013", "", FD_AT_CALL},
    {"sparse.rows_forgotten", "integration", "All rows of a sparse CSR tensor are empty.",
     "QSN-009", "", FD_AT_CALL},
};

const struct fd_fault_layer fd_faults_of_kinds = {rows, sizeof rows / sizeof rows[0]};
