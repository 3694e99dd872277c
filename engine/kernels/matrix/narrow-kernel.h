/* narrow-kernel.h — the inner loops of narrow.c for one instruction set; see each-simd.h.
 *
 * add_T:    y[i] += scale[i] sum_l W[i,l] x[l]; for each row i, for l in steps of 4 vectors.
 * expand_T: to[i,l] = scale[i] W[i,l]; for each row i, for l by vectors.
 *
 * T is the type of the weights: f16, bf16 or bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#define LOAD(T, at)         SIMD (simd_load_##T) (w + (at))
#define PRODUCT(T, at, sum) simd_multiply_add (simd_load (x + (at)), LOAD (T, at), sum)

/* Defines the loops of one type; Element is what a row consists of, after `head` bytes of scale. */
#define DEFINE(T, Element, head)                                                               \
  /* The last `n` < LANES weights of a row, then zeros. */                                     \
  INLINE Floats SIMD (load_part_##T) (const Element *w, gint64 n)                              \
  {                                                                                            \
    Element part[LANES] = { 0 };                                                               \
                                                                                               \
    memcpy (part, w, (gsize) n * sizeof (Element));                                            \
    return SIMD (simd_load_##T) (part);                                                        \
  }                                                                                            \
                                                                                               \
  static TARGET void SIMD (                                                                    \
      add_##T) (gint64 n, gint64 k, const guint8 *row, gsize bytes, const float *x, float *y)  \
  {                                                                                            \
    for (gint64 i = 0; i < n; i++, row += bytes)                                               \
      {                                                                                        \
        const Element *w = (gconstpointer) (row + (head));                                     \
        Floats         a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };                             \
        gint64         l = 0;                                                                  \
                                                                                               \
        for (; l + 4 * LANES <= k; l += 4 * LANES)                                             \
          {                                                                                    \
            a = PRODUCT (T, l, a);                                                             \
            b = PRODUCT (T, l + LANES, b);                                                     \
            c = PRODUCT (T, l + 2 * LANES, c);                                                 \
            d = PRODUCT (T, l + 3 * LANES, d);                                                 \
          }                                                                                    \
        for (; l + LANES <= k; l += LANES)                                                     \
          a = PRODUCT (T, l, a);                                                               \
        if (l < k)                                                                             \
          b = simd_multiply_add (simd_load_part (x + l, k - l),                                \
                                 SIMD (load_part_##T) (w + l, k - l),                          \
                                 b);                                                           \
        y[i] += read_scale (row, head) * simd_sum ((a + b) + (c + d));                         \
      }                                                                                        \
  }                                                                                            \
                                                                                               \
  static TARGET void SIMD (                                                                    \
      expand_##T) (gint64 n, gint64 k, const guint8 *row, gsize bytes, gint64 ldto, float *to) \
  {                                                                                            \
    for (gint64 i = 0; i < n; i++, row += bytes, to += ldto)                                   \
      {                                                                                        \
        const Element *w = (gconstpointer) (row + (head));                                     \
        float          scale = read_scale (row, head);                                         \
        gint64         l = 0;                                                                  \
                                                                                               \
        for (; l + LANES <= k; l += LANES)                                                     \
          simd_store (to + l, scale * LOAD (T, l));                                            \
        if (l < k)                                                                             \
          simd_store_part (to + l, k - l, scale * SIMD (load_part_##T) (w + l, k - l));        \
      }                                                                                        \
  }

DEFINE (f16, guint16, 0)
DEFINE (bf16, guint16, 0)
DEFINE (bytes, gint8, HYB_NARROW_HEAD)

static const Kernels SIMD (kernels)[] = {
  { HYB_F16, SIMD (add_f16), SIMD (expand_f16) },
  { HYB_BF16, SIMD (add_bf16), SIMD (expand_bf16) },
  { HYB_I8, SIMD (add_bytes), SIMD (expand_bytes) },
};

#undef LOAD
#undef PRODUCT
#undef DEFINE
