/* simd.h — the level of vector instructions that hand-written kernels use, chosen at run time.
 *
 * HYB_CPU=sse2 or HYB_CPU=avx2 in the environment forces less than the processor has, never more,
 * so that every level can be tested and measured on one machine.  each-simd.h describes how to
 * write such a kernel.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The variable of the environment: sse2, avx2 or avx512; anything else is as if it were not set. */
#define HYB_SIMD_VARIABLE "HYB_CPU"

/* Floats of a cache line. */
#define HYB_LINE_FLOATS 16

typedef enum
{
  HYB_SIMD_PLAIN,  /* generic vectors for the compiler's target: SSE2 on x86-64 */
  HYB_SIMD_AVX2,   /* AVX2, FMA and F16C */
  HYB_SIMD_AVX512, /* AVX-512 F, DQ, BW and VL */
} HybSimdLevel;

/* Returns the highest level that this processor has. */
HybSimdLevel hyb_simd_processor_level (void);
/* What hyb_simd_level() returns; -1 before it was detected.  Atomic. */
extern gint hyb_simd_current;
/* Detects it; only hyb_simd_level() calls this. */
HybSimdLevel hyb_simd_detect (void);
/* Returns the highest level that this processor, HYB_CPU and hyb_simd_cap() allow. */
static inline HybSimdLevel
hyb_simd_level (void)
{
  gint level = g_atomic_int_get (&hyb_simd_current);

  return level >= 0 ? (HybSimdLevel) level : hyb_simd_detect ();
}
/* Limits hyb_simd_level() to `max` for the whole process, so that tests can cover the lower
 * levels. */
void hyb_simd_cap (HybSimdLevel max);
/* Returns for people which level is used and why; the caller frees it. */
char *hyb_simd_describe (void);
