/* simd.h — which vector instructions hand-written kernels use, asked at run time.
 *
 * How such a kernel is written is in each-simd.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef enum
{
  HYB_SIMD_PLAIN, /* what the compiler makes of C */
  HYB_SIMD_AVX2,  /* with FMA */
  HYB_SIMD_AVX512,
} HybSimdLevel;

HybSimdLevel hyb_simd_level (void);
/* For tests: no more than this, where the processor has it. */
void hyb_simd_cap (HybSimdLevel most);
