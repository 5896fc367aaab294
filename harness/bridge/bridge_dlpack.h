/* SPDX-License-Identifier: BSD-3-Clause
 *
 * DLPack without Python: the public structs that all libraries share, and PyTorch's functions that
 * export and import these structs. Layouts are asserted against PyTorch's own header in
 * bridge_dlpack.cc.
 */
#ifndef ASSAY_BRIDGE_DLPACK_H
#define ASSAY_BRIDGE_DLPACK_H

#include "bridge.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BRIDGE_DL_EXTENSION_DEVICE 12

/* A tensor. Strides count elements; NULL: contiguous. */
struct bridge_dl_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t dim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *sizes, *strides;
    uint64_t byte_offset;
};

/* The producer owns this struct until the consumer calls `deleter`, exactly once. */
struct bridge_dl_managed {
    struct bridge_dl_tensor tensor;
    void *context;
    void (*deleter)(struct bridge_dl_managed *self);
};

struct bridge_dl_versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct bridge_dl_versioned *self);
    uint64_t flags;
    struct bridge_dl_tensor tensor;
};

/* at::toDLPack and at::toDLPackVersioned: the caller becomes the consumer of the result. */
BRIDGE_API int32_t bridge_dlpack_export(const struct bridge_tensor *tensor,
                                        struct bridge_dl_managed **managed);
BRIDGE_API int32_t bridge_dlpack_export_versioned(const struct bridge_tensor *tensor,
                                                  struct bridge_dl_versioned **managed);
/* at::fromDLPack and at::fromDLPackVersioned: if the import succeeds, the tensor is the
 * consumer. */
BRIDGE_API int32_t bridge_dlpack_import(struct bridge_dl_managed *managed,
                                        struct bridge_tensor **tensor);
BRIDGE_API int32_t bridge_dlpack_import_versioned(struct bridge_dl_versioned *managed,
                                                  struct bridge_tensor **tensor);

#ifdef __cplusplus
}
#endif
#endif
