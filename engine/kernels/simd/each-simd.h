/* each-simd.h — compiles one vectorised float kernel for each instruction set.
 *
 * To use it, define SIMD_KERNEL as the path of the file with the kernel and include this header:
 * it includes that file for AVX-512, for AVX2 with fused multiply-add, and with GCC's generic
 * vectors for the compiler's own target.  The kernel file can use C's operators on vectors, and
 *
 *   SIMD (x)                       the name x_avx512, x_avx2 or x_plain
 *   TARGET, INLINE                 attributes for its functions; INLINE includes TARGET
 *   LANES, Floats, Ints            the number of lanes; vectors of LANES floats, 32-bit integers
 *   Doubles                        a vector of LANES / 2 doubles
 *   simd_fill (a)                  a in every lane
 *   simd_load (p), simd_store (p, v)  LANES floats, unaligned
 *   simd_load_register (p)         the same as simd_load, read once for all its uses
 *   simd_load_part (p, n), simd_store_part (p, n, v)  n floats, n < LANES; loads zeros after them
 *   simd_keep_part (v, n)          the first n < LANES lanes of v, then zeros
 *   simd_multiply_add (a, b, c)    a b + c, rounded once if the processor has fused multiply-add
 *   simd_subtract_product (a, b, c)  c − a b, likewise
 *   simd_min (a, b), simd_max (a, b)  per lane; b if either is NaN
 *   simd_load_doubles (p)          LANES / 2 floats, converted to double
 *   simd_load_f16 (p), simd_load_bf16 (p)  LANES half floats of either kind, converted to float
 *   simd_load_bytes (p)            LANES signed bytes, converted to float
 *   simd_sum (v), simd_sum_doubles (v), simd_lane_max (v)  over all lanes
 *   SIMD_ROUND (v, mode)           each lane to an integer; not defined for the compiler's own target
 *   simd_sqrt (v)                  the square root of each lane
 *   simd_low_doubles (v), simd_high_doubles (v)  either half of the lanes, as doubles
 *   simd_join_doubles (low, high)  all lanes of both, rounded to floats
 *   simd_scale (a, n)              a 2ⁿ for whole n, |n| ≤ 250
 *   simd_any (mask)                whether any lane of Ints has its sign bit set
 *   simd_even_lanes (a, b)         lanes 0, 2, … of a, then those of b
 *   simd_third_lanes (a, b, c)     lanes 0, 3, … of a, b and c as if they were one vector
 *
 * HYB_SIMD_CHOOSE (x) is the variant of function x for this processor.  A source file can have one
 * kernel.  The compiler may not reorder floating-point operations, so the same input gives the
 * same bytes on every run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/simd.h"

#include <math.h>
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

/* The sum of all eight lanes; AVX2 has no instruction for it. */
static inline __attribute__ ((target ("avx2,fma,f16c"))) float
hyb_simd_sum_eight (__m256 a)
{
  __m128 half = _mm_add_ps (_mm256_castps256_ps128 (a), _mm256_extractf128_ps (a, 1));

  half = _mm_add_ps (half, _mm_movehl_ps (half, half));
  return _mm_cvtss_f32 (_mm_add_ss (half, _mm_shuffle_ps (half, half, 1)));
}

/* The first n lanes, 0 ≤ n < 8.  A masked store takes AMD processors twelve cycles. */
static inline __attribute__ ((always_inline, target ("avx2,fma,f16c"))) void
hyb_simd_store_part_of_eight (float *to, gint64 n, __m256 a)
{
  __m128 part = _mm256_castps256_ps128 (a);

  if (n & 4)
    {
      _mm_storeu_ps (to, part);
      part = _mm256_extractf128_ps (a, 1);
      to += 4;
    }
  if (n & 2)
    {
      _mm_storel_pi ((gpointer) to, part);
      part = _mm_movehl_ps (part, part);
      to += 2;
    }
  if (n & 1)
    _mm_store_ss (to, part);
}

#define SIMD(x)                    x##_avx512
#define TARGET                     __attribute__ ((target ("avx512f,avx512dq,avx512bw,avx512vl")))
#define LANES                      16
#define SIMD_MULTIPLY_ADD(a, b, c) (Floats) _mm512_fmadd_ps ((__m512) a, (__m512) b, (__m512) c)
#define SIMD_SUBTRACT_PRODUCT(a, b, c) \
  (Floats) _mm512_fnmadd_ps ((__m512) a, (__m512) b, (__m512) c)
#define SIMD_MIN(a, b)          (Floats) _mm512_min_ps ((__m512) a, (__m512) b)
#define SIMD_MAX(a, b)          (Floats) _mm512_max_ps ((__m512) a, (__m512) b)
#define SIMD_LOAD_PART(from, n) (Floats) _mm512_maskz_loadu_ps ((__mmask16) ((1u << (n)) - 1), from)
#define SIMD_STORE_PART(to, n, a) \
  _mm512_mask_storeu_ps (to, (__mmask16) ((1u << (n)) - 1), (__m512) a)
#define SIMD_KEEP_PART(a, n) \
  (Floats) _mm512_maskz_mov_ps ((__mmask16) ((1u << (n)) - 1), (__m512) a)
#define SIMD_LOAD_DOUBLES(from) (Doubles) _mm512_cvtps_pd (_mm256_loadu_ps (from))
#define SIMD_LOAD_F16(from)     (Floats) _mm512_cvtph_ps (_mm256_loadu_si256 ((gconstpointer) (from)))
#define SIMD_LOAD_BF16(from) \
  (Floats)                   \
      _mm512_slli_epi32 (_mm512_cvtepu16_epi32 (_mm256_loadu_si256 ((gconstpointer) (from))), 16)
#define SIMD_LOAD_BYTES(from) \
  (Floats) _mm512_cvtepi32_ps (_mm512_cvtepi8_epi32 (_mm_loadu_si128 ((gconstpointer) (from))))
#define SIMD_SUM_DOUBLES(a)  _mm512_reduce_add_pd ((__m512d) a)
#define SIMD_SUM(a)          _mm512_reduce_add_ps ((__m512) a)
#define SIMD_LANE_MAX(a)     _mm512_reduce_max_ps ((__m512) a)
#define SIMD_ROUND(a, mode)  (Floats) _mm512_roundscale_ps ((__m512) a, mode)
#define SIMD_SQRT(a)         (Floats) _mm512_sqrt_ps ((__m512) a)
#define SIMD_LOW_DOUBLES(a)  (Doubles) _mm512_cvtps_pd (_mm512_castps512_ps256 ((__m512) a))
#define SIMD_HIGH_DOUBLES(a) (Doubles) _mm512_cvtps_pd (_mm512_extractf32x8_ps ((__m512) a, 1))
#define SIMD_JOIN_DOUBLES(low, high)                                                     \
  (Floats) _mm512_insertf32x8 (_mm512_castps256_ps512 (_mm512_cvtpd_ps ((__m512d) low)), \
                               _mm512_cvtpd_ps ((__m512d) high), 1)
#define SIMD_SCALE(a, n) (Floats) _mm512_scalef_ps ((__m512) a, (__m512) n)
#define SIMD_ANY(mask)   (_mm512_movepi32_mask ((__m512i) (mask)) != 0)
#include "engine/kernels/simd/simd-functions.h"
#include SIMD_KERNEL
#include "engine/kernels/simd/simd-undefine.h"

#define SIMD(x)                    x##_avx2
#define TARGET                     __attribute__ ((target ("avx2,fma,f16c")))
#define LANES                      8
#define SIMD_MULTIPLY_ADD(a, b, c) (Floats) _mm256_fmadd_ps ((__m256) a, (__m256) b, (__m256) c)
#define SIMD_SUBTRACT_PRODUCT(a, b, c) \
  (Floats) _mm256_fnmadd_ps ((__m256) a, (__m256) b, (__m256) c)
#define SIMD_MIN(a, b) (Floats) _mm256_min_ps ((__m256) a, (__m256) b)
#define SIMD_MAX(a, b) (Floats) _mm256_max_ps ((__m256) a, (__m256) b)
/* All bits set in the first n lanes, none in the others. */
#define SIMD_MASK(n) \
  _mm256_cmpgt_epi32 (_mm256_set1_epi32 ((int) (n)), _mm256_setr_epi32 (0, 1, 2, 3, 4, 5, 6, 7))
#define SIMD_LOAD_PART(from, n)   (Floats) _mm256_maskload_ps (from, SIMD_MASK (n))
#define SIMD_STORE_PART(to, n, a) hyb_simd_store_part_of_eight (to, n, (__m256) a)
#define SIMD_KEEP_PART(a, n)      (Floats) ((Ints) a & (Ints) SIMD_MASK (n))
#define SIMD_LOAD_DOUBLES(from)   (Doubles) _mm256_cvtps_pd (_mm_loadu_ps (from))
#define SIMD_LOAD_F16(from)       (Floats) _mm256_cvtph_ps (_mm_loadu_si128 ((gconstpointer) (from)))
#define SIMD_LOAD_BF16(from) \
  (Floats) _mm256_slli_epi32 (_mm256_cvtepu16_epi32 (_mm_loadu_si128 ((gconstpointer) (from))), 16)
#define SIMD_LOAD_BYTES(from) \
  (Floats) _mm256_cvtepi32_ps (_mm256_cvtepi8_epi32 (_mm_loadl_epi64 ((gconstpointer) (from))))
#define SIMD_ROUND(a, mode)  (Floats) _mm256_round_ps ((__m256) a, mode)
#define SIMD_SQRT(a)         (Floats) _mm256_sqrt_ps ((__m256) a)
#define SIMD_LOW_DOUBLES(a)  (Doubles) _mm256_cvtps_pd (_mm256_castps256_ps128 ((__m256) a))
#define SIMD_HIGH_DOUBLES(a) (Doubles) _mm256_cvtps_pd (_mm256_extractf128_ps ((__m256) a, 1))
#define SIMD_JOIN_DOUBLES(low, high) \
  (Floats) _mm256_set_m128 (_mm256_cvtpd_ps ((__m256d) high), _mm256_cvtpd_ps ((__m256d) low))
#define SIMD_SUM(a)    hyb_simd_sum_eight ((__m256) a)
#define SIMD_ANY(mask) (_mm256_movemask_ps ((__m256) (mask)) != 0)
#include "engine/kernels/simd/simd-functions.h"
#include SIMD_KERNEL
#include "engine/kernels/simd/simd-undefine.h"

#endif

#define SIMD(x) x##_plain
#define TARGET
#define LANES                          4
#define SIMD_MULTIPLY_ADD(a, b, c)     ((a) * (b) + (c))
#define SIMD_SUBTRACT_PRODUCT(a, b, c) ((c) - (a) * (b))
#ifdef __x86_64__
#define SIMD_MIN(a, b)       (Floats) _mm_min_ps ((__m128) a, (__m128) b)
#define SIMD_MAX(a, b)       (Floats) _mm_max_ps ((__m128) a, (__m128) b)
#define SIMD_ANY(mask)       (_mm_movemask_ps ((__m128) (mask)) != 0)
#define SIMD_SQRT(a)         (Floats) _mm_sqrt_ps ((__m128) a)
#define SIMD_LOW_DOUBLES(a)  (Doubles) _mm_cvtps_pd ((__m128) a)
#define SIMD_HIGH_DOUBLES(a) (Doubles) _mm_cvtps_pd (_mm_movehl_ps ((__m128) a, (__m128) a))
#define SIMD_JOIN_DOUBLES(low, high) \
  (Floats) _mm_movelh_ps (_mm_cvtpd_ps ((__m128d) low), _mm_cvtpd_ps ((__m128d) high))
#else
#define SIMD_MIN(a, b) SIMD (simd_choose) ((a) < (b), a, b)
#define SIMD_MAX(a, b) SIMD (simd_choose) ((a) > (b), a, b)
#endif
#include "engine/kernels/simd/simd-functions.h"
#include SIMD_KERNEL
#include "engine/kernels/simd/simd-undefine.h"

#undef INLINE
#undef SIMD_KERNEL
