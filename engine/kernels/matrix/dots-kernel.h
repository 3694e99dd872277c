/* dots-kernel.h — the inner loops of dots.c for one instruction set; see each-simd.h.
 *
 * multiply_R: T[R,4] = sum_l A[R,l] B[4,l]; for l in vectors, for each of 4 rows of B, for each of
 * R rows of A.  R runs from 1 to the number of rows whose sums fit the registers.
 *
 * ROWS_ALL (X) expands to X (rows) for each R.  Every sum is a variable of its own, named by the
 * rows of A and B, because compilers do not keep arrays in registers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#if LANES == 16
#define ROWS_ALL(X)     X (1) X (2) X (3) X (4)
#define MAX_KERNEL_ROWS 4
#elif LANES == 8
#define ROWS_ALL(X)     X (1) X (2) X (3)
#define MAX_KERNEL_ROWS 3
#else
#define ROWS_ALL(X)     X (1) X (2)
#define MAX_KERNEL_ROWS 2
#endif

#define ROWS_1(X) X (0)
#define ROWS_2(X) ROWS_1 (X) X (1)
#define ROWS_3(X) ROWS_2 (X) X (2)
#define ROWS_4(X) ROWS_3 (X) X (3)

/* In each four lanes: the first two of a plus its last two, then the same of b. */
INLINE Floats
SIMD (add_pairs) (Floats a, Floats b)
{
#if LANES == 16
  return __builtin_shufflevector (a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29) +
         __builtin_shufflevector (a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
#elif LANES == 8
  return __builtin_shufflevector (a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
         __builtin_shufflevector (a, b, 2, 3, 10, 11, 6, 7, 14, 15);
#else
  return __builtin_shufflevector (a, b, 0, 1, 4, 5) + __builtin_shufflevector (a, b, 2, 3, 6, 7);
#endif
}

/* In each four lanes: the even two of a plus the odd two, then the same of b. */
INLINE Floats
SIMD (add_neighbours) (Floats a, Floats b)
{
#if LANES == 16
  return __builtin_shufflevector (a, b, 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30) +
         __builtin_shufflevector (a, b, 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31);
#elif LANES == 8
  return __builtin_shufflevector (a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
         __builtin_shufflevector (a, b, 1, 3, 9, 11, 5, 7, 13, 15);
#else
  return __builtin_shufflevector (a, b, 0, 2, 4, 6) + __builtin_shufflevector (a, b, 1, 3, 5, 7);
#endif
}

/* The sum of the vector's parts of four lanes. */
INLINE Four
SIMD (add_fours) (Floats a)
{
#if LANES == 16
  Eight half = __builtin_shufflevector (a, a, 0, 1, 2, 3, 4, 5, 6, 7) +
               __builtin_shufflevector (a, a, 8, 9, 10, 11, 12, 13, 14, 15);

  return __builtin_shufflevector (half, half, 0, 1, 2, 3) +
         __builtin_shufflevector (half, half, 4, 5, 6, 7);
#elif LANES == 8
  return __builtin_shufflevector (a, a, 0, 1, 2, 3) + __builtin_shufflevector (a, a, 4, 5, 6, 7);
#else
  return a;
#endif
}

/* The sums of all lanes of four vectors.  The order does not depend on the vector's place. */
INLINE Four
SIMD (add_lanes) (Floats a, Floats b, Floats c, Floats d)
{
  return SIMD (add_fours) (
      SIMD (add_neighbours) (SIMD (add_pairs) (a, b), SIMD (add_pairs) (c, d)));
}

#define DECLARE_ROW(row) \
  Floats sum##row##0 = { 0 }, sum##row##1 = { 0 }, sum##row##2 = { 0 }, sum##row##3 = { 0 };
#define LOAD_ROW(row)      Floats a##row = simd_load (a + (row) *lda + l);
#define LOAD_ROW_PART(row) Floats a##row = simd_load_part (a + (row) *lda + l, k - l);
#define ADD_0(row)         sum##row##0 = simd_multiply_add (a##row, b0, sum##row##0);
#define ADD_1(row)         sum##row##1 = simd_multiply_add (a##row, b1, sum##row##1);
#define ADD_2(row)         sum##row##2 = simd_multiply_add (a##row, b2, sum##row##2);
#define ADD_3(row)         sum##row##3 = simd_multiply_add (a##row, b3, sum##row##3);
#define WRITE_ROW(row) \
  tile[row] = SIMD (add_lanes) (sum##row##0, sum##row##1, sum##row##2, sum##row##3);

/* Adds the products of one vector of each row; LOAD (row of B) loads it. */
#define ADD_PRODUCTS(rows, LOAD) \
  {                              \
    Floats b0 = LOAD (0);        \
    ROWS_##rows (ADD_0);         \
  }                              \
  {                              \
    Floats b1 = LOAD (1);        \
    ROWS_##rows (ADD_1);         \
  }                              \
  {                              \
    Floats b2 = LOAD (2);        \
    ROWS_##rows (ADD_2);         \
  }                              \
  {                              \
    Floats b3 = LOAD (3);        \
    ROWS_##rows (ADD_3);         \
  }
#define WHOLE(row) simd_load (b[row] + l)
#define PART(row)  simd_load_part (b[row] + l, k - l)

/* Defines multiply_<rows>: that many rows of A times four rows of B; prefetches k floats from
 * `next` on. */
#define DEFINE(rows)                                                                     \
  static TARGET void SIMD (multiply_##rows) (gint64 k, const float *a, gint64 lda,       \
                                             const float *const b[4], const float *next, \
                                             Four *tile)                                 \
  {                                                                                      \
    gint64 l = 0;                                                                        \
    ROWS_##rows (DECLARE_ROW);                                                           \
                                                                                         \
    for (; l + LANES <= k; l += LANES)                                                   \
      {                                                                                  \
        ROWS_##rows (LOAD_ROW);                                                          \
                                                                                         \
        __builtin_prefetch (next + l, 0, SECOND_CACHE);                                  \
        ADD_PRODUCTS (rows, WHOLE)                                                       \
      }                                                                                  \
    if (l < k)                                                                           \
      {                                                                                  \
        ROWS_##rows (LOAD_ROW_PART);                                                     \
                                                                                         \
        ADD_PRODUCTS (rows, PART)                                                        \
      }                                                                                  \
    ROWS_##rows (WRITE_ROW);                                                             \
  }

ROWS_ALL (DEFINE)

#define ENTRY(rows) SIMD (multiply_##rows),
static const Kernels SIMD (kernels) = { LANES, MAX_KERNEL_ROWS, { NULL, ROWS_ALL (ENTRY) } };

#undef ENTRY
#undef ROWS_ALL
#undef MAX_KERNEL_ROWS
