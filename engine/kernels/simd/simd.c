/* simd.c — detects the vector instructions of this processor; HYB_CPU in the environment allows
 * fewer.
 *
 * HYB_SIMD_CHOOSE in each-simd.h asks hyb_simd_level() on every call of a kernel, so the level is kept
 * in one variable.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/simd.h"

#include "engine/tensor/half.h"

/* By level: the value of HYB_CPU, and the name for people. */
static const struct
{
  const char *value, *name;
} levels[] = {
  [HYB_SIMD_PLAIN] = { "sse2", "SSE2" },
  [HYB_SIMD_AVX2] = { "avx2", "AVX2 and FMA" },
  [HYB_SIMD_AVX512] = { "avx512", "AVX-512" },
};

gint hyb_simd_current = -1;

HybSimdLevel
hyb_simd_processor_level (void)
{
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512dq") &&
      __builtin_cpu_supports ("avx512bw") && __builtin_cpu_supports ("avx512vl"))
    return HYB_SIMD_AVX512;
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma") &&
      hyb_half_has_instructions ())
    return HYB_SIMD_AVX2;
#endif
  return HYB_SIMD_PLAIN;
}

/* The level that HYB_CPU names; the highest if it is not set or names none. */
static HybSimdLevel
environment_level (void)
{
  const char *value = g_getenv (HYB_SIMD_VARIABLE);

  for (guint level = 0; value && level < G_N_ELEMENTS (levels); level++)
    if (g_ascii_strcasecmp (value, levels[level].value) == 0)
      return (HybSimdLevel) level;
  return HYB_SIMD_AVX512;
}

/* The level that the processor and the environment allow; neither changes during the process. */
static HybSimdLevel
allowed_level (void)
{
  return MIN (hyb_simd_processor_level (), environment_level ());
}

HybSimdLevel
hyb_simd_detect (void)
{
  HybSimdLevel level = allowed_level ();

  /* Another thread may have detected the same, or hyb_simd_cap() may have limited it. */
  if (g_atomic_int_compare_and_exchange (&hyb_simd_current, -1, (gint) level))
    return level;
  return (HybSimdLevel) g_atomic_int_get (&hyb_simd_current);
}

void
hyb_simd_cap (HybSimdLevel max)
{
  g_atomic_int_set (&hyb_simd_current, (gint) MIN (allowed_level (), max));
}

char *
hyb_simd_describe (void)
{
  HybSimdLevel processor = hyb_simd_processor_level (), level = hyb_simd_level ();
  const char  *value = g_getenv (HYB_SIMD_VARIABLE);

#ifndef __x86_64__
  if (level == HYB_SIMD_PLAIN)
    return g_strdup ("those of the compiler's target");
#endif
  if (level != processor)
    return g_strdup_printf ("%s (" HYB_SIMD_VARIABLE "=%s; the processor has %s)",
                            levels[level].name, value, levels[processor].name);
  if (value && *value && g_ascii_strcasecmp (value, levels[level].value) != 0)
    return g_strdup_printf ("%s, the most that the processor has (" HYB_SIMD_VARIABLE
                            "=%s; sse2 and avx2 force less)",
                            levels[level].name, value);
  return g_strdup (levels[level].name);
}
