/* simd.h — the level of vector instructions that hand-written kernels use, chosen at run time.
 *
 * each-simd.h describes how to write such a kernel.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef enum
{
  HYB_SIMD_PLAIN,  /* generic vectors for the compiler's target */
  HYB_SIMD_AVX2,   /* AVX2 and FMA */
  HYB_SIMD_AVX512, /* AVX-512 F, DQ, BW and VL */
} HybSimdLevel;

/* Returns the highest level that this processor and hyb_simd_cap() allow. */
HybSimdLevel hyb_simd_level (void);
/* Limits hyb_simd_level() to `max` for the whole process, so that tests can cover the lower
 * levels. */
void hyb_simd_cap (HybSimdLevel max);
