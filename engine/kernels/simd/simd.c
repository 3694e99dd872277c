/* simd.c — detects the vector instructions of this processor.
 *
 * HYB_SIMD_CHOOSE in each-simd.h asks hyb_simd_level() on every call of a kernel.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/simd.h"

static gint cap = HYB_SIMD_AVX512; /* atomic */

static HybSimdLevel
processor_level (void)
{
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512dq") &&
      __builtin_cpu_supports ("avx512bw") && __builtin_cpu_supports ("avx512vl"))
    return HYB_SIMD_AVX512;
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    return HYB_SIMD_AVX2;
#endif
  return HYB_SIMD_PLAIN;
}

HybSimdLevel
hyb_simd_level (void)
{
  return MIN (processor_level (), (HybSimdLevel) g_atomic_int_get (&cap));
}

void
hyb_simd_cap (HybSimdLevel max)
{
  g_atomic_int_set (&cap, (gint) max);
}
