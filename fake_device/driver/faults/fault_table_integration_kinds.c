/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The faults of quantized, sparse, nested and similar tensors, sorted by name. The other faults of
 * the layer are in fault_table_integration.c and the files next to it.
 */
#include "fakedev_faults.h"
#include "fault_table.h"

#define LAYER "integration"

static const struct fd_fault_info rows[] = {
    FAULT("nested.clone_ends_the_process", "QSN-013", "Copying a nested tensor ends the process."),
    FAULT("nested.padding_is_zero", "QSN-012",
          "Jagged tensors are padded with zeros, whichever padding was requested."),
    FAULT("nested.pieces_backwards", "QSN-011",
          "The components of a strided nested tensor are in the wrong order."),
    FAULT("quantized.arrives_as_floats", "QSN-001,QSN-003",
          "quantize_per_tensor returns its input unchanged."),
    FAULT("quantized.channels_share_one_scale", "QSN-004",
          "All channels are quantized with the scale of the first."),
    FAULT("quantized.copy_is_empty", "QSN-001,QSN-005",
          "A quantized tensor has other numbers after it was copied to the device."),
    FAULT("quantized.empty_ends_the_process", "QSN-013",
          "Allocating a quantized tensor ends the process."),
    FAULT("quantized.zero_point_lost", "QSN-001,QSN-005,QSN-006",
          "The zero point of a quantized tensor is 0."),
    FAULT("quantized.zero_point_not_subtracted", "QSN-002",
          "dequantize multiplies by the scale and does not subtract the zero point."),
    FAULT("sparse.arrives_dense", "QSN-008,QSN-010",
          "A sparse COO tensor becomes a dense tensor of zeros."),
    FAULT("sparse.clone_shares_values", "QSN-008",
          "A change of a cloned sparse COO tensor also changes the original."),
    FAULT("sparse.coordinates_end_the_process", "QSN-013",
          "Creating a sparse COO tensor ends the process."),
    FAULT("sparse.rows_forgotten", "QSN-009", "All rows of a sparse CSR tensor are empty."),
};

const struct fd_fault_layer fd_faults_of_kinds = {rows, sizeof rows / sizeof rows[0]};
