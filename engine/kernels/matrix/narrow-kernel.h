/* narrow-kernel.h — the inner loops of narrow.c for one instruction set; see each-simd.h.
 *
 * add_T_1: y[i] += scale[i] sum_l W[i,l] x[l]; for each row i, for l in steps of 4 vectors.
 * add_T_2, add_T_4: the same for 2 and 4 rows of X and Y, which share the loads of W; for each row i, for l in
 *           steps of 2 vectors.
 * expand_T: to[i,l] = scale[i] W[i,l]; for each row i, for l by vectors.
 *
 * T is the type of the weights: f16, bf16 or bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define LOAD(T, at)         SIMD (simd_load_##T) (w + (at))
#define PRODUCT(T, at, sum) simd_multiply_add (simd_load (x + (at)), LOAD (T, at), sum)

/* The operation on each of 2 and 4 rows of X, whose sums are a0 and b0, a1 and b1, …. */
#define EACH_2(X)       X (0) X (1)
#define EACH_4(X)       X (0) X (1) X (2) X (3)
#define DECLARE(r)      Floats a##r = { 0 }, b##r = { 0 };
#define PRODUCT_EVEN(r) a##r = simd_multiply_add (simd_load (x + (r) *ldx + at), weights, a##r);
#define PRODUCT_ODD(r)  b##r = simd_multiply_add (simd_load (x + (r) *ldx + at), weights, b##r);
#define PRODUCT_PART(r) \
  b##r = simd_multiply_add (simd_load_part (x + (r) *ldx + l, k - l), weights, b##r);
#define ADD(r) y[(r) *job->ldy] += scale * simd_sum (a##r + b##r);

/* Multiplies one vector of a row of W by the rows of X; PRODUCTS is PRODUCT_EVEN or PRODUCT_ODD. */
#define MULTIPLY(T, rows, offset, PRODUCTS) \
  {                                         \
    gint64 at = l + (offset);               \
    Floats weights = LOAD (T, at);          \
                                            \
    EACH_##rows (PRODUCTS);                 \
  }

/* Defines the loop over rows of W for that many rows of X. */
#define DEFINE_FEW(T, Element, head, rows)                        \
  static TARGET void SIMD (add_##T##_##rows) (const Rows *job)    \
  {                                                               \
    const guint8 *row = job->row;                                 \
    const float  *x = job->x;                                     \
    float        *y = job->y;                                     \
    gint64        k = job->k, ldx = job->ldx;                     \
                                                                  \
    for (gint64 i = 0; i < job->n; i++, row += job->bytes, y++)   \
      {                                                           \
        const Element *w = (gconstpointer) (row + (head));        \
        float          scale = read_scale (row, head);            \
        gint64         l = 0;                                     \
        EACH_##rows (DECLARE);                                    \
                                                                  \
        for (; l + 2 * LANES <= k; l += 2 * LANES)                \
          {                                                       \
            MULTIPLY (T, rows, 0, PRODUCT_EVEN)                   \
            MULTIPLY (T, rows, LANES, PRODUCT_ODD)                \
          }                                                       \
        for (; l + LANES <= k; l += LANES)                        \
          MULTIPLY (T, rows, 0, PRODUCT_EVEN)                     \
        if (l < k)                                                \
          {                                                       \
            Floats weights = SIMD (load_part_##T) (w + l, k - l); \
                                                                  \
            EACH_##rows (PRODUCT_PART);                           \
          }                                                       \
        EACH_##rows (ADD);                                        \
      }                                                           \
  }

/* Defines the loops of one type; Element is what a row consists of, after `head` bytes of scale. */
#define DEFINE(T, Element, head)                                                            \
  /* The last `n` < LANES weights of a row, then zeros. */                                  \
  INLINE Floats SIMD (load_part_##T) (const Element *w, gint64 n)                           \
  {                                                                                         \
    Element part[LANES] = { 0 };                                                            \
                                                                                            \
    memcpy (part, w, (gsize) n * sizeof (Element));                                         \
    return SIMD (simd_load_##T) (part);                                                     \
  }                                                                                         \
                                                                                            \
  static TARGET void SIMD (add_##T##_1) (const Rows *job)                                   \
  {                                                                                         \
    const guint8 *row = job->row;                                                           \
    const float  *x = job->x;                                                               \
    gint64        k = job->k;                                                               \
                                                                                            \
    for (gint64 i = 0; i < job->n; i++, row += job->bytes)                                  \
      {                                                                                     \
        const Element *w = (gconstpointer) (row + (head));                                  \
        Floats         a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };                          \
        gint64         l = 0;                                                               \
                                                                                            \
        for (; l + 4 * LANES <= k; l += 4 * LANES)                                          \
          {                                                                                 \
            a = PRODUCT (T, l, a);                                                          \
            b = PRODUCT (T, l + LANES, b);                                                  \
            c = PRODUCT (T, l + 2 * LANES, c);                                              \
            d = PRODUCT (T, l + 3 * LANES, d);                                              \
          }                                                                                 \
        for (; l + LANES <= k; l += LANES)                                                  \
          a = PRODUCT (T, l, a);                                                            \
        if (l < k)                                                                          \
          b = simd_multiply_add (simd_load_part (x + l, k - l),                             \
                                 SIMD (load_part_##T) (w + l, k - l), b);                   \
        job->y[i] += read_scale (row, head) * simd_sum ((a + b) + (c + d));                 \
      }                                                                                     \
  }                                                                                         \
                                                                                            \
  static TARGET void SIMD (expand_##T) (gint64 n, gint64 k, const guint8 *row, gsize bytes, \
                                        gint64 ldto, float *to)                             \
  {                                                                                         \
    for (gint64 i = 0; i < n; i++, row += bytes, to += ldto)                                \
      {                                                                                     \
        const Element *w = (gconstpointer) (row + (head));                                  \
        float          scale = read_scale (row, head);                                      \
        gint64         l = 0;                                                               \
                                                                                            \
        for (; l + LANES <= k; l += LANES)                                                  \
          simd_store (to + l, scale * LOAD (T, l));                                         \
        if (l < k)                                                                          \
          simd_store_part (to + l, k - l, scale * SIMD (load_part_##T) (w + l, k - l));     \
      }                                                                                     \
  }                                                                                         \
                                                                                            \
  DEFINE_FEW (T, Element, head, 2)                                                          \
  DEFINE_FEW (T, Element, head, 4)

DEFINE (f16, guint16, 0)
DEFINE (bf16, guint16, 0)
DEFINE (bytes, gint8, HYB_NARROW_HEAD)

static const Kernels SIMD (kernels)[] = {
  { HYB_F16, { SIMD (add_f16_1), SIMD (add_f16_2), SIMD (add_f16_4) }, SIMD (expand_f16) },
  { HYB_BF16, { SIMD (add_bf16_1), SIMD (add_bf16_2), SIMD (add_bf16_4) }, SIMD (expand_bf16) },
  { HYB_I8, { SIMD (add_bytes_1), SIMD (add_bytes_2), SIMD (add_bytes_4) }, SIMD (expand_bytes) },
};

#undef LOAD
#undef PRODUCT
#undef EACH_2
#undef EACH_4
#undef DECLARE
#undef PRODUCT_EVEN
#undef PRODUCT_ODD
#undef PRODUCT_PART
#undef MULTIPLY
#undef ADD
#undef DEFINE_FEW
#undef DEFINE
