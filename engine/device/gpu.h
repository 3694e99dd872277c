/* gpu.h — a GPU that executors may compute on.
 *
 * Open it with hyb_gpu_open() and pass it to executors in HybExecutorOptions.gpu.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"

#include <glib.h>

G_BEGIN_DECLS
/* An open GPU. */
typedef struct _HybGpu HybGpu;

/* Opens "gpu" or "gpu:N".  NULL and an error of HYB_DEVICE_ERROR that says what is missing.
 * (transfer full) */
HYB_API HybGpu *hyb_gpu_open (const char *name, GError **error);
/* Takes a reference and returns gpu. */
HYB_API HybGpu *hyb_gpu_ref (HybGpu *gpu);
/* Drops a reference; the last one closes the device. */
HYB_API void hyb_gpu_unref (HybGpu *gpu);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybGpu, hyb_gpu_unref)

/* TRUE if the module for GPUs, which need not find a GPU, computes the operator of this name.  FALSE
 * also if the module is not installed. */
HYB_API gboolean hyb_gpu_computes (const char *op);
/* What the device is called, followed by the versions of driver and libraries.  (transfer full) */
HYB_API char *hyb_gpu_describe (HybGpu *gpu);

/* Facts of a GPU, to be shown. */
typedef struct
{
  char   *model;     /* "NVIDIA H100 80GB" */
  char   *kind;      /* "compute capability 9.0" */
  char   *versions;  /* "driver for CUDA 13.0, NVRTC 13.0" */
  char  **libraries; /* paths of the vendor's libraries that are open, NULL-terminated */
  guint64 memory;    /* bytes, in total */
  guint64 unused;    /* bytes */
} HybGpuFacts;

/* The number of GPUs, which hyb_gpu_open() takes as "gpu:0", "gpu:1" and so on.  0 and an error of
 * HYB_DEVICE_ERROR if there are none. */
HYB_API guint hyb_gpu_count (GError **error);
/* What is known of an open GPU.  (transfer full) */
HYB_API HybGpuFacts *hyb_gpu_dup_facts (HybGpu *gpu);
/* Frees facts; NULL is allowed. */
HYB_API void hyb_gpu_facts_free (HybGpuFacts *facts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybGpuFacts, hyb_gpu_facts_free)

G_END_DECLS
