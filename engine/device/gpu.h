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

G_END_DECLS
