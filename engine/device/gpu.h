/* gpu.h — a GPU that executors may compute on.
 * Open it with hyb_gpu_open() and pass it to executors in HybExecutorOptions.gpu.
 * Threads: executors of several threads may share a GPU; hyb_gpu_exclude() and hyb_gpu_set_proof() need it for themselves.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/tensor/dtype.h"

#include <glib.h>

G_BEGIN_DECLS
/* An open GPU. */
typedef struct _HybGpu HybGpu;

/* How a GPU multiplies matrices of float32. */
typedef enum
{
  HYB_GPU_PRECISE, /* all operands and sums are float32 */
  HYB_GPU_FAST, /* operands may be rounded to TF32, which has 10 bits of fraction instead of 23 */
} HybGpuMath;

/* Opens "gpu" or "gpu:N" with precise products.  NULL and an error of HYB_DEVICE_ERROR that names the
 * missing part.  (transfer full) */
HYB_API HybGpu *hyb_gpu_open (const char *name, GError **error);
/* The same with products of this kind.  (transfer full) */
HYB_API HybGpu *hyb_gpu_open_with_math (const char *name, HybGpuMath math, GError **error);
/* How the GPU multiplies, as given to hyb_gpu_open_with_math(). */
HYB_API HybGpuMath hyb_gpu_get_math (const HybGpu *gpu);
/* The same as a sentence without its full stop. */
HYB_API const char *hyb_gpu_describe_math (const HybGpu *gpu);
/* Takes a reference and returns gpu. */
HYB_API HybGpu *hyb_gpu_ref (HybGpu *gpu);
/* Drops a reference; the last one closes the device. */
HYB_API void hyb_gpu_unref (HybGpu *gpu);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybGpu, hyb_gpu_unref)

/* Lets the host compute this operator in all plans that are made from now on.  why: half a sentence, which
 * printed plans and lists give as the reason.  FALSE if the GPU does not compute it anyway.  Not to be
 * called while plans are made on other threads. */
HYB_API gboolean hyb_gpu_exclude (HybGpu *gpu, const char *op, const char *why);
/* The same for calls with elements of this type, which is that of the first input or output of floating point. */
HYB_API gboolean hyb_gpu_exclude_type (HybGpu     *gpu,
                                       const char *op,
                                       HybDType    dtype,
                                       const char *why);
/* The names of excluded operators, those of one type as “dot in float16”, sorted and NULL-terminated.  (transfer full) */
HYB_API char **hyb_gpu_list_excluded (const HybGpu *gpu);
/* Why an operator, named as in that list, is excluded; NULL if it is not. */
HYB_API const char *hyb_gpu_why_excluded (const HybGpu *gpu, const char *op);
/* Records the sentence of a self-test that has passed on this GPU; NULL clears it.  Not to be called while
 * other threads use the GPU. */
HYB_API void hyb_gpu_set_proof (HybGpu *gpu, const char *proof);
/* The note of the self-test; NULL if none has passed. */
HYB_API const char *hyb_gpu_get_proof (const HybGpu *gpu);
/* The names of all operators that the GPU computes, NULL-terminated.  (transfer container) */
HYB_API const char **hyb_gpu_list_operators (const HybGpu *gpu);

/* TRUE if the module for GPUs, which need not find a GPU, computes the operator of this name.  FALSE
 * also if the module is not installed. */
HYB_API gboolean hyb_gpu_computes (const char *op);
/* The folders in which NVIDIA's libraries of this major version of CUDA are looked for, in order, NULL-terminated: those of
 * HYB_GPU_PATH, an empty one, which stands for ld.so, then those that are there of toolkits, tools/gpu.sh, containers,
 * Python's wheels and conda.  (transfer full) */
HYB_API char **hyb_gpu_list_folders (int major);
/* The name of the device, followed by the versions of driver and libraries.  (transfer full) */
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
  double
         peak_flops; /* a second, of float32 without tensor cores, by the clock of the chip; NaN: not known */
  double peak_bytes; /* a second, by the clock of the memory; NaN: not known */
  char *module; /* path of the module that computes on it; empty if it was not opened from a file */
} HybGpuFacts;

/* The number of GPUs, which hyb_gpu_open() takes as "gpu:0", "gpu:1" and so on.  0 and an error of
 * HYB_DEVICE_ERROR if there are none. */
HYB_API guint hyb_gpu_count (GError **error);
/* The facts about an open GPU.  (transfer full) */
HYB_API HybGpuFacts *hyb_gpu_dup_facts (HybGpu *gpu);
/* The bytes that were allocated through gpu and not freed, without allocations of NVIDIA's libraries and of other
 * programs. */
HYB_API guint64 hyb_gpu_get_taken (HybGpu *gpu);
/* Frees facts; NULL is allowed. */
HYB_API void hyb_gpu_facts_free (HybGpuFacts *facts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybGpuFacts, hyb_gpu_facts_free)

G_END_DECLS
