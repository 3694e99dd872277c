/* libraries.h — NVIDIA's libraries, opened when they are needed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/api.h"

#include <glib.h>

typedef struct
{
  HybCudaFunctions call;
  /* cuEventElapsedTime_v2, or where the driver has only the old name that one. */
  CUresult (*elapsed) (float *milliseconds, CUevent from, CUevent to);
  int driver;   /* the newest CUDA that the driver supports, 13000 for 13.0 */
  int major;    /* of cuBLAS, cuDNN and NVRTC */
  int nvrtc[2]; /* major, minor */
  gboolean
      ends_products; /* cuBLASLt is there, which adds a bias and rectifies while it multiplies */
} HybCuda;

/* Opens the driver, cuBLAS, cuDNN and NVRTC at the first call; later calls return the same.  NULL and an
 * error that says which is missing or does not fit. */
const HybCuda *hyb_cuda_load (GError **error);
/* The files that are open, without links, one a line.  (transfer full) */
char *hyb_cuda_dup_paths (const HybCuda *cuda);
/* Sets an error of HYB_DEVICE_ERROR that names the driver's function and its error. */
void hyb_cuda_fail (const HybCuda *cuda, const char *function, CUresult result, GError **error);
