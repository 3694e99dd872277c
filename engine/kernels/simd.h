/* simd.h — the few vector operations that hand-written kernels use, for one instruction set.
 *
 * A file of inner loops is included once for each set, each time behind
 *
 *     #define SIMD_AVX512     (or SIMD_AVX2)
 *     #include "engine/kernels/simd.h"
 *
 * which undefines it again and defines: NAME, a suffix for functions; TARGET, their attribute;
 * Vector, LANES; LOAD, STORE (any address), LOAD_PART (from, count: the rest is zero), SPREAD
 * (from one float), ADD, MULTIPLY_ADD (a b + c, rounded once), ZERO, SUM (of the lanes).
 *
 * Which set may run is asked at run time: hyb_simd_level().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <glib.h>

#ifndef HYB_SIMD_H
#define HYB_SIMD_H

typedef enum
{
  HYB_SIMD_PLAIN, /* what the compiler makes of C */
  HYB_SIMD_AVX2,  /* with FMA */
  HYB_SIMD_AVX512,
} HybSimdLevel;

HybSimdLevel hyb_simd_level (void);
/* For tests: no more than this, where the processor has it. */
void hyb_simd_cap (HybSimdLevel most);

#define HYB_SIMD_JOIN_(a, b) a##_##b
#define HYB_SIMD_JOIN(a, b)  HYB_SIMD_JOIN_ (a, b)

#ifdef __x86_64__
#include <immintrin.h>

static inline __attribute__ ((target ("avx2,fma"))) __m256
hyb_simd_load_part (const float *from, gint64 count)
{
  static const gint32 masks[16] = { -1, -1, -1, -1, -1, -1, -1, -1 };

  return _mm256_maskload_ps (from, _mm256_loadu_si256 ((const __m256i *) (masks + 8 - count)));
}

static inline __attribute__ ((target ("avx2,fma"))) float
hyb_simd_sum (__m256 a)
{
  __m128 half = _mm_add_ps (_mm256_castps256_ps128 (a), _mm256_extractf128_ps (a, 1));

  half = _mm_add_ps (half, _mm_movehl_ps (half, half));
  return _mm_cvtss_f32 (_mm_add_ss (half, _mm_shuffle_ps (half, half, 1)));
}
#endif
#endif

#undef NAME
#undef TARGET
#undef Vector
#undef LANES
#undef LOAD
#undef STORE
#undef LOAD_PART
#undef SPREAD
#undef ADD
#undef MULTIPLY_ADD
#undef ZERO
#undef SUM

#ifdef SIMD_AVX2
#undef SIMD_AVX2
#define NAME                   avx2
#define TARGET                 __attribute__ ((target ("avx2,fma")))
#define Vector                 __m256
#define LANES                  8
#define LOAD(from)             _mm256_loadu_ps (from)
#define STORE(to, a)           _mm256_storeu_ps (to, a)
#define LOAD_PART(from, count) hyb_simd_load_part (from, count)
#define SPREAD(from)           _mm256_broadcast_ss (from)
#define ADD(a, b)              _mm256_add_ps (a, b)
#define MULTIPLY_ADD(a, b, c)  _mm256_fmadd_ps (a, b, c)
#define ZERO()                 _mm256_setzero_ps ()
#define SUM(a)                 hyb_simd_sum (a)
#endif

#ifdef SIMD_AVX512
#undef SIMD_AVX512
#define NAME                   avx512
#define TARGET                 __attribute__ ((target ("avx512f")))
#define Vector                 __m512
#define LANES                  16
#define LOAD(from)             _mm512_loadu_ps (from)
#define STORE(to, a)           _mm512_storeu_ps (to, a)
#define LOAD_PART(from, count) _mm512_maskz_loadu_ps ((__mmask16) ((1u << (count)) - 1), from)
#define SPREAD(from)           _mm512_set1_ps (*(from))
#define ADD(a, b)              _mm512_add_ps (a, b)
#define MULTIPLY_ADD(a, b, c)  _mm512_fmadd_ps (a, b, c)
#define ZERO()                 _mm512_setzero_ps ()
#define SUM(a)                 _mm512_reduce_add_ps (a)
#endif
