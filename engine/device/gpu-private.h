/* gpu-private.h — the members of a GPU, for engine/device and engine/exec.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/device/device.h"
#include "engine/device/gpu.h"
#include "engine/device/pool.h"

struct _HybGpu
{
  gatomicrefcount   references;
  const HybBackend *backend;
  HybDevice        *device;
  HybDevicePool    *memory; /* of the device */
  HybDevicePool    *pinned; /* of the host */
  HybGpuMath        math;
  GHashTable       *twins;    /* name of the operator → HybDeviceOp */
  GHashTable       *excluded; /* name of the operator → why the host computes it */
  char             *proof;    /* what a self-test said that has passed; NULL: none has */
};

/* The same through a back end that is loaded already, for hyb_gpu_open() and tests. */
HybGpu *hyb_gpu_open_with (const HybBackend *backend, guint index, HybGpuMath math, GError **error);
/* The twin of an operator; NULL if it has none or is excluded. */
const HybDeviceOp *hyb_gpu_find_twin (const HybGpu *gpu, const HybOp *op);
