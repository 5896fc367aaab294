/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Headers of torch that any backend of the fleet may include, parsed once for all of them.
 */
#ifndef FLEET_HEADERS_H
#define FLEET_HEADERS_H

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/GeneratorForPrivateuseone.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <c10/core/Allocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/headeronly/version.h>
#include <torch/library.h>

#endif
