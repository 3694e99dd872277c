/* half.c — arrays of half floats, converted eight at a time; see half.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/tensor/half.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>

#define TARGET __attribute__ ((target ("avx,f16c")))

/* All processors with AVX2 have them, but a virtual machine may hide them; not every compiler's
 * __builtin_cpu_supports() accepts their name. */
gboolean
hyb_half_has_instructions (void)
{
  static gsize
      answer; /* 1: no, 2: yes; cached, because CPUID takes microseconds in virtual machines */

  if (g_once_init_enter (&answer))
    {
      unsigned a, b, c = 0, d;
      gboolean has = __get_cpuid (1, &a, &b, &c, &d) && c & bit_F16C;

      g_once_init_leave (&answer, __builtin_cpu_supports ("avx") && has ? 2 : 1);
    }
  return answer == 2;
}

static TARGET gboolean
has_nan (__m256 values)
{
  return _mm256_movemask_ps (_mm256_cmp_ps (values, values, _CMP_UNORD_Q)) != 0;
}

static TARGET gsize
widen (float *to, const guint16 *from, gsize count)
{
  gsize i = 0;

  for (; i + HYB_HALF_GROUP <= count; i += HYB_HALF_GROUP)
    {
      __m256 values = _mm256_cvtph_ps (_mm_loadu_si128 ((gconstpointer) (from + i)));

      if (has_nan (values))
        break;
      _mm256_storeu_ps (to + i, values);
    }
  return i;
}

static TARGET gsize
round_all (guint16 *to, const float *from, gsize count)
{
  gsize i = 0;

  for (; i + HYB_HALF_GROUP <= count; i += HYB_HALF_GROUP)
    {
      __m256 values = _mm256_loadu_ps (from + i);

      if (has_nan (values))
        break;
      _mm_storeu_si128 ((gpointer) (to + i), _mm256_cvtps_ph (values, _MM_FROUND_TO_NEAREST_INT));
    }
  return i;
}

gsize
hyb_half_widen (float *to, const guint16 *from, gsize count)
{
  return hyb_half_has_instructions () ? widen (to, from, count) : 0;
}

gsize
hyb_half_round (guint16 *to, const float *from, gsize count)
{
  return hyb_half_has_instructions () ? round_all (to, from, count) : 0;
}

#else

gboolean
hyb_half_has_instructions (void)
{
  return FALSE;
}

gsize
hyb_half_widen (float *to, const guint16 *from, gsize count)
{
  return 0;
}

gsize
hyb_half_round (guint16 *to, const float *from, gsize count)
{
  return 0;
}

#endif
