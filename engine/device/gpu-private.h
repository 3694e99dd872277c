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
  GHashTable       *twins; /* name of the operator → HybDeviceOp */
  GHashTable *excluded; /* name of the operator, or of one type of it → why the host computes it */
  char       *proof;    /* the sentence of a self-test that has passed; NULL: none has */
};

/* The same through a back end that is loaded already, for hyb_gpu_open() and tests. */
HybGpu *hyb_gpu_open_with (const HybBackend *backend, guint index, HybGpuMath math, GError **error);
/* The twin of an operator; NULL if it has none. */
const HybDeviceOp *hyb_gpu_find_twin (const HybGpu *gpu, const HybOp *op);
/* Why calls of an operator with this type are excluded; NULL if they are not.  HYB_DTYPE_UNKNOWN: calls of every
 * type. */
const char *hyb_gpu_why_type_excluded (const HybGpu *gpu, const HybOp *op, HybDType dtype);
/* The type by which calls are excluded: the type of the first floating-point input or output, or else of the first input or
 * output. */
HybDType hyb_gpu_type_of (const HybCall *call);
