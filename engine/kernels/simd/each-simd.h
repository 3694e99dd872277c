/* each-simd.h — a kernel of floats written once in vectors, compiled for each instruction set.
 *
 * Define SIMD_KERNEL as the path of the file with the kernel and include this: the file
 * is read for AVX-512, for AVX2 with fused multiply-add, and for whatever the compiler
 * was told.  It finds there
 *
 *   SIMD (x)                       x_avx512, x_avx2 or x_plain: its names
 *   TARGET, INLINE                 in front of its functions
 *   LANES, Floats, Ints            a vector of so many floats, and of 32-bit integers
 *   simd_fill (a)                  the same in every lane
 *   simd_load (p), simd_store (p, v), simd_load_part (p, n), simd_store_part (p, n, v)
 *   simd_keep_part (v, n)          the first n lanes, then zeros (n < LANES in all of these)
 *   simd_multiply_add (a, b, c)    a b + c, rounded once where the processor can
 *   simd_subtract_product (a, b, c)  c − a b, likewise
 *   simd_min (a, b), simd_max (a, b)  b where either is no number
 *   Doubles, simd_load_doubles (p)  LANES / 2 floats as doubles
 *   simd_sum (v), simd_sum_doubles (v), simd_lane_max (v)  of all lanes
 *   simd_reciprocal (a)            1 / a to twelve bits at least
 *   simd_scale (a, n)              a 2ⁿ, |n| ≤ 250 and whole
 *
 * beside what C has for vectors.  HYB_SIMD_CHOOSE (x) is the function that this processor
 * runs.  One kernel per source file.  Kernels are compiled without leave to reorder: the same input gives the same bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/simd.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>

#define HYB_SIMD_CHOOSE(x)                           \
  (hyb_simd_level () == HYB_SIMD_AVX512 ? x##_avx512 \
   : hyb_simd_level () == HYB_SIMD_AVX2 ? x##_avx2   \
                                        : x##_plain)
#else
#define HYB_SIMD_CHOOSE(x) x##_plain
#endif

#define INLINE static inline __attribute__ ((always_inline)) TARGET

#ifdef __x86_64__

static inline __attribute__ ((target ("avx2,fma"))) float
hyb_simd_sum_eight (__m256 a)
{
  __m128 half = _mm_add_ps (_mm256_castps256_ps128 (a), _mm256_extractf128_ps (a, 1));

  half = _mm_add_ps (half, _mm_movehl_ps (half, half));
  return _mm_cvtss_f32 (_mm_add_ss (half, _mm_shuffle_ps (half, half, 1)));
}

#define SIMD(x)                    x##_avx512
#define TARGET                     __attribute__ ((target ("avx512f,avx512dq,avx512bw,avx512vl")))
#define LANES                      16
#define SIMD_MULTIPLY_ADD(a, b, c) (Floats) _mm512_fmadd_ps ((__m512) a, (__m512) b, (__m512) c)
#define SIMD_SUBTRACT_PRODUCT(a, b, c) \
  (Floats) _mm512_fnmadd_ps ((__m512) a, (__m512) b, (__m512) c)
#define SIMD_MIN(a, b)          (Floats) _mm512_min_ps ((__m512) a, (__m512) b)
#define SIMD_MAX(a, b)          (Floats) _mm512_max_ps ((__m512) a, (__m512) b)
#define SIMD_RECIPROCAL(a)      (Floats) _mm512_rcp14_ps ((__m512) a)
#define SIMD_LOAD_PART(from, n) (Floats) _mm512_maskz_loadu_ps ((__mmask16) ((1u << (n)) - 1), from)
#define SIMD_STORE_PART(to, n, a) \
  _mm512_mask_storeu_ps (to, (__mmask16) ((1u << (n)) - 1), (__m512) a)
#define SIMD_KEEP_PART(a, n) \
  (Floats) _mm512_maskz_mov_ps ((__mmask16) ((1u << (n)) - 1), (__m512) a)
#define SIMD_LOAD_DOUBLES(from) (Doubles) _mm512_cvtps_pd (_mm256_loadu_ps (from))
#define SIMD_SUM_DOUBLES(a)     _mm512_reduce_add_pd ((__m512d) a)
#define SIMD_SUM(a)             _mm512_reduce_add_ps ((__m512) a)
#define SIMD_LANE_MAX(a)        _mm512_reduce_max_ps ((__m512) a)
#define SIMD_SCALE(a, n)        (Floats) _mm512_scalef_ps ((__m512) a, (__m512) n)
#include "engine/kernels/simd/simd-functions.h"
#include SIMD_KERNEL
#include "engine/kernels/simd/simd-undefine.h"

#define SIMD(x)                    x##_avx2
#define TARGET                     __attribute__ ((target ("avx2,fma")))
#define LANES                      8
#define SIMD_MULTIPLY_ADD(a, b, c) (Floats) _mm256_fmadd_ps ((__m256) a, (__m256) b, (__m256) c)
#define SIMD_SUBTRACT_PRODUCT(a, b, c) \
  (Floats) _mm256_fnmadd_ps ((__m256) a, (__m256) b, (__m256) c)
#define SIMD_MIN(a, b)     (Floats) _mm256_min_ps ((__m256) a, (__m256) b)
#define SIMD_MAX(a, b)     (Floats) _mm256_max_ps ((__m256) a, (__m256) b)
#define SIMD_RECIPROCAL(a) (1.f / (a)) /* the approximation has too few bits */
/* The lanes below n. */
#define SIMD_MASK(n) \
  _mm256_cmpgt_epi32 (_mm256_set1_epi32 ((int) (n)), _mm256_setr_epi32 (0, 1, 2, 3, 4, 5, 6, 7))
#define SIMD_LOAD_PART(from, n)   (Floats) _mm256_maskload_ps (from, SIMD_MASK (n))
#define SIMD_STORE_PART(to, n, a) _mm256_maskstore_ps (to, SIMD_MASK (n), (__m256) a)
#define SIMD_KEEP_PART(a, n)      (Floats) ((Ints) a & (Ints) SIMD_MASK (n))
#define SIMD_LOAD_DOUBLES(from)   (Doubles) _mm256_cvtps_pd (_mm_loadu_ps (from))
#define SIMD_SUM(a)               hyb_simd_sum_eight ((__m256) a)
#include "engine/kernels/simd/simd-functions.h"
#include SIMD_KERNEL
#include "engine/kernels/simd/simd-undefine.h"

#endif

#define SIMD(x) x##_plain
#define TARGET
#define LANES                          4
#define SIMD_MULTIPLY_ADD(a, b, c)     ((a) * (b) + (c))
#define SIMD_SUBTRACT_PRODUCT(a, b, c) ((c) - (a) * (b))
#define SIMD_MIN(a, b)                 SIMD (simd_choose) ((a) < (b), a, b)
#define SIMD_MAX(a, b)                 SIMD (simd_choose) ((a) > (b), a, b)
#define SIMD_RECIPROCAL(a)             (1.f / (a))
#include "engine/kernels/simd/simd-functions.h"
#include SIMD_KERNEL
#include "engine/kernels/simd/simd-undefine.h"

#undef INLINE
#undef SIMD_KERNEL
